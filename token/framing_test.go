package token_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// Bills of OpenAI, Anthropic and Google in recorded traffic are the source of the figures here;
// docs/decisions/003-openai-framing.md has the rules.

const (
	toolText  = "# Tools\n\n## functions\n\nnamespace functions {\n\n// Adds\ntype add = (_: { a: number }) => any;\n\n} // namespace functions"
	nakedText = "# Tools\n\n## functions\n\nnamespace functions {\n\ntype add = (_: { a: number }) => any;\n\n} // namespace functions"
)

func addTool(description string) plimsoll.List[plimsoll.Tool] {
	return plimsoll.ListOf(plimsoll.Tool{
		Name: "add", Description: description, Schema: `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`,
	})
}

func TestToolsWeighWhatOpenAIBills(t *testing.T) {
	t.Parallel()
	n := named(t, "o200k_base").Count
	hi := say(plimsoll.User, "hi")
	for _, tt := range []struct {
		name, model, description, choice string
		dialect                          plimsoll.Dialect
		messages                         []plimsoll.Message
		want                             int
	}{
		{"Chat without instructions", "gpt-4.1", "Adds", "", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 3},
		{
			"Chat joins them to instructions that end in a word", "gpt-4o", "Adds", "auto", plimsoll.OpenAI,
			[]plimsoll.Message{say(plimsoll.System, "Be brief"), hi},
			n("Be brief\n\n"+toolText) - n("Be brief") - 1,
		},
		{
			"Chat joins them to instructions that end in a stop", "gpt-4o", "Adds", "auto", plimsoll.OpenAI,
			[]plimsoll.Message{say(plimsoll.Developer, "Be brief."), hi},
			n("Be brief.\n\n"+toolText) - n("Be brief.") - 1,
		},
		{"Chat with a tool that must be called", "gpt-4o", "Adds", "add", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 3 + 6 + n("functions.add")},
		{"Chat with tools that must not be called", "gpt-4o", "Adds", "none", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 3 + 1},
		{"Chat of GPT-5", "gpt-5-mini", "Adds", "add", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 85},
		{
			"Chat of GPT-5 with instructions", "gpt-5.4", "Adds", "", plimsoll.OpenAI,
			[]plimsoll.Message{say(plimsoll.System, "Be brief."), hi},
			n("Be brief.\n\n"+toolText) - n("Be brief.") + 84,
		},
		{"Chat of GPT-5 with a tool that has no description", "gpt-5", "", "", plimsoll.OpenAI, []plimsoll.Message{hi}, n(nakedText) + 84},
		{"Chat of GPT-5 at a gateway", "openai/gpt-5-mini", "Adds", "", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 3},
		{"Chat of o4-mini", "o4-mini", "Adds", "", plimsoll.OpenAI, []plimsoll.Message{hi}, n(toolText) + 4},
		{"Responses", "gpt-4o", "Adds", "auto", plimsoll.Responses, []plimsoll.Message{hi}, n(toolText) - 3},
		{"Responses with the only tool required", "gpt-4o", "Adds", "required", plimsoll.Responses, []plimsoll.Message{hi}, n(toolText) - 3 + 6 + n("functions.add")},
		{"Responses of GPT-5", "gpt-5", "Adds", "required", plimsoll.Responses, []plimsoll.Message{hi}, n(toolText) + 3},
		{"Responses of GPT-5 with a tool that has no description", "gpt-5", "", "", plimsoll.Responses, []plimsoll.Message{hi}, n(nakedText) + 2},
		{"Responses of o4-mini", "o4-mini", "Adds", "", plimsoll.Responses, []plimsoll.Message{hi}, n(toolText)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chat(tt.model, tt.messages...)
			c.Dialect, c.Choice, c.Tools = tt.dialect, tt.choice, addTool(tt.description)
			load := token.NewMeter(nil).Weigh(c)
			if load.Tools != tt.want {
				t.Errorf("the tools weigh %d, want %d", load.Tools, tt.want)
			}
			if load.Exact || load.Band > 6 {
				t.Errorf("exact %v, band %d; want a band of a few tokens", load.Exact, load.Band)
			}
		})
	}
}

