package sqlite

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// Settings are the store's own and those of others, which have a prefix.
const (
	secretName  = "secret"
	valuePrefix = "value:"
)

func putSetting(s *handle, name string, value []byte) error {
	_, err := s.exec("INSERT INTO settings (name, value, sum) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, sum = excluded.sum",
		name, blob(value), settingSum(name, value))
	return err
}

func settingSum(name string, value []byte) int64 {
	return newSum("settings").text(name).value(value)
}

func setting(s *handle, name string) ([]byte, error) {
	var value []byte
	var sum int64
	if err := s.row("SELECT value, sum FROM settings WHERE name = ?", []any{name}, &value, &sum); err != nil {
		return nil, err
	}
	if sum != settingSum(name, value) {
		return nil, broken("setting %q", name)
	}
	return value, nil
}

// Secret implements [store.Backend].
func (db *backend) Secret(ctx context.Context) ([32]byte, error) {
	var secret [32]byte
	err := db.read(ctx, "read the secret", func(s *handle) error {
		value, err := setting(s, secretName)
		if err != nil {
			return broken("the secret: %v", err)
		}
		copy(secret[:], value)
		return nil
	})
	return secret, err
}

// PutValue implements [store.Backend].
func (db *backend) PutValue(ctx context.Context, name string, value []byte) error {
	return db.write(ctx, "write a value", func(s *handle) error {
		return putSetting(s, valuePrefix+name, value)
	})
}

// Value implements [store.Backend].
func (db *backend) Value(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	err := db.read(ctx, "read a value", func(s *handle) (err error) {
		value, err = setting(s, valuePrefix+name)
		return err
	})
	return value, err
}

// Lease implements [store.Backend].
func (db *backend) Lease(ctx context.Context, name, holder string, life time.Duration) (bool, error) {
	n, err := db.count(ctx, "lease", 1, func(s *handle, _ int) (int64, error) {
		now := db.now()
		return s.exec(`INSERT INTO leases (name, holder, until) VALUES (?1, ?2, ?3)
			ON CONFLICT (name) DO UPDATE SET holder = ?2, until = ?3 WHERE holder = ?2 OR until <= ?4`,
			name, holder, now+life.Microseconds(), now)
	})
	return n > 0, err
}

// Release implements [store.Backend].
func (db *backend) Release(ctx context.Context, name, holder string) error {
	return db.write(ctx, "release", func(s *handle) error {
		_, err := s.exec("DELETE FROM leases WHERE name = ? AND holder = ?", name, holder)
		return err
	})
}

// Stats implements [store.Backend].
func (db *backend) Stats(ctx context.Context, tenant *store.TenantID) (store.Stats, error) {
	const sums = `SELECT coalesce(sum(objects), 0), coalesce(sum(chunks), 0), coalesce(sum(decisions), 0),
		coalesce(sum(bytes), 0), coalesce(sum(compressed), 0) FROM totals`
	query, args := sums, []any(nil)
	if tenant != nil {
		query, args = sums+" WHERE tenant = ?", []any{tenant[:]}
	}
	var st store.Stats
	err := db.read(ctx, "count", func(s *handle) error {
		return s.row(query, args, &st.Objects, &st.Chunks, &st.Decisions, &st.Bytes, &st.Compressed)
	})
	return st, err
}
