package sqlite

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func decisionSum(tenant store.TenantID, d *store.Decision) int64 {
	s := newSum("decisions").bytes(tenant[:]).bytes(d.Key[:]).ints(micro(d.Created), int64(len(d.Refs)))
	for _, ref := range d.Refs {
		s.text(ref)
	}
	return s.value(d.Body)
}

// PutDecision implements [store.Backend].
func (db *DB) PutDecision(ctx context.Context, tenant store.TenantID, d store.Decision) error {
	return db.write(ctx, "write a decision", func(s *session) error {
		if _, err := s.exec("DELETE FROM decisions WHERE tenant = ? AND key = ?", tenant[:], d.Key[:]); err != nil {
			return err
		}
		row, err := s.insert("INSERT INTO decisions (tenant, key, body, created, used, sum) VALUES (?, ?, ?, ?, ?, ?)",
			tenant[:], d.Key[:], blob(d.Body), micro(d.Created), micro(d.Used), decisionSum(tenant, &d))
		if err != nil {
			return err
		}
		for i, ref := range d.Refs {
			if _, err := s.exec("INSERT INTO pins (decision, position, tenant, object) VALUES (?, ?, ?, ?)", row, i, tenant[:], ref); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindDecision implements [store.Backend].
func (db *DB) FindDecision(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (store.Decision, error) {
	var d store.Decision
	err := db.readTogether(ctx, "find a decision", func(s *session) error {
		// The longest prefixes come first, and one of the first has most likely been
		// decided for; so not all keys are looked up at once.
		for part := range slices.Chunk(keys, 64) {
			row, err := firstDecision(s, tenant, part, &d)
			if errors.Is(err, plimsoll.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			return pinsOf(s, tenant, row, &d)
		}
		return errors.Join(s.ctx.Err(), plimsoll.ErrNotFound)
	})
	if err != nil {
		return store.Decision{}, err
	}
	if now := db.now(); micro(d.Used) < now-staleness {
		d.Used = when(now)
		err = db.write(ctx, "mark a decision as used", func(s *session) error {
			_, err := s.exec("UPDATE decisions SET used = max(used, ?) WHERE tenant = ? AND key = ?", now, tenant[:], d.Key[:])
			return err
		})
	}
	return d, err
}

// firstDecision reads the decision of the first key that has one.
func firstDecision(s *session, tenant store.TenantID, keys []plimsoll.Digest, d *store.Decision) (row int64, err error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = hex.EncodeToString(key[:])
	}
	list, err := json.Marshal(names)
	if err != nil {
		return 0, err
	}
	var position, created, used int64
	err = s.row(`SELECT d.row, k.key, d.body, d.created, d.used FROM json_each(?) k
		CROSS JOIN decisions d ON d.tenant = ? AND d.key = unhex(k.value) ORDER BY k.key LIMIT 1`,
		[]any{string(list), tenant[:]}, &row, &position, &d.Body, &created, &used)
	if err != nil {
		return 0, err
	}
	d.Key, d.Created, d.Used = keys[position], when(created), when(used)
	return row, nil
}

// pinsOf reads what a decision refers to and holds the whole against its sum.
func pinsOf(s *session, tenant store.TenantID, row int64, d *store.Decision) error {
	d.Refs = nil
	err := s.rows("SELECT object FROM pins WHERE decision = ? ORDER BY position", []any{row}, func(scan func(...any) error) error {
		var ref string
		err := scan(&ref)
		d.Refs = append(d.Refs, ref)
		return err
	})
	if err != nil {
		return err
	}
	var sum int64
	if err := s.row("SELECT sum FROM decisions WHERE row = ?", []any{row}, &sum); err != nil {
		return err
	}
	if sum != decisionSum(tenant, d) {
		return broken("decision %x", d.Key)
	}
	return nil
}

// DeleteDecisions implements [store.Backend].
func (db *DB) DeleteDecisions(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (int, error) {
	return db.count(ctx, "delete decisions", len(keys), func(s *session, i int) (int64, error) {
		return s.exec("DELETE FROM decisions WHERE tenant = ? AND key = ?", tenant[:], keys[i][:])
	})
}

// ExpiredDecisions implements [store.Backend].
func (db *DB) ExpiredDecisions(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := db.read(ctx, "count expired decisions", func(s *session) error {
		return s.row("SELECT count(*) FROM decisions WHERE used < ?", []any{micro(before)}, &n)
	})
	return n, err
}

// ExpireDecisions implements [store.Backend].
func (db *DB) ExpireDecisions(ctx context.Context, before time.Time) (int, error) {
	return db.count(ctx, "expire decisions", 1, func(s *session, _ int) (int64, error) {
		return s.exec("DELETE FROM decisions WHERE used < ?", micro(before))
	})
}