func TestTheFormOfAnAnswerWeighsWhatOpenAIBills(t *testing.T) {
	t.Parallel()
	n := named(t, "o200k_base").Count
	form := plimsoll.Tool{Name: "City", Description: "A city", Schema: `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`}
	text := n("# Response Formats\n\n## City\n\n// A city\n" + `{"type":"object","properties":{"name":{"type":"string"}}}`)
	hi := say(plimsoll.User, "hi")
	for _, tt := range []struct {
		name, model string
		dialect     plimsoll.Dialect
		tools       bool
		messages    []plimsoll.Message
		want        int
	}{
		{"Chat with a name of one token", "gpt-4o", plimsoll.OpenAI, false, []plimsoll.Message{hi}, 3 + text + 7},
		{"Chat of gpt-4.1, whatever the name", "gpt-4.1", plimsoll.OpenAI, false, []plimsoll.Message{hi}, 3 + text + 8},
		{"Chat with instructions", "gpt-4o", plimsoll.OpenAI, false, []plimsoll.Message{say(plimsoll.System, "Be brief"), hi}, 3 + text + 4},
		{"Chat with instructions that end in a stop", "gpt-4o", plimsoll.OpenAI, false, []plimsoll.Message{say(plimsoll.System, "Be brief."), hi}, 3 + text + 3},
		{"Chat with tools", "gpt-4o", plimsoll.OpenAI, true, []plimsoll.Message{hi}, 3 + text + 1},
		{"Chat after an answer in the form", "gpt-4o", plimsoll.OpenAI, false, []plimsoll.Message{hi, say(plimsoll.Assistant, "{}"), hi}, 3 + text + 7 + 3},
		{"Chat of GPT-5", "gpt-5", plimsoll.OpenAI, false, []plimsoll.Message{hi}, 2 + text + 4},
		{"Responses", "gpt-4o", plimsoll.Responses, false, []plimsoll.Message{hi}, 3 + text + 1},
		{"Responses of GPT-5", "gpt-5", plimsoll.Responses, false, []plimsoll.Message{hi}, 2 + text},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chat(tt.model, tt.messages...)
			c.Dialect, c.Output = tt.dialect, form
			if tt.tools {
				c.Tools = addTool("Adds")
			}
			if got := token.NewMeter(nil).Weigh(c).Framing; got != tt.want {
				t.Errorf("the framing weighs %d, want %d", got, tt.want)
			}
		})
	}
}

func TestAnOptionalMemberOfAnAnswerWeighsThreeMore(t *testing.T) {
	t.Parallel()
	weigh := func(schema string) int {
		c := chat("gpt-4o", say(plimsoll.User, "hi"))
		c.Output = plimsoll.Tool{Name: "a", Schema: schema}
		return token.NewMeter(nil).Weigh(c).Total
	}
	n := named(t, "o200k_base").Count
	one, two := `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`
	if got, want := weigh(one)-weigh(two), 3+n(one)-n(two); got != want {
		t.Errorf("the difference is %d, want %d", got, want)
	}
}

