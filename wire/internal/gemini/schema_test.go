package gemini_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestAnAddedToolHasOnlyMembersOfTheAPIsSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, want string }{
		{"all known", `{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"]}`},
		{"at the root", `{"$schema":"x","type":"object","additionalProperties":false}`, `{"type":"object"}`},
		{"in properties", `{"properties":{"const":{"const":1,"type":"integer"},"b":{"$ref":"#"}}}`, `{"properties":{"const":{"type":"integer"},"b":{}}}`},
		{"in items", `{"type":"array","items":{"uniqueItems":true,"items":{"not":{},"enum":["a"]}}}`, `{"type":"array","items":{"items":{"enum":["a"]}}}`},
		{"in anyOf", `{"anyOf":[{"const":1},{"type":"string","const":"x"}]}`, `{"anyOf":[{},{"type":"string"}]}`},
		{"inside of values it stays", `{"default":{"additionalProperties":1},"example":[{"const":1}]}`, `{"default":{"additionalProperties":1},"example":[{"const":1}]}`},
		{"a schema that is no object", `{"items":true,"properties":{"\u0061":false}}`, `{"items":{},"properties":{"a":{}}}`},
		{"nothing is left", `{"$ref":"#"}`, `{}`},
	} {
		got := edited(t, `{"contents":[]}`, func(d *plimsoll.Draft) error {
			d.AddTool(plimsoll.Tool{Name: "f", Schema: tt.schema}, because)
			return nil
		})
		if want := `{"name":"f","parameters":` + tt.want + `}`; !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
	}
}
