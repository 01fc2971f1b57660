package expand

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

func TestArgumentsAreReadAsModelsWriteThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       Read
	}{
		{"as they should be", `{"ref_id":"r","offset":3,"limit":5}`, Read{Ref: "r", Offset: 3, Limit: 5}},
		{"numbers as texts", `{"ref_id":"r","offset":"3","limit":5.0}`, Read{Ref: "r", Offset: 3, Limit: 5}},
		{"nulls", `{"ref_id":"r","offset":null,"char_offset":null}`, Read{Ref: "r"}},
		{"the mark of the placeholder", `{"ref_id":" ref=r "}`, Read{Ref: "r"}},
		{"its other mark", `{"ref_id":"archived=r"}`, Read{Ref: "r"}},
		{"a huge number", `{"ref_id":"r","offset":1e300}`, Read{Ref: "r", Offset: 1 << 53}},
		{"a part of a line", `{"ref_id":"r","char_offset":0}`, Read{Ref: "r", InLine: true}},
	} {
		got, err := parseRead(tc.text)
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n-want +got\n%s", tc.name, err, diff)
		}
	}
	got, err := parseGrep(`{"ref_id":"r","pattern":"p","regex":"true","ignore_case":true,"before":1,"after":2,"max_matches":3,"offset":4}`)
	want := Grep{Ref: "r", Pattern: "p", Regex: true, IgnoreCase: true, Before: 1, After: 2, MaxMatches: 3, Offset: 4}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n-want +got\n%s", err, diff)
	}
}

func TestArgumentsThatAreWrongGetTheSchema(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", ``, "ref_id is missing"},
		{"no object", `[1]`, "want a JSON object"},
		{"broken", `{"ref_id":`, "want a JSON object: jsontext: unexpected EOF"},
		{"twice", `{"ref_id":"a","ref_id":"b"}`, `duplicate object member name "ref_id"`},
		{"another case", `{"REF_ID":"a"}`, "ref_id is missing"},
		{"an unknown one", `{"ref_id":"a","line":1}`, `there is no argument "line"`},
		{"a number for a text", `{"ref_id":5}`, "ref_id: want a text, and it is 5"},
		{"a negative number", `{"ref_id":"a","offset":-1}`, "offset: want a whole number from 0 on, and it is -1"},
		{"no lines", `{"ref_id":"a","limit":0}`, "limit: want a whole number from 1 on, and it is 0"},
		{"half a line", `{"ref_id":"a","limit":1.5}`, "limit: want a whole number from 1 on, and it is 1.5"},
		{"no number", `{"ref_id":"a","limit":"NaN"}`, "limit: want a whole number"},
	} {
		_, err := parseRead(tc.text)
		if !errors.Is(err, errArguments) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
		if told := Explain(err); !strings.Contains(told, tc.want) || !strings.Contains(told, `schema: {"type":"object"`) {
			t.Errorf("%s: the model reads %q", tc.name, told)
		}
	}
	if _, err := parseGrep(`{"ref_id":"a"}`); err == nil || !strings.Contains(err.Error(), "pattern is missing") {
		t.Errorf("%v", err)
	}
}

func FuzzArgumentsAreReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		`{"ref_id":"r","offset":3,"limit":5}`, `{"ref_id":"r","pattern":"p","regex":true}`, `{"ref_id":null}`, `{"offset":"1e2","ref_id":"ref:x"}`,
		`{"ref_id":"\ud800"}`, `[]`, `{"a":{"a":[]}}`, `{"ref_id":"r","char_offset":-0}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRead(text)
		if err == nil && (r.Ref == "" || r.Offset < 0 || r.Limit < 0 || r.CharOffset < 0 || r.CharLimit < 0) {
			t.Errorf("%q became %+v", text, r)
		}
		if err != nil && !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
		if g, err := parseGrep(text); err == nil && (g.Ref == "" || g.Before < 0 || g.After < 0 || g.MaxMatches < 0 || g.Offset < 0) {
			t.Errorf("%q became %+v", text, g)
		}
	})
}

func TestToolsDeclareEveryArgumentThatIsUnderstood(t *testing.T) {
	t.Parallel()
	values := map[string]string{"string": `"x"`, "integer": "1", "boolean": "true"}
	for i, tool := range Tools() {
		var schema struct {
			Properties           map[string]struct{ Type, Description string }
			Required             []string
			AdditionalProperties bool
		}
		if err := json.Unmarshal([]byte(tool.Schema), &schema); err != nil {
			t.Fatal(err)
		}
		var members []string
		for name, p := range schema.Properties {
			members = append(members, `"`+name+`":`+values[p.Type])
		}
		text := "{" + strings.Join(members, ",") + "}"
		var err error
		if i == 0 {
			_, err = parseRead(text)
		} else {
			_, err = parseGrep(text)
		}
		if err != nil || schema.AdditionalProperties {
			t.Errorf("%s: %s: %v", tool.Name, text, err)
		}
	}
}