func TestCallsWeighByAPIAndFamily(t *testing.T) {
	t.Parallel()
	n := named(t, "o200k_base").Count
	words := n("functions.add") + n("add") + n(`{"a":1}`) + 4 + 4 + n("2")
	for _, tt := range []struct {
		name, model, status string
		dialect             plimsoll.Dialect
		want                int
	}{
		{"Chat", "gpt-4o", "", plimsoll.OpenAI, words + 4},
		{"Chat of GPT-5", "gpt-5-nano", "", plimsoll.OpenAI, words + 10},
		{"Chat of o3-mini", "o3-mini", "", plimsoll.OpenAI, words + 4},
		{"Chat of o4-mini", "o4-mini", "", plimsoll.OpenAI, words + 10},
		{"Responses of o4-mini", "o4-mini", "", plimsoll.Responses, words + 8},
		{"Responses", "gpt-4.1", "", plimsoll.Responses, words + 2},
		{"Responses with a status", "gpt-4.1", "completed", plimsoll.Responses, words + 5},
		{"Responses of GPT-5", "gpt-5", "completed", plimsoll.Responses, words + 8},
		{"Responses since GPT-5.4", "gpt-5.4", "", plimsoll.Responses, words + 11},
	} {
		c := chat(tt.model,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "add", Arguments: `{"a": 1}`, Status: tt.status}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "2"})}))
		c.Dialect = tt.dialect
		if load := token.NewMeter(nil).Weigh(c); load.Total-load.Framing != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, load.Total-load.Framing, tt.want)
		}
	}
}

func TestAnAnswerOfGPT5HasAChannel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{"gpt-4o": 4 + 1 + 3, "gpt-5": 4 + 1 + 2 + 2, "o3": 4 + 1 + 2 + 2, "o3-mini": 4 + 1 + 2} {
		if got := token.NewMeter(nil).Weigh(chat(model, say(plimsoll.Assistant, "hi"))).Total; got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
}

func TestEmptyInstructionsWeighNothing(t *testing.T) {
	t.Parallel()
	c := chat("gpt-4o", say(plimsoll.User, "hi"))
	c.Dialect = plimsoll.Responses
	want := token.NewMeter(nil).Weigh(c).Total
	c.System = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{})
	if got := token.NewMeter(nil).Weigh(c).Total; got != want {
		t.Errorf("%d with empty instructions, %d without", got, want)
	}
}

func TestReasoningBeforeTheLastQuestionWeighsNothingWhereItIsForgotten(t *testing.T) {
	t.Parallel()
	thought := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "a summary", Signature: strings.Repeat("x", 970+600)})
	question := say(plimsoll.User, "and now?")
	for _, tt := range []struct {
		model      string
		dialect    plimsoll.Dialect
		old, fresh int
	}{
		{"gpt-5", plimsoll.Responses, 0, 4 + 100},
		{"claude-sonnet-4-5", plimsoll.Anthropic, 0, 3 + 3},
		{"claude-opus-4-5", plimsoll.Anthropic, 3 + 3, 3 + 3},
		{"qwen3-32b", plimsoll.OpenAI, 0, 4 + 2},
		{"a-model-of-mine", plimsoll.OpenAI, 4 + 2, 4 + 2},
	} {
		for _, place := range []struct {
			name     string
			messages []plimsoll.Message
			want     int
		}{
			{"before the question", []plimsoll.Message{thought, question}, tt.old},
			{"behind the question", []plimsoll.Message{question, thought}, tt.fresh},
		} {
			c := chat(tt.model, place.messages...)
			c.Dialect = tt.dialect
			meter, got := token.NewMeter(nil), 0
			for i, m := range meter.Weigh(c).Messages {
				if plimsoll.Has[plimsoll.Reasoning](place.messages[i]) {
					got = m.Tokens
				}
			}
			if got != place.want {
				t.Errorf("%s: %d tokens %s, want %d", tt.model, got, place.name, place.want)
			}
			if alone := meter.WeighMessage(c, thought, 0).Tokens; alone != place.want {
				t.Errorf("%s: %d tokens alone %s, want %d", tt.model, alone, place.name, place.want)
			}
		}
	}
}

