package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// document is as much of OpenAPI as the tests need.
type document struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name   string          `json:"name"`
		In     string          `json:"in"`
		Schema json.RawMessage `json:"schema"`
	} `json:"parameters"`
	Body *struct {
		Content map[string]struct {
			Schema   json.RawMessage `json:"schema"`
			Examples map[string]struct {
				Value json.RawMessage `json:"value"`
			} `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// describe gets the description from the API itself.
func describe(t *testing.T, h http.Handler) document {
	t.Helper()
	var d document
	ask(h, "", http.MethodGet, "openapi.json", "").read(t, &d)
	if d.OpenAPI != "3.1.0" {
		t.Fatalf("version %q", d.OpenAPI)
	}
	return d
}

var reference = regexp.MustCompile(`#/components/schemas/(\w+)`)

// needed adds the schemas that a schema refers to.
func (d document) needed(raw json.RawMessage, found map[string]json.RawMessage) map[string]json.RawMessage {
	for _, name := range reference.FindAllSubmatch(raw, -1) {
		if _, known := found[string(name[1])]; !known {
			found[string(name[1])] = d.Components.Schemas[string(name[1])]
			d.needed(found[string(name[1])], found)
		}
	}
	return found
}

// schema makes a schema of the document usable by itself.
func (d document) schema(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	defs, err := json.Marshal(d.needed(raw, map[string]json.RawMessage{}))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(`{"allOf":[`+string(raw)+`],"$defs":`+string(defs)+`}`, "#/components/schemas/", "#/$defs/")
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// check holds a text against a schema of the document.
func (d document) check(t *testing.T, what string, raw json.RawMessage, text string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := d.schema(t, raw).Validate(value); err != nil {
		t.Errorf("%s: %v in %.2000s", what, err, text)
	}
}

// answer checks what an operation answers.
func (d document) answer(t *testing.T, method, path, what string, got reply) {
	t.Helper()
	key := "default"
	if got.status == http.StatusOK {
		key = "200"
	}
	o := d.Paths[api.Root+path][strings.ToLower(method)]
	d.check(t, method+" "+path+", "+what, o.Responses[key].Content["application/json"].Schema, got.text)
}

func TestTheDescriptionHasEveryOperationWithEveryOption(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	described := map[string][]string{}
	for path, operations := range describe(t, h).Paths {
		for method, o := range operations {
			var names []string
			for _, p := range o.Parameters {
				if p.In == "query" {
					names = append(names, p.Name)
				}
			}
			slices.Sort(names)
			described[strings.ToUpper(method)+" "+path] = names
		}
	}
	served := map[string][]string{}
	for _, o := range api.Operations() {
		names := slices.DeleteFunc(slices.Clone(o.Options), func(name string) bool { return name == "text" || name == "usage" || name == "answer" })
		slices.Sort(names)
		served[o.Method+" "+o.Path] = names
	}
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("the handlers (-) and the description (+) differ:\n%s", diff)
	}
}

func TestTheDescriptionListsEveryDialect(t *testing.T) {
	t.Parallel()
	described := 0
	for _, methods := range describe(t, newHandler(t, nil, nil)).Paths {
		for _, p := range methods["post"].Parameters {
			if p.Name != "dialect" {
				continue
			}
			described++
			for _, d := range dialects.All() {
				if !strings.Contains(string(p.Schema), `"`+string(d)+`"`) {
					t.Errorf("%s: %s is missing in %s", methods["post"].ID, d, p.Schema)
				}
			}
		}
	}
	if described == 0 {
		t.Error("no operation has the option")
	}
}

func TestTheOptionsOfABodyAreThoseOfTheHandler(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	d := describe(t, h)
	for _, o := range api.Operations() {
		body := d.Paths[o.Path][strings.ToLower(o.Method)].Body
		if body == nil {
			if o.Method == http.MethodPost {
				t.Errorf("%s has no body", o.Path)
			}
			continue
		}
		var schema struct {
			AnyOf []struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"anyOf"`
		}
		if err := json.Unmarshal(body.Content["application/json"].Schema, &schema); err != nil {
			t.Fatal(err)
		}
		got := slices.Sorted(maps.Keys(schema.AnyOf[1].Properties))
		if diff := cmp.Diff(slices.Sorted(slices.Values(append(slices.Clone(o.Options), "request"))), got); diff != "" {
			t.Errorf("%s: %s", o.Path, diff)
		}
	}
}

func TestEveryExampleIsAnsweredAsDescribed(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	d := describe(t, h)
	posted := 0
	for path, operations := range d.Paths {
		o, ok := operations["post"]
		if !ok {
			continue
		}
		content := o.Body.Content["application/json"]
		for name, example := range content.Examples {
			d.check(t, path+", example "+name, content.Schema, string(example.Value))
			got := post(h, strings.TrimPrefix(path, api.Root), string(example.Value))
			if got.status != http.StatusOK {
				t.Errorf("%s, example %s: %d %s", path, name, got.status, got.text)
			}
			d.answer(t, http.MethodPost, strings.TrimPrefix(path, api.Root), name, got)
			posted++
		}
	}
	if posted < 10 {
		t.Errorf("only %d examples", posted)
	}
}

// TestAnswersToARealSessionAreAsDescribed goes where examples cannot: references,
// accounts and undoing need what came before.
func TestAnswersToARealSessionAreAsDescribed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	h := newHandler(t, s, nil)
	d := describe(t, h)
	body := string(examples.Harbour())
	for _, path := range []string{"count", "plan?window=9000", "fit?window=9000", "trim?max=4000", "prune?max=4000", "compact?force=true", "compact?force=true&dry_run=true"} {
		got := post(h, path, body)
		name, _, _ := strings.Cut(path, "?")
		d.answer(t, http.MethodPost, name, path, got)
	}
	made := post(h, "compact?force=true", body)
	var compacted edited[struct {
		Refs []string `json:"refs"`
	}]
	made.read(t, &compacted)
	ref := compacted.Report.Refs[0]
	d.answer(t, http.MethodGet, "refs/{id}", "read", ask(h, "", http.MethodGet, "refs/"+ref, ""))
	d.answer(t, http.MethodGet, "refs/{id}", "a part of a line", ask(h, "", http.MethodGet, "refs/"+ref+"?char_offset=5&char_limit=20", ""))
	d.answer(t, http.MethodGet, "refs/{id}/grep", "found", ask(h, "", http.MethodGet, "refs/"+ref+"/grep?pattern=berth&ignore_case=true", ""))
	d.answer(t, http.MethodPost, "undo", "undone", post(h, "undo?ref="+ref, string(compacted.Request)))
	if err := s.Tenant("").AddAccount(t.Context(), account.Account{Conversation: "c", Model: "gpt-4o", Requests: 1}); err != nil {
		t.Fatal(err)
	}
	accounts := ask(h, "", http.MethodGet, "accounts?limit=5", "")
	if !strings.Contains(accounts.text, `"conversation":"c"`) {
		t.Error(accounts.text)
	}
	d.answer(t, http.MethodGet, "accounts", "listed", accounts)
	d.answer(t, http.MethodGet, "accounts/total", "summed", ask(h, "", http.MethodGet, "accounts/total", ""))
	for _, got := range []reply{post(h, "fit?window=20&reserve=0", body), post(h, "fit", "{")} {
		if got.status == http.StatusOK {
			t.Error(got.text)
		}
		d.answer(t, http.MethodPost, "fit", "refused", got)
	}
}

func TestAnAnswerThatIsNotDescribedIsNoticed(t *testing.T) {
	t.Parallel()
	d := describe(t, newHandler(t, nil, nil))
	schema := d.schema(t, d.Components.Schemas["Content"])
	for text, valid := range map[string]bool{
		`{"id":"a","byte_size":1,"line_count":1,"text":""}`:             true,
		`{"id":"a","byte_size":1,"line_count":1}`:                       false,
		`{"id":"a","byte_size":1,"line_count":1,"text":"","more":true}`: false,
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
}
