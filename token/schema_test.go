package token

import (
	"encoding/json"
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
		{"a tool without parameters", plimsoll.Tool{Name: "now"}, "type now = () => any;"},
		{"an object without members", plimsoll.Tool{Name: "now", Schema: `{"type":"object","properties":{}}`}, "type now = () => any;"},
		{
			"an object of which nothing is said is one line",
			plimsoll.Tool{Name: "add", Schema: `{"properties":{"a":{"type":"number"},"b":{"type":"integer"},"all":{"type":"array","items":{"type":"string"}}},"required":["a"]}`},
			"type add = (_: { a: number, b?: number, all?: string[] }) => any;",
		},
		{
			"comments, options, enumerations and defaults",
			plimsoll.Tool{Name: "weather", Description: "\n  Weather at a place.\n\n    Today only.\n", Schema: `{
				"type":"object","required":["place"],"properties":{
				"place":{"type":"string","description":"City"},
				"unit":{"type":"string","enum":["C","\u00b0F"],"default":"C"}}}`},
			"// Weather at a place.\n//\n// Today only.\ntype weather = (_: {\n// City\nplace: string,\nunit?: \"C\" | \"°F\", // default: \"C\"\n}) => any;",
		},
		{
			"titles and limits are comments of their own",
			plimsoll.Tool{Name: "rest", Schema: `{"$schema":"x","additionalProperties":false,"title":"Args","description":"All of them","properties":{
				"n":{"type":"integer","maximum":9,"minimum": 1, "title":"N","default":{"a":1}},"s":{"type":"string","format":"date"},"pair":{"items":[{"type":"string"}]}}}`},
			"type rest = (_: // Args\n// All of them\n{\n// N\n// minimum: 1\n// maximum: 9\nn?: number, // default: {\"a\": 1}\n// format: date\ns?: string,\npair?: any,\n}) => any;",
		},
		{
			"arrays, objects and alternatives nest",
			plimsoll.Tool{Name: "edit", Schema: `{"type":"object","properties":{
				"files":{"type":"array","items":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}},
				"mode":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"any":{"type":"array","items":{"enum":[1,2]}},"rest":{},"o":{"type":"object"},"l":{"type":"array"}}}`},
			"type edit = (_: { files?: { path: string }[], mode?: string | boolean, any?: Array<1 | 2>, rest?: any, o?: object, l?: any[] }) => any;",
		},
		{
			"an element with a comment has lines of its own",
			plimsoll.Tool{Name: "say", Schema: `{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"string","description":"Word"}}]}}}`},
			"type say = (_: {\na?: null | Array<\n// Word\nstring\n>,\n}) => any;",
		},
		{
			"a list of types is a choice that repeats the description",
			plimsoll.Tool{Name: "opt", Schema: `{"properties":{"a":{"type":["string","null"],"description":"Maybe"},"b":{"type":["integer","null"]}}}`},
			"type opt = (_: {\n// Maybe\na?: \n// Maybe\nstring\n| // Maybe\nnull,\nb?: number | null,\n}) => any;",
		},
		{
			"a list of types has limits only where it is not null",
			plimsoll.Tool{Name: "age", Schema: `{"properties":{"age":{"type":["integer","null"],"format":"uint8","minimum":0,"maximum":255}}}`},
			"type age = (_: {\nage?: \n// minimum: 0\n// maximum: 255\nnumber\n| null,\n}) => any;",
		},
		{
			"the format of a number is not shown",
			plimsoll.Tool{Name: "is", Schema: `{"properties":{"a":{"type":"number","format":"double"},"b":{"type":"integer","format":"int32"}}}`},
			"type is = (_: { a?: number, b?: number }) => any;",
		},
		{
			"a list of objects with choices is a list like others",
			plimsoll.Tool{Name: "rate", Schema: `{"properties":{"all":{"type":"array","items":{"type":"object","properties":{"how":{"enum":["good","bad"]}}}}}}`},
			"type rate = (_: { all?: { how?: \"good\" | \"bad\" }[] }) => any;",
		},
		{
			"a reference is what it stands for, but never in a circle",
			plimsoll.Tool{Name: "walk", Schema: `{"properties":{"root":{"$ref":"#/$defs/Node"},"own":{"$ref":"#/$defs/Node","description":"Mine"},"far":{"$ref":"other.json"}},
				"$defs":{"Node":{"title":"Node","description":"A node","properties":{"next":{"$ref":"#/$defs/Node"}}}}}`},
			"type walk = (_: {\n// Node\n// A node\nroot?: { next?: any },\n// Node\n// Mine\nown?: { next?: any },\nfar?: any,\n}) => any;",
		},
		{
			"a definition inside another one is found, and one that nothing refers to is not shown",
			plimsoll.Tool{Name: "nest", Schema: `{"properties":{"a":{"$ref":"#/$defs/Out/$defs/In"}},"$defs":{"Out":{"type":"null","$defs":{"In":{"type":"integer"}}}}}`},
			"type nest = (_: { a?: number }) => any;",
		},
		{
			"all that must hold is joined, and one of it is that one",
			plimsoll.Tool{Name: "join", Schema: `{"properties":{"one":{"allOf":[{"const":"a"}],"default":"a"},"two":{"allOf":[{"type":"string"},{"type":"object","properties":{"b":{"type":"null"}}}]}}}`},
			"type join = (_: {\none?: \"a\", // default: \"a\"\ntwo?: string & { b?: null },\n}) => any;",
		},
		{"a schema that is no JSON stays as it is", plimsoll.Tool{Name: "odd", Schema: `{"type":`}, "type odd = ({\"type\":) => any;"},
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

func TestNoSchemaUnfoldsWithoutEnd(t *testing.T) {
	t.Parallel()
	var definitions, uses strings.Builder
	for i := range 40 {
		fmt.Fprintf(&definitions, `"D%d":{"properties":{"a":{"$ref":"#/$defs/D%d"},"b":{"$ref":"#/$defs/D%d"}}},`, i, i+1, i+1)
	}
	for i := range 400 {
		fmt.Fprintf(&uses, `"p%d":{"$ref":"#/$defs/Long"},`, i)
	}
	long := strings.Repeat("word ", 2000)
	for name, schema := range map[string]string{
		"definitions that use each other": `{"$ref":"#/$defs/D0","$defs":{` + strings.TrimSuffix(definitions.String(), ",") + `}}`,
		"a description for each of many types": `{"properties":{"a":{"description":"` + long + `","type":[` +
			strings.TrimSuffix(strings.Repeat(`"string",`, 1000), ",") + `]}}}`,
		"a long definition that is used often": `{"properties":{` + strings.TrimSuffix(uses.String(), ",") +
			`},"$defs":{"Long":{"type":"string","description":"` + long + `","default":"` + long + `","enum":["` + long + `"],"pattern":"` + long + `"}}}`,
		"unions in unions": `{"properties":{"a":` + strings.Repeat(`{"anyOf":[{"type":"null","description":"none"},`, 30) + `{}` + strings.Repeat(`]}`, 30) + `}}`,
	} {
		if got := len(typeScript(plimsoll.Tool{Name: "bomb", Schema: schema})); got > 10*len(schema) {
			t.Errorf("%s: %d bytes are written in %d", name, len(schema), got)
		}
	}
}

func FuzzToolSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"enum":[1,"x",null]}}}}`)
	f.Add(`{"properties":[],"required":7,"anyOf":{"a":1}}`)
	f.Add(strings.Repeat(`{"items":`, 200))
	f.Add(`{"$ref":"#/$defs/A","$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"},{"const":1}],"additionalProperties":{"$ref":"#"}}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		out := typeScript(plimsoll.Tool{Name: "f", Schema: schema})
		if !strings.HasPrefix(out, "type f = (") || !strings.HasSuffix(out, ") => any;") {
			t.Errorf("%q is written as %q", schema, out)
		}
		if len(out) > 64+32*len(schema) {
			t.Errorf("%q unfolds to %d bytes", schema, len(out))
		}
	})
}

func TestTheFormOfAnAnswerIsShownWithoutWhatOnlyValidatorsRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{
			"requirements and limits", `{"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": {"type": "string", "minLength": 2, "title": "A"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","title":"A"}}}`,
		},
		{
			"a property may have the name of a limit", `{"properties":{"format":{"type":"string"},"required":{"enum":["a", 1, null]}}}`,
			`{"properties":{"format":{"type":"string"},"required":{"enum":["a",1,null]}}}`,
		},
		{"what is no JSON", `{"type":`, `{"type":`},
		{"lists and empty ones", `{"anyOf":[{}, {"a":[]}], "required":[]}`, `{"anyOf":[{},{"a":[]}]}`},
	} {
		if got := outputSchema(tt.in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func FuzzOutputSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"required":{"type":"string","format":"date"}}}`)
	f.Add(`[{"a":1},2,"\ud800"]`)
	f.Fuzz(func(t *testing.T, s string) {
		if out := outputSchema(s); json.Valid([]byte(s)) && !json.Valid([]byte(out)) {
			t.Errorf("%q became %q", s, out)
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
		{"42", `"42"`},
		{"true", `"true"`},
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
