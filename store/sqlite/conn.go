package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/plimsoll/plimsoll"
	sqlite3 "modernc.org/sqlite"
)

// conn is a connection with the statements that were used on it.
type conn struct {
	db    *sql.DB
	raw   *sql.Conn
	stmts map[string]*sql.Stmt
}

func openConn(ctx context.Context, name string) (*conn, error) {
	connector, err := sqlite3.NewConnector(name)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	raw, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &conn{db: db, raw: raw, stmts: map[string]*sql.Stmt{}}, nil
}

func (c *conn) close() error {
	var err error
	for _, stmt := range c.stmts {
		err = errors.Join(err, stmt.Close())
	}
	return errors.Join(err, c.raw.Close(), c.db.Close())
}

// prepared returns the statement, made when it is used for the first time.
func (c *conn) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := c.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := c.raw.PrepareContext(ctx, query)
	if err == nil {
		c.stmts[query] = stmt
	}
	return stmt, err
}

// pool lends connections, at most so many at once.
type pool struct {
	name string
	free chan struct{}
	mu   sync.Mutex
	idle []*conn
	// closed is closed when the pool begins to end.
	closed chan struct{}
	once   sync.Once
}

func newPool(name string, size int) *pool {
	return &pool{name: name, free: make(chan struct{}, size), closed: make(chan struct{})}
}

// take lends the connection that was given back last, or a new one.
func (p *pool) take(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	select {
	case p.free <- struct{}{}:
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := p.last(); c != nil {
		return c, nil
	}
	c, err := openConn(ctx, p.name)
	if err != nil {
		<-p.free
	}
	return c, err
}

// last takes the connection that was given back last out of the idle ones.
func (p *pool) last() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c
}

// give takes a connection back. One that met an error of the disk or of the file is
// not used again: what it remembers of the file may be wrong.
func (p *pool) give(c *conn, err error) {
	if spoils(err) {
		c.close()
	} else {
		p.mu.Lock()
		p.idle = append(p.idle, c)
		p.mu.Unlock()
	}
	<-p.free
}

// errClosed says that the database was closed.
var errClosed = errors.New("the store is closed")

// close waits for all connections to come back and ends them. It may be called again.
func (p *pool) close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		for range cap(p.free) {
			p.free <- struct{}{}
		}
		for _, c := range p.idle {
			err = errors.Join(err, c.close())
		}
		p.idle = nil
	})
	return err
}

// handle is the use of a connection by one call.
type handle struct {
	ctx context.Context
	*conn
}

// exec runs a statement and returns how many rows it changed.
func (s *handle) exec(query string, args ...any) (int64, error) {
	stmt, err := s.prepared(s.ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(s.ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// insert runs a statement and returns the row that it made.
func (s *handle) insert(query string, args ...any) (int64, error) {
	stmt, err := s.prepared(s.ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(s.ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// row reads one row, or returns [plimsoll.ErrNotFound].
func (s *handle) row(query string, args []any, into ...any) error {
	found := false
	err := s.rows(query, args, func(scan func(...any) error) error {
		found = true
		return scan(into...)
	})
	if err == nil && !found {
		return plimsoll.ErrNotFound
	}
	return err
}

// rows calls each for every row.
func (s *handle) rows(query string, args []any, each func(scan func(...any) error) error) error {
	stmt, err := s.prepared(s.ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(s.ctx, args...)
	if err != nil {
		return err
	}
	scan := func(into ...any) error {
		if err := rows.Scan(into...); err != nil {
			return broken("a row cannot be read: %v", err)
		}
		return nil
	}
	for rows.Next() {
		if err := each(scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// run runs scripts, which are not kept.
func (s *handle) run(scripts ...string) error {
	for _, script := range scripts {
		if _, err := s.raw.ExecContext(s.ctx, script); err != nil {
			return err
		}
	}
	return nil
}

// transact runs a change as a transaction. Its end does not depend on the context: a
// commit is never given up half-way, so that what failed has changed nothing.
func (s *handle) transact(change func() error) error {
	steady := &handle{ctx: context.WithoutCancel(s.ctx), conn: s.conn}
	if _, err := steady.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := change()
	if err == nil {
		err = s.ctx.Err()
	}
	if err == nil {
		_, err = steady.exec("COMMIT")
	}
	if err == nil {
		return nil
	}
	if _, undo := steady.exec("ROLLBACK"); undo != nil && !s.autocommit() {
		return errors.Join(driver.ErrBadConn, err)
	}
	return err
}

// together runs statements that read in one transaction.
func (s *handle) together(do func() error) error {
	steady := &handle{ctx: context.WithoutCancel(s.ctx), conn: s.conn}
	if _, err := steady.exec("BEGIN"); err != nil {
		return err
	}
	err := do()
	if _, end := steady.exec("ROLLBACK"); end != nil && !s.autocommit() {
		return errors.Join(driver.ErrBadConn, err, end)
	}
	return err
}

// autocommit reports that no transaction is under way: SQLite itself has undone it.
func (s *handle) autocommit() bool {
	steady := &handle{ctx: context.WithoutCancel(s.ctx), conn: s.conn}
	if _, err := steady.exec("BEGIN"); err != nil {
		return false
	}
	_, err := steady.exec("ROLLBACK")
	return err == nil
}
