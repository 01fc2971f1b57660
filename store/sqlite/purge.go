package sqlite

import (
	"context"
	"encoding/hex"

	"github.com/plimsoll/plimsoll/store"
)

// alone holds for objects that only the decisions of one conversation refer to.
const alone = `id IN (
		SELECT p.object FROM decisions d JOIN pins p ON p.decision = d.row WHERE d.tenant = ?1 AND d.conversation = ?2)
	AND NOT EXISTS (
		SELECT 1 FROM pins p JOIN decisions d ON d.row = p.decision
		WHERE p.tenant = objects.tenant AND p.object = objects.id AND d.conversation <> ?2)`

// Purge implements [store.Backend].
func (db *backend) Purge(ctx context.Context, tenant *store.TenantID, conversation string) (store.Purged, error) {
	var purged store.Purged
	err := db.write(ctx, "purge", func(s *handle) error {
		purged = store.Purged{}
		objects, rest, args, names, named := "1", "1", []any(nil), "1", []any(nil)
		switch {
		case conversation != "":
			objects, rest, args, names = "tenant = ?1 AND "+alone, "tenant = ?1 AND conversation = ?2", []any{tenant[:], conversation}, "0"
		case tenant != nil:
			objects, rest, args = "tenant = ?1", "tenant = ?1", []any{tenant[:]}
			names, named = "instr(name, ?1) > 0", []any{hex.EncodeToString(tenant[:])}
		}
		for _, step := range []struct {
			table, where string
			args         []any
			count        *int64
		}{
			{"objects", objects, args, &purged.Objects},
			{"decisions", rest, args, &purged.Decisions},
			{"accounts", rest, args, &purged.Accounts},
			{"settings", "name LIKE '" + valuePrefix + "%' AND " + names, named, &purged.Values},
			{"leases", names, named, new(int64)},
		} {
			n, err := s.exec("DELETE FROM "+step.table+" WHERE "+step.where, step.args...)
			if err != nil {
				return err
			}
			*step.count = n
		}
		return nil
	})
	if err != nil || purged == (store.Purged{}) {
		return purged, err
	}
	// Names, such as those of models, may stay in the unused part of a page whose rows were
	// moved. Content does not, see sealed.go.
	return purged, db.use(ctx, "purge", db.writer, func(s *handle) error {
		if err := s.run("VACUUM"); err != nil {
			return err
		}
		return checkpoint(s)
	})
}
