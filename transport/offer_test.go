package transport_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

func TestToolsAreOfferedOnlyWhereTheyCanBeUsed(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}]`
	for name, c := range map[string]struct {
		dialect plimsoll.Dialect
		body    string
		want    bool
	}{
		"beside tools of the client's":          {plimsoll.OpenAI, `{"model":"gpt-4o",` + tools + `,"messages":[{"role":"user","content":"hi"}]}`, true},
		"to a server that may not know tools":   {plimsoll.OpenAI, `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`, false},
		"beside several choices":                {plimsoll.OpenAI, `{"model":"gpt-4o","n":2,` + tools + `,"messages":[{"role":"user","content":"hi"}]}`, false},
		"beside the old form":                   {plimsoll.OpenAI, `{"model":"gpt-4o","functions":[],` + tools + `,"messages":[{"role":"user","content":"hi"}]}`, false},
		"twice":                                 {plimsoll.OpenAI, `{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"tool_output_cache","parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"hi"}]}`, true},
		"to Gemini":                             {plimsoll.Gemini, `{"tools":[{"functionDeclarations":[{"name":"read"}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, true},
		"to Gemini in JSON mode":                {plimsoll.Gemini, `{"generationConfig":{"responseMimeType":"application/json"},"tools":[{"functionDeclarations":[{"name":"read"}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, false},
		"to Gemini for several candidates":      {plimsoll.Gemini, `{"generationConfig":{"candidateCount":2},"tools":[{"functionDeclarations":[{"name":"read"}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, false},
		"beside cached content":                 {plimsoll.Gemini, `{"cachedContent":"c","contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, false},
		"to Responses":                          {plimsoll.Responses, `{"model":"gpt-4o","tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],"input":"hi"}`, true},
		"where the server keeps a conversation": {plimsoll.Responses, `{"model":"gpt-4o","conversation":"conv_1","tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],"input":"hi"}`, false},
	} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
		b.postRaw(path(c.dialect, false), []byte(c.body), nil)
		got := bytes.Contains(b.model.Log()[0].Body, []byte("tool_output_cache_grep")) || name == "twice"
		if got != c.want {
			t.Errorf("%s: offered %v", name, got)
		}
		if n := bytes.Count(b.model.Log()[0].Body, []byte(`"tool_output_cache"`)); n > 1 {
			t.Errorf("%s: declared %d times", name, n)
		}
	}
}

func TestOnceOfferedToolsAreAlwaysOfferedInThatConversation(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: job(16), Window: 24_000}, transport.Options{Store: newStore(t), Window: 24_000})
		b.agent(d, stream).work()
		offered, changes := false, 0
		var tools []string
		for _, x := range b.model.Log() {
			now := has(x.Call.Conversation, "tool_output_cache")
			if now != offered {
				changes++
			}
			if now {
				names := []string{}
				for _, tool := range x.Call.Conversation.Tools.All() {
					names = append(names, tool.Name+tool.Schema)
				}
				tools = append(tools, strings.Join(names, ","))
			}
			offered = now
		}
		if changes != 1 {
			t.Errorf("the list of tools changed %d times, want once", changes)
		}
		for _, list := range tools {
			if list != tools[0] {
				t.Errorf("the tools changed: %s", list)
			}
		}
	})
}

func TestNothingIsOfferedWhereThatIsNotWanted(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 9000, Expand: transport.ExpandOff})
	if got := b.long(plimsoll.OpenAI, 8).ask(); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if has(b.model.Log()[0].Call.Conversation, "tool_output_cache") {
		t.Error("tools were offered")
	}
}

func TestReferencesAreShownOnlyBesideAToolThatReadsThem(t *testing.T) {
	t.Parallel()
	reader := plimsoll.Tool{Name: "mcp__plimsoll__tool_output_cache", Schema: `{"type":"object"}`}
	for name, c := range map[string]struct {
		expand transport.Expand
		tool   bool
		want   string
	}{
		"with our tools":                   {transport.ExpandAuto, false, "ref="},
		"without tools":                    {transport.ExpandOff, false, "archived="},
		"with the tools of our MCP server": {transport.ExpandOff, true, "ref="},
		"with both":                        {transport.ExpandAuto, true, "ref="},
	} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 9000, Expand: c.expand})
		a := b.long(plimsoll.OpenAI, 8)
		if c.tool {
			a.tools = append(a.tools, reader)
		}
		if got := a.ask(); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		body := b.model.Log()[0].Body
		if refs := bytes.Contains(body, []byte("; ref=")); refs != (c.want == "ref=") || !refs && !bytes.Contains(body, []byte("; archived=")) {
			t.Errorf("%s: no %s in\n%s", name, c.want, body)
		}
	}
}
