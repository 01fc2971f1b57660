package token

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

func TestToolsAreWrittenAsTypeScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tool plimsoll.Tool
		want string
	}{
		{"a tool without parameters", plimsoll.Tool{Name: "now"}, "type now = () => any;\n\n"},
		{
			"comments, options, enumerations and defaults",
			plimsoll.Tool{Name: "weather", Description: "Weather at a place.\nToday only.", Schema: `{
				"type":"object","required":["place"],"properties":{
				"place":{"type":"string","description":"City"},
				"unit":{"type":"string","enum":["C","F"],"default":"C"},
				"days":{"type":["integer","null"]}}}`},
			"// Weather at a place.\n// Today only.\ntype weather = (_: {\n// City\nplace: string,\nunit?: \"C\" | \"F\", // default: \"C\"\ndays?: number | null,\n}) => any;\n\n",
		},
		{
			"arrays, objects and alternatives nest",
			plimsoll.Tool{Name: "edit", Schema: `{"type":"object","properties":{
				"files":{"type":"array","items":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}},
				"mode":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"rest":{}}}`},
			"type edit = (_: {\nfiles?: {\npath: string,\n}[],\nmode?: string | boolean,\nrest?: any,\n}) => any;\n\n",
		},
		{
			"references are followed, but never in a circle",
			plimsoll.Tool{Name: "walk", Schema: `{"properties":{"root":{"$ref":"#/$defs/Node"},"far":{"$ref":"other.json"}},
				"$defs":{"Node":{"description":"A node","properties":{"next":{"$ref":"#/$defs/Node"}}}}}`},
			"type walk = (_: {\nroot?: // A node\n{\nnext?: #/$defs/Node,\n},\nfar?: other.json,\n}) => any;\n\n",
		},
		{
			"a definition that nothing refers to is written once",
			plimsoll.Tool{Name: "idle", Schema: `{"definitions":{"Spare":{"type":"string","description":"Unused"}}}`},
			"type idle = (// Unused\nstring) => any;\n\n",
		},
		{
			"all that must hold is joined, constants are enumerations of one",
			plimsoll.Tool{Name: "join", Schema: `{"allOf":[{"properties":{"kind":{"const":"a"}},"required":["kind"]},
				{"additionalProperties":{"type":"integer"}}]}`},
			"type join = (_: {\nkind: \"a\",\n} & {\n[key: string]: number,\n}) => any;\n\n",
		},
		{
			"what has no place in a type stays JSON, what only validators read is left out",
			plimsoll.Tool{Name: "rest", Schema: `{"$schema":"x","additionalProperties":false,"properties":{
				"n":{"type":"integer","minimum": 1, "title":"N","default":2},"pair":{"items":[{"type":"string"}]}}}`},
			"type rest = (_: {\nn?: number, // default: 2 // \"minimum\":1,\"title\":\"N\"\npair?: any, // \"items\":[{\"type\":\"string\"}]\n}) => any;\n\n",
		},
		{
			"alternatives and elements keep their descriptions",
			plimsoll.Tool{Name: "say", Schema: `{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"string","description":"Word"}}]}}}`},
			"type say = (_: {\na?: null | // Word\nstring[],\n}) => any;\n\n",
		},
		{
			"a definition inside another one is found",
			plimsoll.Tool{Name: "nest", Schema: `{"properties":{"a":{"$ref":"#/$defs/Out/$defs/In"}},"$defs":{"Out":{"type":"null","$defs":{"In":{"type":"integer"}}}}}`},
			"type nest = (_: {\na?: number,\n}null) => any;\n\n",
		},
		{"a schema that is no JSON stays as it is", plimsoll.Tool{Name: "odd", Schema: `{"type":`}, "type odd = ({\"type\":) => any;\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, typeScript(tt.tool)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAToolWithReferencesWeighsItsFields(t *testing.T) {
	t.Parallel()
	var fields strings.Builder
	for i := range 100 {
		fmt.Fprintf(&fields, `"field_%d":{"type":"string","description":"What the master wrote in column %d of the log book"},`, i, i)
	}
	schema := `{"$defs":{"Entry":{"type":"object","properties":{` + strings.TrimSuffix(fields.String(), ",") +
		`}}},"type":"object","properties":{"entry":{"$ref":"#/$defs/Entry"}}}`
	c := plimsoll.Conversation{
		Dialect: plimsoll.OpenAI, Model: "gpt-4o",
		Tools: plimsoll.ListOf(plimsoll.Tool{Name: "log", Schema: schema}),
	}
	if got := NewMeter(nil).Weigh(c).Tools; got < 1500 || got > 3000 {
		t.Errorf("a hundred described fields weigh %d tokens, want about 2,000", got)
	}
}

func TestDefinitionsThatUseEachOtherDoNotUnfoldWithoutEnd(t *testing.T) {
	t.Parallel()
	var defs strings.Builder
	for i := range 40 {
		fmt.Fprintf(&defs, `"D%d":{"properties":{"a":{"$ref":"#/$defs/D%d"},"b":{"$ref":"#/$defs/D%d"}}},`, i, i+1, i+1)
	}
	schema := `{"$ref":"#/$defs/D0","$defs":{` + strings.TrimSuffix(defs.String(), ",") + `}}`
	if got := len(typeScript(plimsoll.Tool{Name: "bomb", Schema: schema})); got > 10*len(schema) {
		t.Errorf("a schema of %d bytes is written in %d", len(schema), got)
	}
}

func FuzzToolSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"enum":[1,"x",null]}}}}`)
	f.Add(`{"properties":[],"required":7,"anyOf":{"a":1}}`)
	f.Add(strings.Repeat(`{"items":`, 200))
	f.Add(`{"$ref":"#/$defs/A","$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"},{"const":1}],"additionalProperties":{"$ref":"#"}}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		out := typeScript(plimsoll.Tool{Name: "f", Schema: schema})
		if !strings.HasPrefix(out, "type f = (") || !strings.HasSuffix(out, ") => any;\n\n") {
			t.Errorf("%q is written as %q", schema, out)
		}
		if len(out) > 64+32*len(schema) {
			t.Errorf("%q unfolds to %d bytes", schema, len(out))
		}
	})
}

func TestListElement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`{"a":[1,2.50],"b":"x, y: z"}`, `{"a": [1, 2.50], "b": "x, y: z"}`},
		{"{\n \"k\" : \"日\\\"\\u00e9\"\n}", `{"k": "\u65e5\"\u00e9"}`},
		{"plain \"text\"\n\t\\", `"plain \"text\"\n\t\\"`},
		{"📶\x01", "\"\\ud83d\\udcf6\\u0001\""},
		{"", `""`},
		{"42", "42"},
	} {
		if got := listElement(tt.in); got != tt.want {
			t.Errorf("listElement(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzListElement(f *testing.F) {
	f.Add(`{"a": [1, {"b": "é"}]}`)
	f.Add("text \xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := listElement(s)
		for i := range len(out) {
			if out[i] >= 0x80 {
				t.Fatalf("listElement(%q) = %q is not ASCII", s, out)
			}
		}
	})
}
