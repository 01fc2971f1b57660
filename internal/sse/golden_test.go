package sse_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected events")

// The streams are our own, in the manner of the providers they are named after.
func TestProvidersStreamsAreReadAsExpected(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(names) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(pull(t, bytes.NewReader(in), nil))
			golden := strings.TrimSuffix(name, ".sse") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Errorf("events (-want +got), go test ./internal/sse -update rewrites them:\n%s", diff)
			}
			for cut := range in {
				if again := listing(push(t, [][]byte{in[:cut], in[cut:]}, nil)); again != got {
					t.Fatalf("cut at byte %d (-whole +cut):\n%s", cut, cmp.Diff(got, again))
				}
			}
		})
	}
}

// listing shows one event on each line: size of Raw and its end, name, data.
func listing(all []outcome) string {
	var b strings.Builder
	for _, o := range all {
		e := o.Event
		state := "event"
		switch {
		case e.Cut:
			state = "cut"
		case !e.HasData():
			state = "no data"
		}
		fmt.Fprintf(&b, "%4d %-8q %-8s %-24q %s\n", len(e.Raw), e.Raw[max(0, len(e.Raw)-4):], state, e.Name, strings.ReplaceAll(string(e.Data), "\n", "↵"))
	}
	return b.String()
}
