package store_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Whatever is damaged: once somebody has noticed, storing the same content again has
// it back, under the same reference.
func TestStoringContentAgainRepairsIt(t *testing.T) {
	t.Parallel()
	words := prose(4, 400)
	for name, content := range map[string]plimsoll.List[plimsoll.Part]{
		"text":  text(words),
		"parts": plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: words}, plimsoll.Media{Kind: plimsoll.Image, Data: prose(5, 200)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			ref, err := k.tenant.Put(t.Context(), content)
			must(t, err)
			k.eachDamage(ref.ID, func(what string) {
				if findings, err := k.Check(t.Context()); len(findings) != 1 || err != nil {
					t.Errorf("%s: check found %q, %v", what, findings, err)
				}
				again, err := k.tenant.Put(t.Context(), content)
				if err != nil || again != ref {
					t.Errorf("%s: stored again as %v, %v", what, again, err)
				}
				k.isWhole(t, what, ref.ID, content)
			})
		})
	}
}

func (k *kit) isWhole(t *testing.T, what, id string, want plimsoll.List[plimsoll.Part]) {
	t.Helper()
	got, err := k.tenant.Content(t.Context(), id)
	if diff := cmp.Diff(want.Slice(), got.Slice(), samePart); err != nil || diff != "" {
		t.Errorf("%s: %v\n-want +got\n%s", what, err, diff)
	}
	if findings, err := k.Check(t.Context()); len(findings) != 0 || err != nil {
		t.Errorf("%s: after the repair check found %q, %v", what, findings, err)
	}
}

// A model reads what is damaged and runs the tool again, whose output comes as a
// stream that cannot be read twice.
func TestAStreamRepairsWhatReadingFoundDamaged(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	words := prose(6, 500)
	ref := k.put(t, words)
	beside := k.put(t, words+"more")
	for key, kept := range k.memory.chunks {
		kept.chunk.Data = kept.chunk.Data[:len(kept.chunk.Data)-1]
		k.memory.chunks[key] = kept
	}
	// Each read ends at the first damage that it meets.
	for range k.memory.chunks {
		if _, err := readAll(t.Context(), k.tenant, ref.ID); !isDamage(err) {
			t.Fatalf("reading it gave %v", err)
		}
		if _, err := k.tenant.PutReader(t.Context(), struct{ *bytes.Buffer }{bytes.NewBufferString(words)}, ""); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(t.Context(), k.tenant, ref.ID); err == nil && got == words {
			break
		}
	}
	if got, err := readAll(t.Context(), k.tenant, ref.ID); got != words || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	// What shares its chunks is repaired along, but for its end.
	if got, err := readAll(t.Context(), k.tenant, beside.ID); !strings.HasPrefix(got, words[:200]) || !isDamage(err) {
		t.Errorf("beside: got %d bytes, %v", len(got), err)
	}
}

func TestDamageThatCannotBeMarkedIsStillReported(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref := k.put(t, prose(7, 300))
	for _, kept := range k.memory.chunks {
		kept.chunk.Data = nil
	}
	k.memory.before = func(method string) error {
		if method == "MarkDamaged" {
			return store.ErrUnavailable
		}
		return nil
	}
	if _, err := readAll(t.Context(), k.tenant, ref.ID); !isDamage(err) {
		t.Errorf("got %v, want %v", err, store.ErrCorrupt)
	}
}
