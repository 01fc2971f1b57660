package sqlite

import (
	"context"
	"time"
)

// read lends a connection that reads. What do runs may be run again from its start.
func (db *backend) read(ctx context.Context, op string, do func(*handle) error) error {
	return db.use(ctx, op, db.readers, do)
}

// readTogether lends a connection on which all statements see the same state.
func (db *backend) readTogether(ctx context.Context, op string, do func(*handle) error) error {
	return db.use(ctx, op, db.readers, func(s *handle) error {
		return s.together(func() error { return do(s) })
	})
}

// write lends the connection that writes, in a transaction.
func (db *backend) write(ctx context.Context, op string, do func(*handle) error) error {
	return db.use(ctx, op, db.writer, func(s *handle) error {
		return s.transact(func() error { return do(s) })
	})
}

func (db *backend) use(ctx context.Context, op string, from *pool, do func(*handle) error) error {
	return db.fail(op, db.retry(ctx, func() error {
		c, err := from.take(ctx)
		if err != nil {
			return err
		}
		err = do(&handle{ctx: ctx, conn: c})
		from.give(c, err)
		return err
	}))
}

// when returns the time of a number of microseconds.
func when(micro int64) time.Time { return time.UnixMicro(micro).UTC() }

// blob makes an empty list of bytes of one that is nil, which SQLite takes for NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