func TestClaudeBringsItsPromptForToolsInAnyDialect(t *testing.T) {
	t.Parallel()
	for _, dialect := range []plimsoll.Dialect{plimsoll.Anthropic, plimsoll.OpenAI, plimsoll.Responses} {
		for _, tt := range []struct {
			model, choice string
			want          int
		}{
			{"claude-haiku-4-5-20251001", "auto", 498},
			{"claude-haiku-4-5-20251001", "single", 290},
			{"anthropic/claude-sonnet-4.5", "required", 598},
			{"claude-3-5-haiku-latest", "none", 268},
			{"claude-3-5-haiku-latest", "add", 370},
			{"claude-sonnet-4-20250514", "", 320},
			{"databricks-claude-3-7-sonnet", "", 320},
			{"claude-sonnet-5", "", 376},
			{"claude-sonnet-5", "single", 376},
			{"claude-opus-5", "", 308},
			{"claude-opus-5", "required", 430},
		} {
			c := chat(tt.model, say(plimsoll.User, "hi"))
			c.Dialect, c.Choice = dialect, tt.choice
			c.Tools = plimsoll.ListOf(plimsoll.Tool{})
			if got := token.NewMeter(nil).Weigh(c).Tools; got != tt.want+17 {
				t.Errorf("%s in %s: the tools weigh %d, want %d", tt.model, dialect, got, tt.want+17)
			}
		}
	}
}

func TestClaudeWeighsACallByItsArguments(t *testing.T) {
	t.Parallel()
	weigh := func(arguments string) int {
		c := chat("claude-haiku-4-5", plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Arguments: arguments}))
		return token.NewMeter(nil).Weigh(c).Messages[0].Parts[0]
	}
	counter, err := token.For("claude-haiku-4-5", nil)
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]int{``: 40, `{}`: 40, `{"a":{"b":1}}`: 56, `{"a":1,"b":[2],"c":3}`: 88, `{"a":`: 40, `[1]`: 40} {
		if got := weigh(arguments) - counter.Count(arguments); got != want {
			t.Errorf("%s: %d beside its words, want %d", arguments, got, want)
		}
	}
}

func TestOnlyGemini3BillsThoughtsThatAreSealedOnACall(t *testing.T) {
	t.Parallel()
	sealed := plimsoll.ToolCall{Name: "add", Arguments: "{}", Signature: strings.Repeat("x", 1600)}
	for model, want := range map[string]int{"gemini-3-flash-preview": 300, "gemini-2.5-flash": 0, "gemini-2.0-flash": 0} {
		weigh := func(call plimsoll.ToolCall) plimsoll.Load {
			c := chat(model, plimsoll.NewMessage(plimsoll.Assistant, call))
			c.Dialect = plimsoll.Gemini
			return token.NewMeter(nil).Weigh(c)
		}
		with, without := weigh(sealed), weigh(plimsoll.ToolCall{Name: "add", Arguments: "{}"})
		if got := with.Total - without.Total; got != want {
			t.Errorf("%s: the seal weighs %d, want %d", model, got, want)
		}
		if with.Band-without.Band < want {
			t.Errorf("%s: the band grew by %d, want at least %d, because Vertex does not bill it", model, with.Band-without.Band, want)
		}
	}
}

func TestHiddenPromptsAreCountedWhereTheModelTells(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"gpt-oss-120b": 67, "openai/gpt-oss-20b": 67, "grok-4.3": 179, "deepseek-chat": 3, "mistral-small-latest": 14,
		"mistral-large-latest": 3, "meta-llama/Llama-3.3-70B-Instruct": 34, "a-model-of-mine": 7,
		"openai/gpt-oss-safeguard-20b": 67, "mimo-v2.5-pro": 242, "qwen3.8-max": 50, "gemma-4-31b": 13,
	} {
		load := token.NewMeter(nil).Weigh(chat(model, say(plimsoll.User, "")))
		if load.Total != want || load.Exact {
			t.Errorf("%s: an empty message weighs %d, exact %v; want %d, an estimate", model, load.Total, load.Exact, want)
		}
	}
}

