package postgres

import (
	"context"
	"encoding/hex"

	"github.com/plimsoll/plimsoll/store"
)

// referredBy holds for objects that decisions refer to whose conversation compares so.
func referredBy(comparison string) string {
	return `EXISTS (
		SELECT FROM plimsoll.reference AS r JOIN plimsoll.decision AS d ON d.tenant = r.tenant AND d.key = r.key
		WHERE r.tenant = o.tenant AND r.object = o.id AND d.conversation ` + comparison + `)`
}

// Purge deletes all that tenants or conversations have, a page at a time.
func (db *backend) Purge(ctx context.Context, tenant *store.TenantID, conversation string) (store.Purged, error) {
	var purged store.Purged
	objects, rest, args, names, named := `true`, `true`, []any(nil), `true`, []any(nil)
	switch {
	case conversation != "":
		objects = `o.tenant = $1 AND ` + referredBy(`= $2`) + ` AND NOT ` + referredBy(`<> $2`)
		rest, args, names = `tenant = $1 AND conversation = $2`, []any{tenant[:], conversation}, `false`
	case tenant != nil:
		objects, rest, args = `o.tenant = $1`, `tenant = $1`, []any{tenant[:]}
		names, named = `strpos(name, $1) > 0`, []any{hex.EncodeToString(tenant[:])}
	}
	for {
		n, err := db.remove(ctx, "purge objects", `
			SELECT o.tenant, o.id FROM plimsoll.object AS o WHERE `+objects+` ORDER BY o.tenant, o.id LIMIT 500 FOR UPDATE OF o`, args...)
		purged.Objects += int64(n)
		if err != nil {
			return purged, err
		}
		if n == 0 {
			break
		}
	}
	for _, step := range []struct {
		table, where string
		args         []any
		count        *int64
	}{
		{"decision", rest, args, &purged.Decisions},
		{"account", rest, args, &purged.Accounts},
		{"value", names, named, &purged.Values},
		{"lease", names, named, new(int64)},
	} {
		n, err := db.exec(ctx, "purge", `DELETE FROM plimsoll.`+step.table+` WHERE `+step.where, step.args...)
		*step.count = int64(n)
		if err != nil {
			return purged, err
		}
	}
	return purged, nil
}
