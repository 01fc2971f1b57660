package dialects_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// declared says how an API declares a function: where the list of them is, what a
// declaration may have, under which of these names its schema is, and what that may have.
type declared struct {
	path, members []string
	schema        string
	known         []string
}

var jsonSchema = strings.Fields(`type format title description enum const default properties required additionalProperties
	items minItems maxItems minLength maxLength pattern minimum maximum anyOf`)

var declarations = map[plimsoll.Dialect]declared{
	plimsoll.OpenAI:    {[]string{"tools", "function"}, []string{"name", "description", "parameters", "strict"}, "parameters", jsonSchema},
	plimsoll.Ollama:    {[]string{"tools", "function"}, []string{"name", "description", "parameters"}, "parameters", jsonSchema},
	plimsoll.Responses: {[]string{"tools"}, []string{"type", "name", "description", "parameters", "strict"}, "parameters", jsonSchema},
	plimsoll.Anthropic: {[]string{"tools"}, []string{"type", "name", "description", "input_schema", "cache_control"}, "input_schema", jsonSchema},
	plimsoll.Converse:  {[]string{"toolConfig", "tools", "toolSpec"}, []string{"name", "description", "inputSchema"}, "inputSchema", append([]string{"json"}, jsonSchema...)},
	plimsoll.Gemini: {[]string{"tools", "functionDeclarations"}, []string{"name", "description", "parameters"}, "parameters", strings.Fields(`type format title
		description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern
		example anyOf propertyOrdering default items minimum maximum`)},
}

func TestTheAddedToolsHaveOnlyMembersThatTheAPIKnows(t *testing.T) {
	t.Parallel()
	for _, dialect := range dialects.All() {
		body, err := wiretest.Rewrite(dialects.Codec(dialect), plimsoll.Conversation{Tools: plimsoll.ListOf(expand.Tools()...)})
		if err != nil {
			t.Fatal(err)
		}
		var root any
		if err := json.Unmarshal(body, &root); err != nil {
			t.Fatal(err)
		}
		want := declarations[dialect]
		found := []any{root}
		for _, key := range want.path {
			found = members(found, key)
		}
		if len(found) != len(expand.Tools()) {
			t.Fatalf("%s: %d declarations in %s", dialect, len(found), body)
		}
		for _, d := range found {
			checkMembers(t, dialect, d, want.members)
			checkSchema(t, dialect, d.(map[string]any)[want.schema], want.known)
		}
	}
}

// members returns the members of objects that have a name. Elements of lists are
// returned one by one.
func members(objects []any, key string) []any {
	var all []any
	for _, o := range objects {
		switch v := o.(map[string]any)[key].(type) {
		case []any:
			all = append(all, v...)
		default:
			all = append(all, v)
		}
	}
	return all
}

func checkMembers(t *testing.T, dialect plimsoll.Dialect, object any, known []string) {
	t.Helper()
	o, ok := object.(map[string]any)
	if !ok {
		t.Errorf("%s: %v is no object", dialect, object)
	}
	for key := range o {
		if !slices.Contains(known, key) {
			t.Errorf("%s: the API does not know %q in %v", dialect, key, o)
		}
	}
}

func checkSchema(t *testing.T, dialect plimsoll.Dialect, schema any, known []string) {
	t.Helper()
	checkMembers(t, dialect, schema, known)
	o, _ := schema.(map[string]any)
	properties, _ := o["properties"].(map[string]any)
	for _, p := range properties {
		checkSchema(t, dialect, p, known)
	}
	if items, ok := o["items"]; ok {
		checkSchema(t, dialect, items, known)
	}
}
