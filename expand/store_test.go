package expand

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// newStore opens a store with chunks so small that every text has several.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db, &store.Options{ChunkSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestO11_AStoredTextAnswersLikeOneInMemory(t *testing.T) {
	t.Parallel()
	tenant := newStore(t).Tenant("me")
	words := rapid.SampledFrom([]string{"a", "b\n", "\r\n", "é", "👍🏽", "needle", "\xff", strings.Repeat("long ", 60), "\n\n", "Needle\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 60).Draw(t, "words"), "")
		ref, err := tenant.PutReader(t.Context(), strings.NewReader(text), "")
		if err != nil {
			t.Fatal(err)
		}
		l := patient
		l.LineChars, l.Bytes = rapid.IntRange(1, 400).Draw(t, "line"), 1200
		r := Read{
			Ref: ref.ID, Offset: rapid.Int64Range(0, 20).Draw(t, "offset"), Limit: rapid.Int64Range(0, 5).Draw(t, "limit"),
			InLine: rapid.Bool().Draw(t, "in line"), CharOffset: rapid.Int64Range(0, 300).Draw(t, "char"),
		}
		g := Grep{
			Ref: ref.ID, Offset: r.Offset, Pattern: "needle", IgnoreCase: r.InLine, Regex: rapid.Bool().Draw(t, "regex"),
			Before: r.Limit, After: rapid.Int64Range(0, 3).Draw(t, "after"), MaxMatches: rapid.Int64Range(1, 9).Draw(t, "matches"),
		}
		m := newMemory(text, 50)
		var read, wantRead, found, wantFound strings.Builder
		err = errors.Join(
			r.Lines(t.Context(), &read, tenant, l), r.write(t.Context(), &wantRead, m, l.withDefaults()),
			g.Matches(t.Context(), &found, tenant, l), g.write(t.Context(), &wantFound, m, l.withDefaults()),
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantRead.String()+wantFound.String(), read.String()+found.String()); diff != "" {
			t.Fatalf("%+v %+v\n-memory +store\n%s", r, g, diff)
		}
	})
}

func TestGoneIsGoneHoweverItCameToBe(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	theirs, err := s.Tenant("other").PutReader(t.Context(), strings.NewReader("secret"), "")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := s.Tenant("me").PutReader(t.Context(), strings.NewReader("deleted"), "")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Tenant("me").Delete(t.Context(), mine.ID); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for _, id := range []string{theirs.ID, mine.ID, strings.Repeat("a", len(mine.ID)), "call_1", strings.ToUpper(theirs.ID), "\u0000"} {
		arguments, err := json.Marshal(map[string]string{"ref_id": id})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{toolRead, toolGrep} {
			with := string(arguments)
			if name == toolGrep {
				with = strings.TrimSuffix(with, "}") + `,"pattern":"e"}`
			}
			got, err := Call(t.Context(), s.Tenant("me"), name, with, nil)
			if !errors.Is(err, store.ErrGone) || got.Text != "" {
				t.Errorf("%s %q: %q, %v", name, id, got.Text, err)
			}
			if got, want := Explain(err), Explain(store.ErrGone); got != want {
				t.Errorf("%s %q: the model reads %q, want %q", name, id, got, want)
			}
		}
	}
}

func TestCallRefusesToolsOfOthers(t *testing.T) {
	t.Parallel()
	_, err := Call(t.Context(), newStore(t).Tenant("me"), "bash", `{"command":"ls"}`, nil)
	if !errors.Is(err, errUnknownTool) || !strings.Contains(Explain(err), "The tools are tool_output_cache and tool_output_cache_grep.") {
		t.Errorf("%v: %s", err, Explain(err))
	}
}
