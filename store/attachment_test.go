package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func (k *kit) attachments(t testing.TB, id string) []store.Attachment {
	t.Helper()
	r, err := k.tenant.Open(t.Context(), id)
	must(t, err)
	defer r.Close()
	all, err := r.Attachments(t.Context())
	must(t, err)
	return all
}

func TestO12_PartsThatAreNoTextAreFoundByTheirLines(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref, err := k.tenant.Put(t.Context(), mixed)
	must(t, err)
	words, err := readAll(t.Context(), k.tenant, ref.ID)
	must(t, err)
	var lines []int64
	var parts []plimsoll.Part
	for _, a := range k.attachments(t, ref.ID) {
		parts, lines = append(parts, a.Part), append(lines, a.Line)
		if !strings.HasPrefix(words[a.Offset:], "[") || int64(strings.Count(words[:a.Offset], "\n")) != a.Line {
			t.Errorf("at %d of line %d stands %.20q", a.Offset, a.Line, words[a.Offset:])
		}
	}
	if diff := cmp.Diff(mixed.Slice()[1:7], parts, samePart); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]int64{2, 3, 4, 5, 6, 7}, lines); diff != "" {
		t.Errorf("lines: -want +got\n%s", diff)
	}
}

func TestTextsHaveNoAttachments(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for name, content := range map[string]plimsoll.List[plimsoll.Part]{
		"text": text("[image]"), "texts": plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[image]"}, plimsoll.Text{}), "nothing": {},
	} {
		ref, err := k.tenant.Put(t.Context(), content)
		must(t, err)
		if all := k.attachments(t, ref.ID); len(all) != 0 {
			t.Errorf("%s has %v", name, all)
		}
	}
}

// attached are the parts that are no text, however deep they stand.
func attached(list plimsoll.List[plimsoll.Part]) []plimsoll.Part {
	var all []plimsoll.Part
	for _, p := range list.All() {
		switch p := p.(type) {
		case plimsoll.Media, plimsoll.Opaque:
			all = append(all, p)
		case plimsoll.ToolResult:
			all = append(all, attached(p.Content)...)
		}
	}
	return all
}

func TestO12_AttachmentsAreThoseThatWereStored(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	rapid.Check(t, func(rt *rapid.T) {
		content := drawParts(rt, 0)
		ref, err := k.tenant.Put(t.Context(), content)
		must(t, err)
		words, err := readAll(t.Context(), k.tenant, ref.ID)
		must(t, err)
		var parts []plimsoll.Part
		for _, a := range k.attachments(t, ref.ID) {
			parts = append(parts, a.Part)
			if words[a.Offset] != '[' || int64(strings.Count(words[:a.Offset], "\n")) != a.Line {
				rt.Fatalf("at %d of line %d stands %.20q", a.Offset, a.Line, words[a.Offset:])
			}
		}
		if content.Len() == 1 && len(parts) == 0 {
			return // a text or a span
		}
		if diff := cmp.Diff(attached(content), parts, samePart); diff != "" {
			rt.Fatalf("-want +got\n%s", diff)
		}
	})
}
