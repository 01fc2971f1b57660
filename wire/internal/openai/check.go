package openai

import (
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// RulePart is the rule of this API alone: a part that lacks its type or its name, or that
// the model does not take.
const RulePart = "content part"

// Check knows what Chat Completions refuses: results must follow their call at
// once and all of them must be there, and a message must say something. Ollama does not
// look at the order of calls and results.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	c := r.Conversation()
	atOllama := ollamaTag.MatchString(c.Model)
	if !atOllama {
		build.CheckPairs(r, found, "an assistant message with tool_calls must be followed by a result for each")
	}
	if c.Messages.Len() == 0 {
		found.Add(wire.RuleEmpty, -1, -1, "messages is empty")
	}
	named := mustNameFiles(r)
	open := 0 // results still owed by the last assistant message
	for i, m := range c.Messages.All() {
		switch {
		case m.Role == plimsoll.ToolRole:
			open--
		case open > 0 && !atOllama:
			found.Add(wire.RuleOrder, i, -1, "only tool results may stand between a call and its results")
			open = 0
		}
		if m.Role == plimsoll.Assistant {
			open = plimsoll.CountOf[plimsoll.ToolCall](m)
		}
		checkMessage(i, m, found)
		checkParts(i, m, c.Model, found)
		if named && plimsoll.Has[plimsoll.Media](m) {
			checkFiles(i, r.Raw(i), found)
		}
		if atOllama {
			checkForOllama(i, m, found)
		}
	}
	checkRoles(c, found)
}

// ollamaTag finds the names that Ollama gives models: qwen3:latest, mixtral:8x7b,
// gpt-oss:120b-cloud.
var ollamaTag = regexp.MustCompile(`:(latest|e?\d[\dx.]*[bm])(-|$)`)

// checkForOllama finds files, which Ollama does not know, and pictures behind an address,
// which it does not fetch.
func checkForOllama(i int, m plimsoll.Message, found *wire.Violations) {
	for j := range m.Parts.Len() {
		switch p, _ := plimsoll.Peek(m, j).(plimsoll.Media); {
		case p.Kind == plimsoll.Document:
			found.Add(RulePart, i, j, "Ollama takes no files")
		case p.Kind == plimsoll.Image && p.URL != "":
			found.Add(RulePart, i, j, "Ollama takes only pictures whose data is in the request")
		}
	}
}

// mustNameFiles reports a request for one of OpenAI's own models. A plugin of OpenRouter
// reads files before the model sees them.
func mustNameFiles(r *wire.Request) bool {
	model := strings.TrimPrefix(r.Conversation().Model, "openai/")
	if !strings.HasPrefix(model, "gpt-") || strings.HasPrefix(model, "gpt-oss") {
		return false
	}
	for key := range r.Members() {
		if key == "plugins" {
			return false
		}
	}
	return true
}

// checkFiles finds files that have neither an id nor a name, for which OpenAI misses the id.
// OpenRouter takes two spellings of the name.
func checkFiles(i int, message []byte, found *wire.Violations) {
	for j, part := range rawjson.Items(rawjson.Member(message, "content")) {
		file := rawjson.Member(part, "file")
		if rawjson.MemberText(part, "type") == "file" &&
			rawjson.Member(file, "file_id") == nil && rawjson.Member(file, "filename") == nil && rawjson.Member(file, "file_name") == nil {
			found.Add(RulePart, i, j, "a file must have an id, or a name beside its data")
		}
	}
}

// checkRoles knows what some servers ask of roles and their order.
func checkRoles(c plimsoll.Conversation, found *wire.Violations) {
	bare := c.Model[strings.LastIndexByte(c.Model, '/')+1:]
	uninstructed := strings.HasPrefix(bare, "o1-mini") || strings.HasPrefix(bare, "o1-preview")
	atMistral, atPerplexity := isOneOf(c.Model, mistral), isOneOf(c.Model, perplexity)
	if !uninstructed && !atMistral && !atPerplexity {
		return
	}
	before := plimsoll.System
	for i, m := range c.Messages.All() {
		switch {
		case uninstructed && m.Role.Instructs():
			found.Add(wire.RuleRole, i, -1, "this model takes no messages of the role ", string(m.Role))
		case atMistral && m.Role.Instructs() && !before.Instructs() && before != plimsoll.User:
			found.Add(wire.RuleOrder, i, -1, "for this model instructions must not follow the role ", string(before))
		case atPerplexity && !before.Instructs() && (m.Role.Instructs() || m.Role == before && before != plimsoll.ToolRole):
			found.Add(wire.RuleOrder, i, -1, "for this model user and assistant must alternate behind the instructions")
		}
		before = m.Role
	}
}

// checkParts finds parts without a type and, for OpenAI's own models, sound where none is
// heard and pictures in a result, which models since gpt-5 take. It loads nothing.
func checkParts(i int, m plimsoll.Message, model string, found *wire.Violations) {
	own := strings.HasPrefix(model, "gpt-") && !strings.HasPrefix(model, "gpt-oss")
	for j := range m.Parts.Len() {
		switch p := plimsoll.Peek(m, j).(type) {
		case plimsoll.Opaque:
			if p.Kind == "" {
				found.Add(RulePart, i, j, "a part must have a type")
			}
		case plimsoll.Media:
			switch {
			case own && p.Kind == plimsoll.Audio && !strings.Contains(model, "audio"):
				found.Add(RulePart, i, j, "this model takes no sound")
			case strings.HasPrefix(model, "gpt-4") && p.Kind == plimsoll.Image && m.Role == plimsoll.ToolRole:
				found.Add(RulePart, i, j, "only messages of the user may have pictures")
			}
		case plimsoll.ToolResult:
			checkParts(i, plimsoll.Message{Role: plimsoll.ToolRole, Parts: p.Content}, model, found)
		}
	}
}

func checkMessage(i int, m plimsoll.Message, found *wire.Violations) {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole:
	default:
		found.Add(wire.RuleRole, i, -1, "no role is called ", build.Clip(string(m.Role)))
		return
	}
	switch {
	case !saysSomething(m):
		found.Add(wire.RuleEmpty, i, -1, "the message has neither content nor tool calls")
	case m.Role != plimsoll.Assistant && plimsoll.Has[plimsoll.ToolCall](m):
		found.Add(wire.RuleRole, i, -1, "only the assistant makes tool calls")
	}
}

// saysSomething reports whether there is more than thinking and remarks.
func saysSomething(m plimsoll.Message) bool {
	for j := range m.Parts.Len() {
		switch p := plimsoll.Peek(m, j).(type) {
		case plimsoll.Reasoning:
		case plimsoll.Opaque:
			if !isRemark(p.Kind) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
