package expand

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func putParts(t *testing.T, tenant *store.Tenant, parts ...plimsoll.Part) string {
	t.Helper()
	ref, err := tenant.Put(t.Context(), plimsoll.ListOf(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return ref.ID
}

func TestO12_PartsComeBackWithTheirLines(t *testing.T) {
	t.Parallel()
	tenant := newStore(t).Tenant("me")
	picture := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: strings.Repeat("iVBO", 300)}
	page := plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", URL: "https://example.com/a.pdf"}
	odd := plimsoll.Opaque{Kind: "x", Raw: `{"a":1}`}
	ref := putParts(t, tenant, plimsoll.Text{Text: "one\ntwo"}, picture, plimsoll.Text{Text: "four"}, page, odd)
	for _, tc := range []struct {
		name, tool, arguments string
		limits                Limits
		text                  string
		parts                 []plimsoll.Part
	}{
		{"everything", toolRead, `{}`, Limits{}, "    1  one\n    2  two\n    3  [image]\n    4  four\n    5  [document]\n    6  [other:x]", []plimsoll.Part{picture, page, odd}},
		{"the line of one", toolRead, `{"offset":2,"limit":1}`, Limits{}, "    3  [image]", []plimsoll.Part{picture}},
		{"lines without any", toolRead, `{"limit":2}`, Limits{}, "    1  one\n    2  two", nil},
		{"behind the end", toolRead, `{"offset":20}`, Limits{}, beyond, nil},
		{"a part of a line", toolRead, `{"offset":2,"char_offset":1,"char_limit":3}`, Limits{}, "ref_id=" + ref + "\nline_number=3\nchar_range=1..3\nima\n\nThe line goes on. Use char_offset=4 to continue.", nil},
		{
			"one that is too large", toolRead, `{"offset":2}`,
			Limits{Media: 800},
			"    3  [image]\n    4  four\n    5  [document]\n    6  [other:x]\n\n[parts that are no text and too large to come along: 1] Read the line of one alone to try it by itself: offset=2 limit=1",
			[]plimsoll.Part{page, odd},
		},
		{"more than is read", toolRead, `{"offset":2,"limit":1}`, Limits{Media: 100}, "    3  [image]\n\n[the parts that are no text are too large to come along]", nil},
		{"no bound", toolRead, `{"offset":2,"limit":1}`, Limits{Media: -1}, "    3  [image]", []plimsoll.Part{picture}},
		{"a search", toolGrep, `{"pattern":"image"}`, Limits{}, "ref:" + ref + "\n    3  [image]", nil},
	} {
		got, err := Call(t.Context(), tenant, tc.tool, strings.Replace(tc.arguments, "{", `{"ref_id":"`+ref+`",`, 1), &tc.limits)
		if tc.arguments == "{}" {
			got, err = Call(t.Context(), tenant, tc.tool, `{"ref_id":"`+ref+`"}`, nil)
		}
		if diff := cmp.Diff(Answer{tc.text, tc.parts}, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n-want +got\n%s", tc.name, err, diff)
		}
	}
}
