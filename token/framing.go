package token

import "github.com/plimsoll/plimsoll"

// Framing is what an API puts around text, in tokens. The zero value adds nothing and counts
// names, arguments and schemas unchanged.
type Framing struct {
	// Message stands around each message, its role included.
	Message int
	// Speaker is added to a message that names its speaker, beside the name.
	Speaker int
	// Reply is added once: the opening of the answer.
	Reply int
	// System is added once if there are instructions outside the messages.
	System int
	// Tools is added once if there are tools, Tool for each of them.
	Tools, Tool int
	// Call and Result stand around each tool call and tool result.
	Call, Result int
	// TextOnly counts texts and Message, and nothing else.
	TextOnly bool
	// typeScript is OpenAI's way: declarations become TypeScript, arguments lose their white
	// space, and parallel calls become one call with a JSON list.
	typeScript bool
}

// dialect is how one API frames text and bills media.
type dialect struct {
	framing Framing
	media   func(model, tokenizer string) media
}

var openAIFraming = Framing{Message: 4, Speaker: 1, Reply: 3, System: 4, Tools: 14, Call: 4, typeScript: true}

// dialects has all that depends on the API. OpenAI's figures reproduce billed prompts of gpt-4.1
// to the token. Anthropic's were fitted to billed prompts of Claude. Gemini's are a guess that
// calibration corrects. The methods are in docs/counting.md.
var dialects = map[plimsoll.Dialect]dialect{
	plimsoll.OpenAI:    {openAIFraming, openAIMedia},
	plimsoll.Responses: {openAIFraming, openAIMedia},
	plimsoll.Anthropic: {Framing{Message: 3, System: 3, Tools: 346, Tool: 12, Call: 65, Result: 45}, claudeMedia},
	plimsoll.Gemini:    {Framing{Message: 4, Reply: 2, System: 4, Tools: 8, Tool: 6, Call: 8, Result: 8}, geminiMedia},
}

// dialectOf returns the row of a dialect. Without one it is that of the provider's own API,
// and OpenAI's for any other.
func dialectOf(d plimsoll.Dialect, provider string) dialect {
	if d == "" {
		d = map[string]plimsoll.Dialect{"anthropic": plimsoll.Anthropic, "google": plimsoll.Gemini}[provider]
	}
	if row, ok := dialects[d]; ok {
		return row
	}
	return dialects[plimsoll.OpenAI]
}
