package transport

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
)

// slow is a store that needs a second for each chunk.
type slow struct{ store.Backend }

func (s slow) Chunk(ctx context.Context, t store.TenantID, id store.ChunkID) (store.Chunk, error) {
	time.Sleep(time.Second)
	return s.Backend.Chunk(ctx, t, id)
}

func TestALongSearchDoesNotRestTheStore(t *testing.T) {
	t.Parallel()
	for what, arguments := range map[string]string{
		"a text":               `"pattern":"nowhere"`,
		"a regular expression": `"pattern":"[^x]*nowhere","regex":true`,
	} {
		synctest.Test(t, func(t *testing.T) {
			backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.New(t.Context(), slow{backend}, &store.Options{ChunkSize: 64 << 10})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			tenant := s.Tenant("anna")
			ref, err := tenant.PutReader(t.Context(), strings.NewReader(strings.Repeat("the quick brown fox\n", 400_000)), "")
			if err != nil {
				t.Fatal(err)
			}
			b := breaker.New(time.Now)
			r := &trip{clientRequest: &clientRequest{t: &Transport{breaker: b}, ctx: t.Context(), owner: owner{key: "anna", tenant: tenant}}}
			got := r.execute("tool_output_cache_grep", `{"ref_id":"`+ref.ID+`",`+arguments+`}`)
			if !b.Closed("anna") || !strings.Contains(got.Text, "stopped after 5s") {
				t.Errorf("%s: closed %v, the model gets %q", what, b.Closed("anna"), got.Text)
			}
		})
	}
}
