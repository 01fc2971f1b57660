package rawjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestListHoldsTheSpansOfItsItems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"an array", `[ 1 , "a,b" ,[2, 3],{"x":4} ]`, []string{`1`, `"a,b"`, `[2, 3]`, `{"x":4}`}},
		{"an object", `{ "a" : 1 ,"b\n":[2, 3] , "a":{} }`, []string{`"a" : 1`, `"b\n":[2, 3]`, `"a":{}`}},
		{"an empty array", `[ ]`, nil},
		{"an empty object", `{}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := []byte("  " + test.text + " ")
			s := rawjson.NewScanner(data)
			l := s.List()
			if err := s.End(); err != nil {
				t.Fatal(err)
			}
			if got := string(l.Of(data)); got != test.text {
				t.Errorf("the list spans %q, want %q", got, test.text)
			}
			if diff := cmp.Diff(test.want, texts(data, l.Items)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListOfAnotherValueIsZeroAndSkipsIt(t *testing.T) {
	t.Parallel()
	s := rawjson.NewScanner([]byte(`["no list", 2]`))
	for i := range s.Elements() {
		if l := s.List(); !l.IsZero() || l.Items != nil {
			t.Errorf("element %d: got %v", i, l)
		}
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

func texts(data []byte, spans []rawjson.Span) []string {
	var all []string
	for _, s := range spans {
		all = append(all, string(s.Of(data)))
	}
	return all
}

func TestRearrange(t *testing.T) {
	t.Parallel()
	const list = "[ 1 ,\n 2, 3 ]"
	for _, test := range []struct {
		name, text string
		kept       string
		inserts    map[int]string
		want       string
	}{
		{"changes nothing when all stay", list, "yyy", nil, list},
		{"drops the head and keeps the space before it", list, "nyy", nil, "[ 2, 3 ]"},
		{"drops the middle and its separators", list, "yny", nil, "[ 1,3 ]"},
		{"drops the tail and keeps the space after it", list, "yyn", nil, "[ 1 ,\n 2 ]"},
		{"drops everything", list, "nnn", nil, "[  ]"},
		{"inserts before the first", list, "yyy", map[int]string{0: "a b"}, "[ a,b,1 ,\n 2, 3 ]"},
		{"inserts between two", list, "yyy", map[int]string{1: "a b"}, "[ 1,a,b,2, 3 ]"},
		{"inserts at the end", list, "yyy", map[int]string{3: "a b"}, "[ 1 ,\n 2, 3,a,b ]"},
		{"inserts in place of what goes, in order", list, "ynn", map[int]string{1: "a", 2: "b", 3: "c"}, "[ 1,a,b,c ]"},
		{"replaces everything", list, "nnn", map[int]string{0: "a", 2: "b"}, "[ a,b ]"},
		{"replaces the head", list, "nny", map[int]string{1: "a"}, "[ a,3 ]"},
		{"fills an empty list", "[ ]", "", map[int]string{0: "a b"}, "[ a,b]"},
		{"leaves an empty list", "[ ]", "", nil, "[ ]"},
		{"takes no text for none", list, "yyy", map[int]string{1: ""}, list},
		{"works on members", `{"a":1, "b":2}`, "yn", map[int]string{0: `"c":3`}, `{"c":3,"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := []byte(test.text)
			inserts := map[int][][]byte{}
			for i, words := range test.inserts {
				inserts[i] = bytes.Fields([]byte(words))
			}
			// The lists here hold words that need not be JSON: only spans matter.
			l := rawjson.NewScanner(data).List()
			got, err := rawjson.Splice(data, rawjson.Rearrange(l, keptOf(test.kept), inserts))
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// keptOf reads "y" as an item that stays.
func keptOf(word string) []bool {
	kept := []bool{}
	for _, c := range word {
		kept = append(kept, c == 'y')
	}
	return kept
}

func TestRearrangeRefusesWhatDoesNotFitTheList(t *testing.T) {
	t.Parallel()
	l := rawjson.NewScanner([]byte(`[1,2]`)).List()
	for name, rearrange := range map[string]func(){
		"too few flags":         func() { rawjson.Rearrange(l, []bool{true}, nil) },
		"a text behind the end": func() { rawjson.Rearrange(l, nil, map[int][][]byte{3: nil}) },
		"a text before item -1": func() { rawjson.Rearrange(l, nil, map[int][][]byte{-1: nil}) },
		"a text for no list":    func() { rawjson.Rearrange(rawjson.List{}, nil, map[int][][]byte{0: nil}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			rearrange()
		})
	}
}

func TestRearrangedListsAreJSONAndHoldWhatWasAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.Bool().Draw(t, "object")
		before := rapid.SliceOfN(item(object), 0, 8).Draw(t, "items")
		data := []byte(document(t, object, before))
		s := rawjson.NewScanner(data)
		l := s.List()
		if err := s.End(); err != nil || len(l.Items) != len(before) {
			t.Fatalf("List of %q: %d items, %v", data, len(l.Items), err)
		}
		kept := rapid.SliceOfN(rapid.Bool(), len(before), len(before)).Draw(t, "kept")
		inserts := map[int][][]byte{}
		var want []string
		for i := range len(before) + 1 {
			for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "inserted") {
				text := item(object).Draw(t, "text")
				inserts[i] = append(inserts[i], []byte(text))
				want = append(want, text)
			}
			if i < len(before) && kept[i] {
				want = append(want, before[i])
			}
		}
		edits := rawjson.Rearrange(l, kept, inserts)
		got, err := rawjson.Splice(data, edits)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", data, got)
		}
		if diff := cmp.Diff(want, texts(got, rawjson.NewScanner(got).List().Items)); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", data, got, diff)
		}
		checkUntouched(t, data, got, l, kept, inserts)
	})
}

