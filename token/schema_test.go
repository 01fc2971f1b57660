package token

import (
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

func FuzzToolSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"enum":[1,"x",null]}}}}`)
	f.Add(`{"properties":[],"required":7,"anyOf":{"a":1}}`)
	f.Add(strings.Repeat(`{"items":`, 200))
	f.Fuzz(func(t *testing.T, schema string) {
		out := typeScript(plimsoll.Tool{Name: "f", Schema: schema})
		if !strings.HasPrefix(out, "type f = (") || !strings.HasSuffix(out, ") => any;\n\n") {
			t.Errorf("%q is written as %q", schema, out)
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

func TestTheMemoStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	m := newMemo(64)
	for i := range 10_000 {
		key := messageKey(uint64(i), plimsoll.Say(plimsoll.User, "x"), false)
		m.get(key, func() weight { return weight{framing: i} })
	}
	kept := 0
	for i := range m.shards {
		kept += len(m.shards[i].young) + len(m.shards[i].old)
	}
	if kept > 64 {
		t.Errorf("%d entries are kept, want at most 64", kept)
	}
}

func TestTheMemoKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	m := newMemo(64)
	hot := messageKey(0, plimsoll.Say(plimsoll.User, "hot"), false)
	made := 0
	for i := range 1000 {
		m.get(hot, func() weight { made++; return weight{} })
		m.get(messageKey(uint64(i), plimsoll.Say(plimsoll.User, "cold"), false), func() weight { return weight{} })
	}
	if made != 1 {
		t.Errorf("an entry in constant use was made %d times", made)
	}
}
