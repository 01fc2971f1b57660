package sqlite

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// Options of a database. The zero value is fine.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Wait is how long a call waits for other processes that hold the file before it
	// gives up; 0 means 30 seconds.
	Wait time.Duration
	// Readers is how many calls may read at once, each on a connection of its own; 0
	// means 8.
	Readers int
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	o.Readers = cmp.Or(o.Readers, 8)
}

// backend is a store in an SQLite file. It is safe for concurrent use.
type backend struct {
	path    string
	options Options
	writer  *pool
	readers *pool
}

var _ store.Backend = (*backend)(nil)

// Open opens the store in the file, which it creates when it is not there, with its
// directory, for the user alone. A file of an older version is brought up to date;
// one of a newer version, of another program or of no database at all is refused and
// left as it is.
func Open(ctx context.Context, path string, options *Options) (store.Backend, error) {
	db := &backend{path: path}
	if options != nil {
		db.options = *options
	}
	db.options.setDefaults()
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, db.fail("open", err)
	}
	if err := createFile(absolute); err != nil {
		return nil, db.fail("open", err)
	}
	db.writer = newPool(dsn(absolute, ""), 1)
	db.readers = newPool(dsn(absolute, "&_pragma=query_only(1)"), db.options.Readers)
	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(db.fail("open", err), db.Close())
	}
	return db, nil
}

// Close ends it. The last one to close the file leaves no other files behind.
func (db *backend) Close() error {
	return db.fail("close", errors.Join(db.readers.close(), db.writer.close()))
}

// dsn names the file for the driver. Pragmas that change the file wait until it is
// known to be ours, see [backend.prepare].
func dsn(path, more string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	return "file://" + (&url.URL{Path: slashed}).EscapedPath() +
		"?mode=rw" +
		"&_pragma=busy_timeout(200)" +
		"&_pragma=cell_size_check(1)" +
		"&_pragma=checkpoint_fullfsync(1)" +
		"&_pragma=foreign_keys(1)" +
		"&_pragma=fullfsync(1)" +
		"&_pragma=journal_size_limit(67108864)" +
		"&_pragma=secure_delete(1)" +
		"&_pragma=synchronous(2)" +
		"&_pragma=temp_store(2)" + // Nothing of the content goes to other files.
		"&_pragma=trusted_schema(0)" +
		"&_pragma=wal_autocheckpoint(4000)" + more
}

// now returns the clock's time as it is kept.
func (db *backend) now() int64 { return db.options.Now().UnixMicro() }
