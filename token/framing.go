package token

import (
	"cmp"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Framing is what an API puts around text, in tokens. The zero value adds nothing and counts
// names, arguments and schemas unchanged.
type Framing struct {
	// Message stands around each message, its role included.
	Message int
	// Reply is added once: the opening of the answer, and what the provider puts before
	// every conversation.
	Reply int
	// System is added once if there are instructions outside the messages.
	System int
	// Tools is added once if there are tools, Tool for each of them.
	Tools, Tool int
	// Call and Result stand around each tool call and tool result.
	Call, Result int
	// TextOnly counts texts and Message, and nothing else.
	TextOnly bool
}

// frame is all that one API puts around what one family of models is shown.
type frame struct {
	Framing
	// typeScript is OpenAI's way: declarations become TypeScript, and arguments lose their
	// white space. Listed says that parallel calls become one call with a JSON list.
	typeScript, listed bool
	// joined is in place of Tools if the first message has instructions, which the
	// declarations are then added to; 0 if they never are.
	joined int
	// channel is what an assistant's text has more than other messages.
	channel int
	// status is what a call has more that repeats its status.
	status int
	// named is around the name of the tool that the model must call; undescribed is for a first
	// tool without a description; none for tools that must not be called.
	named, undescribed, none int
	// lone says that required is as good as the name if there is only one tool.
	lone bool
	// forced is in place of Tools if the model must call one; single is what Tools has less if
	// the model may call them only one at a time.
	forced, single int
	// argument is for each argument of a call.
	argument int
	// words says that of declarations only the words are shown, no JSON. Property, nested and
	// value are for each property of a schema, each object or list in it, and each value of a
	// choice.
	words                   bool
	property, nested, value int
	// drops says that tools which must not be called are not shown.
	drops bool
	// cites is for a message with a document that is to be cited.
	cites int
	// search is for the provider's own search.
	search int
	// sealed says that the thoughts which are sealed on a call are billed.
	sealed bool
	// output is around the schema of the answer, with a name of two tokens. Titled says that the
	// name of the schema stands there, too.
	output int
	titled bool
	// enabled, adaptive and pro are for the ways to think.
	enabled, adaptive, pro int
	// forgets says that reasoning before the last message of the user is not shown again,
	// summarised that shown reasoning is a summary that is not billed.
	forgets, summarised bool
	// off is how far what is added once may be off. Doubt is how far declarations may be, and
	// the form of the answer, in percent.
	off, doubt int
}

// frames has all that depends on the API and the family. The first row that fits counts. A
// row without a dialect fits all, because a gateway does not change what a model is shown; a
// row without models fits all. The figures are read off bills; docs/counting.md says how many,
// and how well each row does.
var frames = []struct {
	dialect plimsoll.Dialect
	models  string
	frame
}{
	// Claude: the prompt that tools bring with them differs by model.
	{"", "claude-3-opus", claude(538, 638, 0)},
	{"", "claude-3-sonnet", claude(163, 263, 0)},
	{"", "claude-3-haiku claude-3-5-haiku", claude(268, 370, 0)},
	{"", "claude-haiku-4-5 claude-sonnet-4-5", sequential(forgetful(claude(498, 598, 16)))},
	{"", "claude-opus-4-5 claude-sonnet-4-6 claude-opus-4-6", claude(498, 598, 16)},
	{"", "claude-opus-4-7", claude(705, 805, 16)},
	{"", "claude-opus-4-8", later(claude(318, 418, 1))},
	{"", "claude-opus-5", later(claude(308, 430, 1))},
	{"", "claude-3 claude-sonnet-4 claude-opus-4", forgetful(claude(320, 315, 0))},
	{"", "claude", later(claude(376, 498, 1))},

	{plimsoll.OpenAI, "gemma", template(4, 9, 40, 0)},
	{"", "gemini-1 gemini-2.0", frame{Framing: Framing{Tool: 3, Call: 5}, words: true, off: 2, doubt: 20}},
	{"", "gemini-2 gemma", gemini(11, 20, 5, false)},
	{"", "gemini", gemini(18, 6, 9, true)},

	// OpenAI, by API and family.
	{plimsoll.OpenAI, "openai/gpt-5 openai/gpt-6", frame{ // gateways send it on to Responses
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 3, Call: 11}, typeScript: true,
		channel: 2, undescribed: -1, off: 2, doubt: 14,
	}},
	{plimsoll.OpenAI, "gpt-5 gpt-6", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 85, Call: 10}, typeScript: true,
		listed: true, joined: 84, channel: 2, undescribed: -1, output: 4,
	}},
	{plimsoll.Responses, "gpt-5.4 gpt-5.5 gpt-5.6 gpt-5.7 gpt-5.8 gpt-5.9 gpt-6", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 3, Call: 11}, typeScript: true,
		channel: 2, undescribed: -1, forgets: true, summarised: true, pro: 1540, doubt: 10,
	}},
	{plimsoll.Responses, "gpt-5", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 3, Call: 8}, typeScript: true,
		channel: 2, undescribed: -1, forgets: true, summarised: true,
	}},
	{plimsoll.OpenAI, "o1 o3-mini", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 4, Call: 4}, typeScript: true, listed: true, output: 4, off: 2,
	}},
	{plimsoll.Responses, "o1 o3-mini", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Call: 2}, typeScript: true, forgets: true, summarised: true, off: 2,
	}},
	{plimsoll.OpenAI, "o4-mini", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 4, Call: 10}, typeScript: true, listed: true, output: 4, off: 2,
	}},
	{plimsoll.Responses, "o4-mini", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Call: 8}, typeScript: true, forgets: true, summarised: true, off: 2,
	}},
	{plimsoll.OpenAI, "o3 o4", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Tools: 4, Call: 4}, typeScript: true, channel: 2, output: 4, off: 2,
	}},
	{plimsoll.Responses, "o3 o4", frame{
		Framing: Framing{Message: 4, Reply: 2, System: 4, Call: 2}, typeScript: true, channel: 2, forgets: true, summarised: true, off: 2,
	}},
	{"", "gpt-oss", frame{ // every prompt begins with a system message of 60 tokens
		Framing: Framing{Message: 4, Reply: 63, System: 4, Tools: 21, Call: 10}, typeScript: true,
		channel: 2, forgets: true, off: 12,
	}},
	{plimsoll.OpenAI, "gpt-4.1", gpt4(false)},
	{plimsoll.OpenAI, "gpt chatgpt", gpt4(true)},
	{plimsoll.Responses, "gpt chatgpt", frame{
		Framing: Framing{Message: 4, Reply: 3, System: 4, Tools: -3, Call: 2}, typeScript: true,
		status: 3, named: 6, none: 1, lone: true, output: 1, forgets: true, summarised: true, search: 299,
	}},

	// Others: what hosts put before every prompt, and what tools bring with them. Hosts differ.
	{"", "grok-2 grok-3", template(4, 3, 140, 0)},
	{"", "grok-4-fast grok-4-1-fast", template(4, 162, 0, 0)},
	{"", "grok", template(4, 175, 45, 0)},
	{"", "deepseek-v4", dropping(forgetful(unsure(template(2, 1, 215, 24), 82)))}, // with a prompt of 80 if it thinks hard
	{"", "deepseek", dropping(forgetful(template(2, 1, 215, 24)))},
	{"", "mistral-small magistral-small", template(2, 12, 12, 16)},
	{"", "mistral ministral magistral codestral devstral pixtral", template(2, 1, 12, 16)},
	{"", "llama-4", dropping(template(4, 30, 640, 0))},
	{"", "llama", dropping(template(4, 30, 400, 0))},
	{"", "qwen3.8", dropping(forgetful(template(4, 46, 220, 0)))},
	{"", "qwen", dropping(forgetful(template(4, 3, 110, 0)))},
	{"", "kimi", template(4, 4, 0, 0)},
	{"", "glm-5", dropping(forgetful(template(4, 8, 108, 0)))},
	{"", "glm", dropping(forgetful(template(2, 3, 108, 0)))},
	{"", "mimo", template(4, 238, 210, 0)},
	{"", "sonar", template(0, 0, 0, 0)},

	{plimsoll.Anthropic, "", later(claude(376, 498, 1))},
	{plimsoll.Gemini, "", gemini(18, 6, 9, true)},
	{"", "", template(4, 3, 0, 0)},
}