// checkUntouched compares what stands before the first change and between
// neighbours that stay neighbours.
func checkUntouched(t *rapid.T, data, got []byte, l rawjson.List, kept []bool, inserts map[int][][]byte) {
	same := 0
	for same < len(kept) && kept[same] && inserts[same] == nil {
		same++
	}
	head := l.Start + 1
	if same > 0 {
		head = l.Items[same-1].End
	}
	if !bytes.HasPrefix(got, data[:head]) {
		t.Fatalf("%q became %q: the first %d bytes have changed", data, got, head)
	}
	if same == len(kept) && inserts[same] == nil && !bytes.Equal(data, got) {
		t.Fatalf("%q became %q without a change", data, got)
	}
	for i := 1; i < len(kept); i++ {
		pair := data[l.Items[i-1].Start:l.Items[i].End]
		if kept[i-1] && kept[i] && inserts[i] == nil && !bytes.Contains(got, pair) {
			t.Fatalf("%q became %q: %q is no longer in it", data, got, pair)
		}
	}
}

// item draws an element or a member.
func item(object bool) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		value := rapid.SampledFrom([]string{
			`1`, `"a"`, `"],[,"`, `[ ]`, `[1, [2]]`, `{"a" : {}}`, `null`, `-1.5e3`, `"\"\\"`,
		}).Draw(t, "value")
		if !object {
			return value
		}
		key := rapid.SampledFrom([]string{`"a"`, `"b\"}"`, `""`}).Draw(t, "key")
		return key + blank().Draw(t, "blank") + ":" + blank().Draw(t, "blank") + value
	})
}

func blank() *rapid.Generator[string] { return rapid.SampledFrom([]string{"", "", " ", "\n\t "}) }

// document writes a list with white space of all kinds.
func document(t *rapid.T, object bool, items []string) string {
	brackets := "[]"
	if object {
		brackets = "{}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%c%s", blank().Draw(t, "blank"), brackets[0], blank().Draw(t, "blank"))
	for i, item := range items {
		if i > 0 {
			fmt.Fprintf(&b, "%s,%s", blank().Draw(t, "blank"), blank().Draw(t, "blank"))
		}
		b.WriteString(item)
	}
	fmt.Fprintf(&b, "%s%c", blank().Draw(t, "blank"), brackets[1])
	return b.String()
}
