package anthropic

import (
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Recognises reports whether a body has messages as this API writes them. It looks at the
// members of the object, and at the messages for what only this API or only OpenAI
// writes. The name of the model says nothing: gateways serve Claude by OpenAI's API.
func (Codec) Recognises(body []byte) bool {
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return false
	}
	h := hints{body: body}
	for key := range s.Members() {
		h.member(s, rawjson.View(key))
	}
	return s.End() == nil && h.messages && (h.anthropic || h.likely && h.maxTokens && !h.roles) && !h.openAI
}

// hints are what tells this API from OpenAI's Chat Completions.
type hints struct {
	body              []byte
	messages          bool
	anthropic, openAI bool
	// likely is Anthropic's form of thinking or of metadata. Gateways that speak OpenAI's
	// dialect take these too, but only Anthropic's API demands max_tokens, and does not know
	// some roles.
	likely, maxTokens, roles bool
}

func (h *hints) member(s *rawjson.Scanner, key string) {
	switch key {
	case "messages":
		h.messages = s.Peek() == '['
		if h.messages {
			h.inMessages(s)
		}
	case "thinking":
		// Servers of GLM and DeepSeek have a type of the same name, and no budget.
		value := s.Value().Of(h.body)
		h.likely = h.likely || rawjson.Member(value, "budget_tokens") != nil || rawjson.MemberText(value, "type") == "adaptive"
	case "metadata":
		h.likely = h.likely || namesUserAlone(s.Value().Of(h.body))
	case "max_tokens":
		h.maxTokens = true
	case "system", "anthropic_version", "stop_sequences", "context_management", "mcp_servers", "output_config", "output_format":
		h.anthropic = true
	case "service_tier":
		h.anthropic = h.anthropic || rawjson.Unquoted(s.Value().Of(h.body)) == "standard_only" // the others are OpenAI's too
	case "tool_choice":
		switch rawjson.MemberText(s.Value().Of(h.body), "type") {
		case "auto", "any", "tool", "none":
			h.anthropic = true
		}
	case "max_completion_tokens", "response_format", "stream_options", "parallel_tool_calls", "logit_bias", "reasoning_effort", "n", "seed":
		h.openAI = true
	case "tools":
		h.inTools(s)
	}
}

// namesUserAlone reports whether metadata has a user_id and nothing else, which is all that
// this API takes.
func namesUserAlone(metadata []byte) bool {
	s, n := rawjson.NewScanner(metadata), 0
	for range s.Members() {
		n++
	}
	return n == 1 && rawjson.MemberText(metadata, "user_id") != ""
}

// inMessages looks for what only one of the two writes: content blocks with
// tool_use, tool_result or thinking; tool roles and tool_calls.
func (h *hints) inMessages(s *rawjson.Scanner) {
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "tool_calls", "tool_call_id", "function_call":
				h.openAI = true
			case "content":
				h.inContent(s)
			case "role":
				if t, ok := s.String(); ok {
					h.role(string(t.Raw(h.body)))
				}
			}
		}
	}
}

func (h *hints) role(name string) {
	h.roles = h.roles || name == "system" || name == "developer" || name == "tool"
}

func (h *hints) inContent(s *rawjson.Scanner) {
	eachKey(s, func(key string) {
		switch key {
		case "thinking":
			h.anthropic = h.anthropic || s.Peek() == '"' // Mistral has a list here
		case "tool_use_id", "input", "source", "signature":
			h.anthropic = true
		case "image_url", "input_audio":
			h.openAI = true
		}
	})
}

func (h *hints) inTools(s *rawjson.Scanner) {
	eachKey(s, func(key string) {
		switch key {
		case "input_schema", "name": // OpenAI's have it inside
			h.anthropic = true
		case "function":
			h.openAI = true
		}
	})
}

// eachKey goes through the keys of the objects in a list.
func eachKey(s *rawjson.Scanner, visit func(key string)) {
	if s.Peek() != '[' {
		return
	}
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			visit(rawjson.View(key))
		}
	}
}