// gpt4 returns the frame of gpt-4 and its like in Chat Completions.
func gpt4(titled bool) frame {
	return frame{
		Framing: Framing{Message: 4, Reply: 3, System: 4, Tools: 3, Call: 4}, typeScript: true,
		listed: true, joined: -1, named: 6, none: 1, output: 8, titled: titled,
	}
}

// template returns the frame of a model that is shown a chat template with tools as JSON:
// what is around a message, what every prompt begins with, and what tools bring with them, once
// and each.
func template(message, once, tools, tool int) frame {
	return frame{
		Framing: Framing{Message: message, Reply: once, System: message, Tools: tools, Tool: tool, Call: 10},
		off:     12 + once, doubt: 50,
	}
}

// unsure returns a frame of which what is added once may be off by as much.
func unsure(f frame, off int) frame {
	f.off = off
	return f
}

// dropping returns the frame of a model that is not shown tools which it must not call.
func dropping(f frame) frame {
	f.drops = true
	return f
}

// forgetful returns the frame of a model that is not shown its old reasoning again.
func forgetful(f frame) frame {
	f.forgets = true
	return f
}

// claude returns the frame of a Claude model: the prompt that tools bring with them, without
// and with a tool that must be called, and what adaptive thinking adds.
func claude(tools, forced, adaptive int) frame {
	return frame{
		Framing: Framing{Message: 3, Reply: 4, System: 3, Tools: tools, Tool: 17, Call: 40},
		forced:  forced, argument: 16, enabled: 26, adaptive: adaptive, output: 140, cites: 530, off: 5, doubt: 20,
	}
}

