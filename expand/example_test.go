package expand_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// open opens a store in a new directory.
func open(ctx context.Context) (*store.Store, func()) {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	backend, err := sqlite.Open(ctx, filepath.Join(dir, "store.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := store.New(ctx, backend, nil)
	if err != nil {
		log.Fatal(err)
	}
	return s, func() {
		if err := errors.Join(s.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

func ExampleCall() {
	ctx := context.Background()
	s, done := open(ctx)
	defer done()
	tenant := s.Tenant("alice")
	ref, err := tenant.PutReader(ctx, strings.NewReader("ok\nok\nerror: no berth left\nok"), "")
	if err != nil {
		log.Fatal(err)
	}

	// The model calls a tool with the reference from a placeholder.
	arguments := fmt.Sprintf(`{"ref_id": %q, "offset": 1, "limit": 2}`, ref.ID)
	answer, err := expand.Call(ctx, tenant, "tool_output_cache", arguments, nil)
	if err != nil {
		answer.Text = expand.Explain(err)
	}
	fmt.Println(answer.Text)
	// Output:
	//     2  ok
	//     3  error: no berth left
}

func ExampleExplain() {
	ctx := context.Background()
	s, done := open(ctx)
	defer done()
	_, err := expand.Call(ctx, s.Tenant("alice"), "tool_output_cache", `{"ref_id": "call_1"}`, nil)
	fmt.Println(expand.Explain(err))
	// Output:
	// Error reading tool output cache: gone. There is no stored output with this ref_id, or not any more. Do not ask for it again. If you still need it, run the tool that produced it once more.
}