// Recordings of rig, ellmer and mastra.
func TestParallelCallsWeighAsOneText(t *testing.T) {
	t.Parallel()
	n := named(t, "o200k_base").Count
	call := func(id string) plimsoll.ToolCall { return plimsoll.ToolCall{ID: id, Name: "now", Arguments: "{}"} }
	for _, calls := range [][]plimsoll.Part{{call("1"), call("2")}, {call("1"), call("2"), call("3"), call("4"), call("5")}} {
		use := `{"recipient_name":"functions.now","parameters":{}}`
		uses := `{"tool_uses":[` + strings.Repeat(use+",", len(calls)-1) + use + `]}`
		load := token.NewMeter(nil).Weigh(chat("gpt-4o", plimsoll.NewMessage(plimsoll.Assistant, calls...)))
		if got, want := load.Messages[0].Tokens, 4+12+4+n(uses); got != want {
			t.Errorf("%d calls weigh %d, want %d", len(calls), got, want)
		}
	}
}

// Of 8 recordings, those that did not search are billed so.
func TestOpenAIsOwnSearchWeighsItsPrompt(t *testing.T) {
	t.Parallel()
	c := chat("gpt-4.1", say(plimsoll.User, "hi"))
	c.Dialect, c.Tools = plimsoll.Responses, plimsoll.ListOf(plimsoll.Tool{Opaque: `{"type":"web_search_preview","search_context_size":"low"}`})
	if load := token.NewMeter(nil).Weigh(c); load.Tools != 296 || load.Band < 299 {
		t.Errorf("the search weighs %d ± %d, want 296 ± 299", load.Tools, load.Band)
	}
}

// Recordings of pydantic-ai and rig.
func TestAModelThatThinksAsAProHasAPromptOfItsOwn(t *testing.T) {
	t.Parallel()
	c := chat("gpt-5.6-sol", say(plimsoll.User, "hi"))
	c.Dialect = plimsoll.Responses
	plain := token.NewMeter(nil).Weigh(c)
	c.Thinking = "pro"
	if pro := token.NewMeter(nil).Weigh(c); pro.Total-plain.Total != 1540 || pro.Exact || pro.Band < 500 {
		t.Errorf("%d more than %d, exact %v, band %d; want 1540 and a band", pro.Total-plain.Total, plain.Total, pro.Exact, pro.Band)
	}
}

// Parallel calls of gpt-5.4 are billed ten more for two, and some calls with a status three less.
func TestWhatBillsOfCallsDisagreeOnIsInTheBand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model, status string
		least         int
	}{{"gpt-5.4", "", 10}, {"openai/gpt-5.4-nano", "", 14}, {"gpt-4.1", "completed", 6}, {"gpt-4.1", "", 0}, {"gpt-5", "", 0}} {
		call := func(id string) plimsoll.Message {
			return plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "add", Arguments: "{}", Status: tt.status})
		}
		c := chat(tt.model, call("1"), call("2"))
		if c.Dialect = plimsoll.Responses; strings.HasPrefix(tt.model, "openai/") {
			c.Dialect = plimsoll.OpenAI
		}
		if load := token.NewMeter(nil).Weigh(c); load.Band < tt.least || load.Exact != (tt.least == 0) {
			t.Errorf("%s: band %d, exact %v; want at least %d", tt.model, load.Band, load.Exact, tt.least)
		}
	}
}

// Recordings of ruby_llm, pydantic-ai and genai, at five hosts.
func TestToolsThatMustNotBeCalledAreDroppedWhereHostsDropThem(t *testing.T) {
	t.Parallel()
	for model, dropped := range map[string]bool{
		"deepseek-chat": true, "zai-org/GLM-5.2": true, "qwen3-32b": true, "llama-3.3-70b-versatile": true,
		"mistral-large-latest": false, "gpt-4o": false, "claude-haiku-4-5": false,
	} {
		c := chat(model, say(plimsoll.User, "hi"))
		c.Tools = addTool("Adds")
		shown := token.NewMeter(nil).Weigh(c)
		c.Choice = "none"
		load := token.NewMeter(nil).Weigh(c)
		if (load.Tools == 0) != dropped || dropped && load.Band < shown.Tools {
			t.Errorf("%s: the tools weigh %d ± %d; dropped %v", model, load.Tools, load.Band, dropped)
		}
	}
}