// sequential returns the frame of a model whose prompt for tools tells it to call several at
// once, and does not if it may not.
func sequential(f frame) frame {
	f.single = 208
	return f
}

// later returns the frame of a Claude model since version 4.8, whose calls are shorter and whose
// prompts are longer in its own tokens.
func later(f frame) frame {
	f.Call, f.output, f.cites = 20, 195, 730
	return f
}

// gemini returns the frame of Gemini 2.5 and later at Google AI Studio. Vertex adds nothing, but a
// request does not say where it goes. The figures are for a property, what is nested, and a
// value; sealed says that the thoughts on calls are billed.
func gemini(property, nested, value int, sealed bool) frame {
	return frame{
		Framing: Framing{Message: 1, System: 1, Tool: 18, Call: 12}, argument: 10,
		words: true, property: property, nested: nested, value: value, sealed: sealed, off: 3, doubt: 50,
	}
}

// frameOf returns the row of a dialect and a model, by the name that the request has for it
// and by its own. Without a dialect it is that of the provider's own API.
func frameOf(d plimsoll.Dialect, provider, asked, model string) frame {
	if d == "" {
		d = cmp.Or(map[string]plimsoll.Dialect{"anthropic": plimsoll.Anthropic, "google": plimsoll.Gemini}[provider], plimsoll.OpenAI)
	}
	for _, row := range frames {
		if (row.dialect == "" || row.dialect == d) && (ofFamily(model, row.models) || ofFamily(asked, row.models)) {
			return row.frame
		}
	}
	return frame{}
}

// ofFamily reports whether a model is of one of the families, which are beginnings of names.
// A name may have a host's own words before it.
func ofFamily(model, families string) bool {
	if families == "" {
		return true
	}
	model = strings.ToLower(model)
	for family := range strings.FieldsSeq(families) {
		if i := strings.Index(model, family); i == 0 || i > 0 && strings.IndexByte("-/.", model[i-1]) >= 0 {
			return true
		}
	}
	return false
}
