package sqlite

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func decisionSum(tenant store.TenantID, d *store.Decision) int64 {
	s := newSum("decisions").bytes(tenant[:]).bytes(d.Key[:]).ints(d.Created.UnixMicro(), int64(len(d.Refs)))
	for _, ref := range d.Refs {
		s.text(ref)
	}
	if d.Kind != "" {
		s.text(d.Kind)
	}
	if d.Conversation != "" {
		s.text("conversation").text(d.Conversation)
	}
	return s.value(d.Body)
}

// PutDecision implements [store.Backend].
func (db *backend) PutDecision(ctx context.Context, tenant store.TenantID, d store.Decision) error {
	return db.write(ctx, "write a decision", func(s *handle) error {
		if _, err := s.exec("DELETE FROM decisions WHERE tenant = ? AND key = ?", tenant[:], d.Key[:]); err != nil {
			return err
		}
		row, err := s.insert("INSERT INTO decisions (tenant, key, kind, conversation, size, created, used, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			tenant[:], d.Key[:], d.Kind, d.Conversation, len(d.Body), d.Created.UnixMicro(), d.Used.UnixMicro(), decisionSum(tenant, &d))
		if err != nil {
			return err
		}
		if _, err := s.exec("INSERT INTO bodies (row, data) VALUES (?, ?)", row, sealed(d.Body)); err != nil {
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
func (db *backend) FindDecision(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (store.Decision, error) {
	var d *decision
	err := db.readTogether(ctx, "find a decision", func(s *handle) (err error) {
		d, err = firstDecision(s, tenant, keys)
		return err
	})
	if err != nil {
		return store.Decision{}, err
	}
	if now := db.now(); d.Used.UnixMicro() < now-staleness {
		d.Used = when(now)
		err = db.mark(ctx, tenant, d.Key, now)
	}
	return d.Decision, err
}

// keyList writes keys as a JSON list, which json_each reads.
func keyList(keys []plimsoll.Digest) string {
	b := make([]byte, 0, len(keys)*(2*len(plimsoll.Digest{})+len(`"",`))+len("[]"))
	b = append(b, '[')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(hex.AppendEncode(append(b, '"'), key[:]), '"')
	}
	return string(append(b, ']'))
}

// mark marks a decision as used, unless the disk is full or another process writes for long:
// what was decided is worth more than the time of its use.
func (db *backend) mark(ctx context.Context, tenant store.TenantID, key plimsoll.Digest, now int64) error {
	brief, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	err := db.write(brief, "mark a decision as used", func(s *handle) error {
		_, err := s.exec("UPDATE decisions SET used = max(used, ?) WHERE tenant = ? AND key = ?", now, tenant[:], key[:])
		return err
	})
	if ctx.Err() == nil && (errors.Is(err, store.ErrUnavailable) || brief.Err() != nil) {
		return nil
	}
	return err
}

// firstDecision reads the decision of the first key that has one. SQLite reads a JSON list
// in the order of its rowids, so it sorts nothing and stops at that key.
func firstDecision(s *handle, tenant store.TenantID, keys []plimsoll.Digest) (d *decision, err error) {
	err = s.rowOf("SELECT "+decisionColumns+` FROM json_each(?) k
		CROSS JOIN decisions d ON d.tenant = ? AND d.key = unhex(k.value)
		LEFT JOIN bodies b ON b.row = d.row ORDER BY k.rowid LIMIT 1`,
		[]any{keyList(keys), tenant[:]}, func(scan func(...any) error) (err error) {
			var owner store.TenantID
			owner, d, err = scanDecision(scan)
			if err == nil && (owner != tenant || !slices.Contains(keys, d.Key)) {
				err = broken("an index of decisions")
			}
			return err
		})
	if err == nil {
		err = pinsOf(s, tenant, d)
	}
	return d, err
}

// decision is one with what is kept beside it.
type decision struct {
	store.Decision
	row, sum int64
}

const decisionColumns = "d.row, d.tenant, d.key, d.kind, d.conversation, d.size, d.created, d.used, d.sum, b.data"

func scanDecision(scan func(...any) error) (owner store.TenantID, d *decision, err error) {
	d = &decision{}
	var tenant, key, data []byte
	var size, created, used int64
	if err := scan(&d.row, &tenant, &key, &d.Kind, &d.Conversation, &size, &created, &used, &d.sum, &data); err != nil {
		return owner, d, err
	}
	copy(owner[:], tenant)
	copy(d.Key[:], key)
	d.Created, d.Used = when(created), when(used)
	d.Body, err = unsealed(data, size)
	return owner, d, err
}

// pinsOf reads what a decision refers to and holds the whole against its sum.
func pinsOf(s *handle, tenant store.TenantID, d *decision) error {
	err := s.rows("SELECT object FROM pins WHERE decision = ? ORDER BY position", []any{d.row}, func(scan func(...any) error) error {
		var ref string
		err := scan(&ref)
		d.Refs = append(d.Refs, ref)
		return err
	})
	if err == nil && d.sum != decisionSum(tenant, &d.Decision) {
		err = broken("decision %x", d.Key)
	}
	return err
}

// DeleteDecisions implements [store.Backend].
func (db *backend) DeleteDecisions(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (int, error) {
	return db.count(ctx, "delete decisions", len(keys), func(s *handle, i int) (int64, error) {
		return s.exec("DELETE FROM decisions WHERE tenant = ? AND key = ?", tenant[:], keys[i][:])
	})
}

// ExpiredDecisions implements [store.Backend].
func (db *backend) ExpiredDecisions(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := db.read(ctx, "count expired decisions", func(s *handle) error {
		return s.row("SELECT count(*) FROM decisions WHERE used < ?", []any{before.UnixMicro()}, &n)
	})
	return n, err
}

// ExpireDecisions implements [store.Backend].
func (db *backend) ExpireDecisions(ctx context.Context, before time.Time) (int, error) {
	return db.count(ctx, "expire decisions", 1, func(s *handle, _ int) (int64, error) {
		return s.exec("DELETE FROM decisions WHERE used < ?", before.UnixMicro())
	})
}