// Recordings of ruby_llm, langchain and genai.
func TestClaudeHasAPromptForCitations(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{"claude-haiku-4-5": 530, "claude-opus-4-8": 730, "gpt-4o": 0} {
		weigh := func(raw string) int {
			document := plimsoll.NewMessage(plimsoll.User, plimsoll.Opaque{Kind: "document", Raw: raw})
			return token.NewMeter(nil).Weigh(chat(model, document)).Messages[0].Framing
		}
		if got := weigh(`{"type":"document","citations":{"enabled":true}}`) - weigh(`{"type":"document"}`); got != want {
			t.Errorf("%s: %d more, want %d", model, got, want)
		}
	}
}

// Recordings of tidyverse/ellmer, activeagent, genai and pydantic-ai.
func TestCallsOfLaterClaudesAreShorter(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{"claude-sonnet-4-5": 40, "claude-opus-4-7": 40, "claude-opus-4-8": 20, "claude-sonnet-5": 20, "claude-opus-5": 20} {
		c := chat(model, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1"}))
		if got := token.NewMeter(nil).Weigh(c).Messages[0].Parts[0]; got != want {
			t.Errorf("%s: a call without words weighs %d, want %d", model, got, want)
		}
	}
}

// 126 sets of tools at AI Studio, in eleven projects.
func TestGeminiWeighsWhatAToolTakesAndReturns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, model string
		tool        plimsoll.Tool
		want        int
	}{
		{"a tool", "gemini-2.5-flash", plimsoll.Tool{}, 18},
		{"two properties", "gemini-2.5-flash", plimsoll.Tool{Schema: `{"properties":{"":{},"":{}}}`}, 18 + 2*11},
		{"a list", "gemini-2.5-flash", plimsoll.Tool{Schema: `{"properties":{"":{"items":{}}}}`}, 18 + 11 + 20},
		{"a property of an object", "gemini-2.5-flash", plimsoll.Tool{Schema: `{"properties":{"":{"properties":{"":{}}}}}`}, 18 + 2*11 + 20},
		{"a property since Gemini 3", "gemini-flash-latest", plimsoll.Tool{Schema: `{"properties":{"":{}}}`}, 18 + 18},
		{"a property of the result", "gemini-2.5-flash", plimsoll.Tool{Result: `{"properties":{"":{}}}`}, 18 + 11 + 20},
		{"a result that is a text", "gemini-2.5-flash", plimsoll.Tool{Result: `{"type":"string"}`}, 18},
	} {
		c := chat(tt.model, say(plimsoll.User, "hi"))
		c.Dialect, c.Tools = plimsoll.Gemini, plimsoll.ListOf(tt.tool)
		got := token.NewMeter(nil).Weigh(c).Tools
		if blanks := 4; got < tt.want || got > tt.want+blanks {
			t.Errorf("%s: %d, want %d and the blanks between words", tt.name, got, tt.want)
		}
	}
}

func TestPicturesBehindAnAddressHaveABandAsLargeAsTheyAre(t *testing.T) {
	t.Parallel()
	picture := plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"})
	load := token.NewMeter(nil).Weigh(chat("gpt-4o-mini", picture, picture, picture))
	if load.Total > 80_000 || load.Band < load.Total*9/10 {
		t.Errorf("three pictures weigh %d ± %d, want less than 80,000 and nearly as much for the band", load.Total, load.Band)
	}
	low := plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png", Detail: "low"})
	if load := token.NewMeter(nil).Weigh(chat("gpt-4o-mini", low)); !load.Exact {
		t.Errorf("all pictures of low detail weigh the same, yet the load is %+v", load)
	}
	known := plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, Width: 512, Height: 512})
	if load := token.NewMeter(nil).Weigh(chat("gpt-4o-mini", known)); !load.Exact {
		t.Errorf("tiles of a known size equal every bill, yet the load is %+v", load)
	}
}
