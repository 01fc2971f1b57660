package sqlite

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// harmless are steps that do not grow with the store: the keys that were asked for,
// and one row per tenant.
var harmless = regexp.MustCompile(`^(SCAN k VIRTUAL TABLE INDEX 1:|SCAN totals|SCAN billed|SCAN CONSTANT ROW)`)

// TestNoCallScansATable uses every method once, and then asks SQLite how it runs the
// statements that were used, those of triggers and foreign keys too.
func TestNoCallScansATable(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "store.db"), nil)
	defer db.Close()
	useEverything(t, db)
	statements := append(inTriggers(t),
		// What foreign keys look up.
		"SELECT 1 FROM extents WHERE object = ?", "SELECT 1 FROM extents WHERE chunk = ?", "SELECT 1 FROM pins WHERE decision = ?",
		"SELECT 1 FROM contents WHERE row = ?", "SELECT 1 FROM bodies WHERE row = ?")
	for _, p := range []*pool{db.writer, db.readers} {
		for _, c := range p.idle {
			for statement := range c.stmts {
				statements = append(statements, statement)
			}
		}
	}
	if len(statements) < 50 {
		t.Fatalf("only %d statements were seen", len(statements))
	}
	for _, statement := range statements {
		if strings.HasPrefix(statement, "PRAGMA") {
			continue
		}
		for _, step := range plan(t, db, statement) {
			if strings.Contains(step, "TEMP B-TREE") || strings.HasPrefix(step, "SCAN") && !harmless.MatchString(step) {
				t.Errorf("%s\n\t%s", statement, step)
			}
		}
	}
}

// plan returns the steps of a statement.
func plan(t *testing.T, db *backend, statement string) []string {
	t.Helper()
	var steps []string
	err := db.read(t.Context(), "explain", func(s *handle) error {
		rows, err := s.raw.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			steps = append(steps, detail)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return steps
}

// inTriggers returns the statements of triggers.
func inTriggers(t *testing.T) []string {
	t.Helper()
	var all []string
	for n := range version {
		script, err := migrations.ReadFile(fmt.Sprintf("migrations/%d.sql", n+1))
		if err != nil {
			t.Fatal(err)
		}
		for _, trigger := range strings.Split(string(script), "\nBEGIN\n")[1:] {
			body, _, _ := strings.Cut(trigger, "\nEND;")
			body = regexp.MustCompile(`(NEW|OLD)\.\w+`).ReplaceAllString(body, "?")
			all = append(all, strings.TrimSuffix(strings.TrimSpace(body), ";"))
		}
	}
	return all
}

func useEverything(t *testing.T, db *backend) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	if err := mix(ctx, db, "0", 5); err != nil {
		t.Fatal(err)
	}
	keys := []plimsoll.Digest{{0, '0'}}
	_, err := db.Delete(ctx, tenant, []string{"0.1"})
	check(t, err)
	_, err = db.Secret(ctx)
	check(t, err)
	_, err = db.HasChunks(ctx, tenant, []store.ChunkID{{}})
	check(t, err)
	_, err = db.ExtentsAtLine(ctx, tenant, "0.2", 1, 1)
	check(t, err)
	check(t, db.Touch(ctx, tenant, []string{"0.2"}, now))
	check(t, db.MarkDamaged(ctx, tenant, "0.2", []store.ChunkID{sha256.Sum256([]byte("0.2"))}))
	check(t, writeOne(ctx, db, "0.2", []byte("0.2")))
	objects, err := db.Objects(ctx, tenant, "0.2", 2)
	check(t, err)
	_, err = db.Object(ctx, tenant, objects[0].ID)
	check(t, err)
	_, err = db.Tenants(ctx)
	check(t, err)
	_, err = db.Objects(ctx, tenant, "", 2)
	check(t, err)
	_, err = db.Accounts(ctx, tenant, "", 1)
	check(t, err)
	_, err = db.Accounts(ctx, tenant, "shared", 1)
	check(t, err)
	check(t, db.PutValue(ctx, "v", nil))
	_, err = db.Value(ctx, "v")
	check(t, err)
	check(t, db.Release(ctx, "shared", "0"))
	_, err = db.Expired(ctx, now, 1)
	check(t, err)
	old, err := db.Unreferenced(ctx, now, 1)
	check(t, err)
	_, err = db.Evict(ctx, append(old, store.Owned{}))
	check(t, err)
	_, err = db.DeleteDecisions(ctx, tenant, keys)
	check(t, err)
	_, err = db.ExpiredDecisions(ctx, now)
	check(t, err)
	_, err = db.ExpireDecisions(ctx, now.Add(-time.Hour))
	check(t, err)
	_, err = db.Stats(ctx, nil)
	check(t, err)
	_, err = db.Stats(ctx, &tenant)
	check(t, err)
	sweep(t, db)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
