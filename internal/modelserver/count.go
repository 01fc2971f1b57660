package modelserver

import (
	"encoding/json"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// countLlamaCpp asks llama.cpp's server: at its own endpoint for counts, or, before 2026,
// by rendering the chat template and tokenizing the text.
func countLlamaCpp(c *inquiry, d plimsoll.Dialect, body []byte) int {
	path := map[plimsoll.Dialect]string{
		plimsoll.OpenAI: "/v1/chat/completions/input_tokens", plimsoll.Responses: "/v1/responses/input_tokens", plimsoll.Anthropic: "/v1/messages/count_tokens",
	}[d]
	var counted struct {
		Tokens int `json:"input_tokens"`
	}
	if c.send(http.MethodPost, path, body, &counted, timeout) || d != plimsoll.OpenAI || c.down {
		return counted.Tokens
	}
	var rendered struct {
		Prompt string `json:"prompt"`
	}
	var tokenized struct {
		Tokens []int `json:"tokens"`
	}
	if c.send(http.MethodPost, "/apply-template", body, &rendered, timeout) && rendered.Prompt != "" {
		c.post("/tokenize", map[string]any{"content": rendered.Prompt, "add_special": true, "parse_special": true}, &tokenized, timeout)
	}
	return len(tokenized.Tokens)
}

// countVLLM asks vLLM, which renders and tokenizes at once.
func countVLLM(c *inquiry, d plimsoll.Dialect, body []byte) int {
	if d != plimsoll.OpenAI {
		return 0
	}
	asks := map[string]json.RawMessage{}
	for _, name := range []string{"model", "messages", "tools", "chat_template_kwargs"} {
		if value := rawjson.Member(body, name); value != nil {
			asks[name] = value
		}
	}
	var counted struct {
		Count int `json:"count"`
	}
	c.post("/tokenize", asks, &counted, timeout)
	return counted.Count
}
