package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

var (
	// errBusy: all connections of the pool are in use.
	errBusy = errors.New("all connections are in use")
	// errUnreachable: there is no connection, so nothing was sent.
	errUnreachable = errors.New("no connection")
)

// what is to be done after a failure.
type next int

const (
	// giveUp: the same would happen again.
	giveUp next = iota
	// again: it changed nothing, and may succeed.
	again
	// ask: it may succeed, and may have changed something already.
	ask
)

// diagnosis is what a failure means.
type diagnosis struct {
	next next
	// dead says that connections are no good any more; conflict that another
	// transaction was in the way.
	dead, conflict bool
	hint           string
	// sentinel is what callers test for; nil if the error is that already.
	sentinel error
	err      error
}

// states says what the server's answers mean, by SQLSTATE or its first two
// characters.
var states = map[string]diagnosis{
	"08":    {next: ask, dead: true, hint: hintReach, sentinel: store.ErrUnavailable},
	"22":    {hint: hintData, sentinel: plimsoll.ErrInvalid},
	"22021": {hint: "texts are UTF-8 without NUL", sentinel: plimsoll.ErrInvalid},
	"23":    {hint: hintData, sentinel: plimsoll.ErrInvalid},
	"25006": {next: again, dead: true, hint: hintReadOnly, sentinel: store.ErrUnavailable},
	"26000": {hint: hintPooler, sentinel: store.ErrUnavailable},
	"28":    {hint: "check the user and the password in the URL, and pg_hba.conf of the server", sentinel: store.ErrUnavailable},
	"3D000": {hint: "make the database: createdb NAME", sentinel: store.ErrUnavailable},
	"40001": {next: again, conflict: true, hint: hintConflict, sentinel: store.ErrUnavailable},
	"40P01": {next: again, conflict: true, hint: hintConflict, sentinel: store.ErrUnavailable},
	"42501": {hint: "the user must own the schema plimsoll, or be allowed to create it: GRANT CREATE ON DATABASE … TO …", sentinel: store.ErrUnavailable},
	"42P05": {hint: hintPooler, sentinel: store.ErrUnavailable},
	"53":    {hint: "the server is short of memory or disk space", sentinel: store.ErrUnavailable},
	"53100": {hint: "the disk of the server is full; make room, or delete with plimsoll cache gc", sentinel: store.ErrUnavailable},
	"53300": {next: again, hint: "raise max_connections of the server, or lower pool_max_conns in the URL", sentinel: store.ErrUnavailable},
	"54":    {hint: hintData, sentinel: plimsoll.ErrInvalid},
	"55P03": {next: again, conflict: true, hint: hintConflict, sentinel: store.ErrUnavailable},
	"57014": {hint: "the statement was cancelled at the server, or took longer than its statement_timeout", sentinel: store.ErrUnavailable},
	"57P01": {next: again, dead: true, hint: hintReach, sentinel: store.ErrUnavailable},
	"57P02": {next: ask, dead: true, hint: hintReach, sentinel: store.ErrUnavailable},
	"57P03": {next: again, hint: "the server is starting or stopping", sentinel: store.ErrUnavailable},
	"57P05": {next: again, dead: true, hint: hintReach, sentinel: store.ErrUnavailable},
	"58":    {hint: "the server has trouble with its files; see its log", sentinel: store.ErrUnavailable},
	"XX":    {hint: "the server failed inside; see its log", sentinel: store.ErrUnavailable},
	"XX001": {hint: "the server found damage; see its log", sentinel: store.ErrCorrupt},
	"XX002": {hint: "an index is damaged; see the server's log, and REINDEX SCHEMA plimsoll", sentinel: store.ErrCorrupt},
}

const (
	hintReach    = "check that PostgreSQL runs there and can be reached from here"
	hintReadOnly = "name all hosts of the cluster in the URL: postgres://…@host1,host2/…"
	hintPooler   = "a pooler shares connections between clients; add default_query_exec_mode=exec to the URL"
	hintData     = "the server refuses this row, and would again; the store is not affected"
	hintConflict = "too many processes change the same rows; try again"
)

// diagnose finds out what a failure means.
func diagnose(err error) diagnosis {
	var typed *plimsoll.Error
	var pgErr *pgconn.PgError
	d := diagnosis{err: err}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		d.err = plimsoll.ErrNotFound
	case errors.As(err, &typed), errors.Is(err, store.ErrMissingChunk), errors.Is(err, plimsoll.ErrNotFound):
	case errors.Is(err, errReadOnly):
		d = diagnosis{next: again, hint: hintReadOnly, sentinel: store.ErrUnavailable, err: err}
	case errors.As(err, &pgErr):
		d = state(pgErr.Code)
		d.err = err
	case errors.Is(err, errBusy):
		d = diagnosis{hint: "raise pool_max_conns in the URL", sentinel: store.ErrUnavailable, err: err}
	case errors.Is(err, errUnreachable):
		d = diagnosis{next: again, hint: hintReach, sentinel: store.ErrUnavailable, err: err}
	case isBroken(err):
		d = diagnosis{next: ask, dead: true, hint: hintReach, sentinel: store.ErrUnavailable, err: err}
		if pgconn.SafeToRetry(err) {
			d.next = again
		}
	}
	return d
}

func state(code string) diagnosis {
	if d, ok := states[code]; ok {
		return d
	}
	return states[code[:min(2, len(code))]]
}

// isBroken reports an error of the connection, as opposed to one that the server
// sent or that this package made.
func isBroken(err error) bool {
	var network net.Error
	return errors.As(err, &network) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, context.DeadlineExceeded)
}

// report makes the error that callers see.
func (d diagnosis) report(op string) error {
	op = "postgres: " + op
	var typed *plimsoll.Error
	if errors.As(d.err, &typed) {
		return d.err
	}
	if d.sentinel == nil {
		return fmt.Errorf("%s: %w", op, d.err)
	}
	e := &plimsoll.Error{Op: op, Hint: d.hint, Err: fmt.Errorf("%w: %w", d.sentinel, plain(d.err))}
	if d.sentinel == store.ErrUnavailable {
		e.Code = plimsoll.CodeUnavailable
	}
	return e
}

// plain makes one line of an error and keeps nothing of a connection's settings in
// it, which hold the password.
func plain(err error) error {
	var pgErr *pgconn.PgError
	var connect *pgconn.ConnectError
	if errors.As(err, &pgErr) && !errors.As(err, &connect) {
		return pgErr
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return errors.New(strings.Join(slices.Compact(lines), " "))
}
