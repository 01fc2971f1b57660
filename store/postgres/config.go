package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/plimsoll/plimsoll"
)

const (
	// connectTimeout is for each host of the URL, if it names none.
	connectTimeout = 3 * time.Second
	// pingAfter is how long a connection may have been idle before it is tried
	// first, pingTimeout how long that may take.
	pingAfter   = time.Second
	pingTimeout = 2 * time.Second
	// maxConns is the least that the pool may grow to, if the URL does not say.
	maxConns = 10
)

// errReadOnly: the server cannot be written to.
var errReadOnly = errors.New("the server is read-only")

// configure reads the URL and adds what a store needs.
func (db *backend) configure(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err == nil {
		err = unambiguous(url)
	}
	if err != nil {
		return nil, &plimsoll.Error{
			Op: "postgres: read the URL", Code: plimsoll.CodeInvalid,
			Hint: "want postgres://user:password@host:5432/database?sslmode=verify-full, with special characters as %XX: @ is %40, / is %2F",
			Err:  fmt.Errorf("%w%s", plimsoll.ErrInvalid, reason(url, err)),
		}
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = max(config.MaxConns, maxConns)
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "plimsoll"
	}
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = writable
	}
	if _, asked := config.ConnConfig.RuntimeParams["synchronous_commit"]; !asked {
		config.AfterConnect = durable
	}
	config.ShouldPing = db.isStale
	db.hosts = hosts(config.ConnConfig)
	return config, nil
}

// hosts lists the addresses that are tried, once each.
func hosts(config *pgx.ConnConfig) string {
	all := []string{address(config.Host, config.Port)}
	for _, f := range config.Fallbacks {
		if a := address(f.Host, f.Port); !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return strings.Join(all, ", ")
}

func address(host string, port uint16) string {
	_, a := pgconn.NetworkAddress(host, port)
	return a
}

// unambiguous refuses a URL in which an @ stands anywhere but once behind the password: it
// may be part of the password, of which the rest is then taken for a host or a
// database, and shown in errors.
func unambiguous(url string) error {
	_, rest, isURL := strings.Cut(url, "://")
	if !isURL {
		return nil
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	if strings.Count(rest[:end], "@") > 1 || strings.Contains(rest[end:], "@") {
		return errors.New("it is not clear where the password ends")
	}
	return nil
}

// reason says which file cannot be read that a URL names, such as a certificate. Of
// any other mistake it says nothing, since that could show the password.
func reason(url string, err error) string {
	var file *fs.PathError
	if unambiguous(url) != nil || strings.Contains(strings.ToLower(url), "passw") || !errors.As(err, &file) {
		return ""
	}
	return ": " + file.Error()
}

// writable refuses a server that is read-only, so that the next host is tried.
func writable(ctx context.Context, conn *pgconn.PgConn) error {
	result := conn.ExecParams(ctx, "SHOW transaction_read_only", nil, nil, nil, nil).Read()
	if result.Err != nil {
		return result.Err
	}
	if len(result.Rows) == 1 && string(result.Rows[0][0]) == "on" {
		return errReadOnly
	}
	return nil
}

// durable sees to it that what was committed is on disk, even if the server's own
// setting is not to wait for that.
func durable(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false)
		WHERE current_setting('synchronous_commit') = 'off'`)
	return err
}

// isStale tries a connection that was idle. If it is dead the others most likely are
// too, and finding that out one by one could take longer than anybody waits.
func (db *backend) isStale(ctx context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration < pingAfter {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if p.Conn.Ping(ctx) == nil {
		return false
	}
	db.pool.Reset()
	return true
}
