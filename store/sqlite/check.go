package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/store"
)

// Check implements [store.Backend].
func (db *backend) Check(ctx context.Context) ([]string, error) {
	var found []string
	err := db.readTogether(ctx, "check", func(s *handle) error {
		found = nil
		for _, look := range [...]func(*handle, func(string, ...any)) error{
			checkPages, checkReferences, checkChunks, checkObjects, checkDecisions, checkAccounts, checkSettings, checkMarks,
		} {
			err := look(s, func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) })
			switch err = db.fail("check", err); {
			case errors.Is(err, store.ErrCorrupt):
				found = append(found, errors.Unwrap(err).Error())
			case err != nil:
				return err
			}
		}
		return nil
	})
	return found, err
}

// checkPages lets SQLite go through its pages and indexes.
func checkPages(s *handle, report func(string, ...any)) error {
	return s.rows("PRAGMA integrity_check(100)", nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		if err == nil && text != "ok" {
			report("file: %s", text)
		}
		return err
	})
}

func checkReferences(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1", nil, func(scan func(...any) error) error {
		var table string
		var n int
		err := scan(&table, &n)
		if err == nil {
			report("%d rows of %s refer to something that is not there", n, table)
		}
		return err
	})
}

func checkChunks(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT c.tenant, c.id, c.size, c.stored, c.sum, d.data FROM chunks c LEFT JOIN contents d ON d.row = c.row", nil,
		func(scan func(...any) error) error {
			var tenant, id, data []byte
			var c store.Chunk
			var stored, sum int64
			err := scan(&tenant, &id, &c.Size, &stored, &sum, &data)
			if err != nil {
				return err
			}
			copy(c.ID[:], id)
			c.Data, err = unsealed(data, stored)
			if err != nil || len(tenant) != len(store.TenantID{}) || sum != chunkSum(store.TenantID(tenant), &c) {
				report("chunk %x of tenant %x is damaged", id, tenant)
			}
			return nil
		})
}

// checkObjects reads objects with their extents, which must follow each other.
func checkObjects(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT "+objectColumns+" FROM objects", nil, func(scan func(...any) error) error {
		owned, err := scanObject(scan)
		if err == nil {
			_, err = extentsOf(s, owned.Tenant, owned.Object.ID, byOffset, 0, -1)
		}
		return reported(err, owned.Tenant, report)
	})
}

func checkDecisions(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT "+decisionColumns+" FROM decisions d LEFT JOIN bodies b ON b.row = d.row", nil, func(scan func(...any) error) error {
		tenant, d, err := scanDecision(scan)
		if err == nil {
			err = pinsOf(s, tenant, d)
		}
		return reported(err, tenant, report)
	})
}

func checkAccounts(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT "+accountColumns+" FROM accounts", nil, func(scan func(...any) error) error {
		tenant, _, err := scanAccount(scan)
		return reported(err, tenant, report)
	})
}

func checkSettings(s *handle, report func(string, ...any)) error {
	return s.rows("SELECT name FROM settings", nil, func(scan func(...any) error) error {
		var name string
		if err := scan(&name); err != nil {
			return err
		}
		_, err := setting(s, name)
		return reported(err, store.TenantID{}, report)
	})
}

// reported reports damage and goes on; other errors end the check.
func reported(err error, tenant store.TenantID, report func(string, ...any)) error {
	if errors.Is(err, store.ErrCorrupt) && code(err) == 0 {
		report("tenant %x: %v", tenant, err)
		return nil
	}
	return err
}

// checkMarks compares what is remembered about rows with what follows from others.
func checkMarks(s *handle, report func(string, ...any)) error {
	for what, query := range map[string]string{
		"chunks are marked wrong": "SELECT count(*) FROM chunks c WHERE orphan <> NOT EXISTS (SELECT 1 FROM extents WHERE chunk = c.row)",
		"objects are marked wrong": `SELECT count(*) FROM objects o
			WHERE pinned <> EXISTS (SELECT 1 FROM pins WHERE tenant = o.tenant AND object = o.id)`,
		"totals are wrong": `SELECT count(*) FROM (
			SELECT 1 FROM (
				SELECT tenant, 1 AS objects, 0 AS chunks, 0 AS decisions, stored AS bytes, 0 AS compressed FROM objects
				UNION ALL SELECT tenant, 0, 1, 0, 0, stored FROM chunks
				UNION ALL SELECT tenant, 0, 0, 1, 0, 0 FROM decisions WHERE kind = ''
				UNION ALL SELECT tenant, -objects, -chunks, -decisions, -bytes, -compressed FROM totals)
			GROUP BY tenant
			HAVING sum(objects) <> 0 OR sum(chunks) <> 0 OR sum(decisions) <> 0 OR sum(bytes) <> 0 OR sum(compressed) <> 0)`,
	} {
		var n int
		if err := s.row(query, nil, &n); err != nil {
			return err
		}
		if n > 0 {
			report("%d %s", n, what)
		}
	}
	return nil
}
