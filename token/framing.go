package token

import "github.com/plimsoll/plimsoll"

// Framing is what a dialect puts around text, in tokens.
type Framing struct {
	// Name identifies the framing.
	Name string
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
	// Style says how calls and tools are written.
	Style Style
}

// Style is a way to write tool calls and tool declarations for the model.
type Style uint8

const (
	// StyleJSON: names, arguments and schemas unchanged.
	StyleJSON Style = iota
	// StyleOpenAI: declarations become TypeScript, arguments lose their white
	// space, and parallel calls become one call with a JSON list.
	StyleOpenAI
	// StyleTextOnly: only texts count, as in tools that know no others.
	StyleTextOnly
)

// framingFor returns the framing of a dialect. The figures of OpenAI reproduce
// billed prompts of gpt-4.1 to the token; those of Anthropic were fitted to
// billed prompts of Claude; Gemini's are a guess that calibration corrects. The
// methods are in docs/counting.md.
func framingFor(d plimsoll.Dialect) Framing {
	switch d {
	case plimsoll.Anthropic:
		return Framing{Name: "anthropic", Message: 3, System: 3, Tools: 346, Tool: 12, Call: 65, Result: 45}
	case plimsoll.Gemini:
		return Framing{Name: "gemini", Message: 4, Reply: 2, System: 4, Tools: 8, Tool: 6, Call: 8, Result: 8}
	case plimsoll.Responses:
		f := openAIFraming()
		f.Name = "responses"
		return f
	default:
		return openAIFraming()
	}
}

func openAIFraming() Framing {
	return Framing{
		Name: "openai", Message: 4, Speaker: 1, Reply: 3, System: 4,
		Tools: 14, Call: 4, Style: StyleOpenAI,
	}
}

// CookbookFraming adds 4 tokens to each message's text and nothing else.
func CookbookFraming() Framing {
	return Framing{Name: "cookbook", Message: 4, Style: StyleTextOnly}
}

// MultichatFraming adds 3 tokens to each message's text and nothing else.
func MultichatFraming() Framing {
	return Framing{Name: "multichat", Message: 3, Style: StyleTextOnly}
}

// NoFraming counts texts only.
func NoFraming() Framing { return Framing{Name: "none", Style: StyleTextOnly} }
