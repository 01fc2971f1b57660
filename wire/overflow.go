package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Overflow is what a provider said about a context that is full.
type Overflow struct {
	// Tokens that were sent and Limit, where the message names them; else 0.
	Tokens, Limit int
	// Bytes says that these two count bytes of the request, not tokens.
	Bytes bool
	// PerMinute says that Limit is what the account may send in a minute. The request alone
	// has more, so it fails however long the client waits.
	PerMinute bool
	// Excess is how many tokens were sent beyond a limit, where the message names that;
	// else 0.
	Excess int
	// Message as the provider wrote it.
	Message string
	// Words are the part of the message that says so, in lower case; empty if the
	// provider says so by a code. A message may quote words of the client.
	Words string
}

// FindOverflow reports whether an error answer means that the context is full,
// and not one of the other things that providers answer 400 to. The body may be
// empty: Cerebras answers 400 or 413 and nothing else.
func FindOverflow(status int, body []byte) (Overflow, bool) {
	if (status == 400 || status == 413) && len(bytes.TrimSpace(body)) == 0 {
		return Overflow{}, true
	}
	e := errorIn(body)
	if e == nil {
		e = &APIError{Message: string(body)}
	}
	if e.Status == 0 || status == 413 {
		e.Status = status
	}
	return overflowOf(e)
}

// Overflows reports whether an error in the middle of a stream, or any other
// error already read, means that the context is full.
func (e *APIError) Overflows() bool {
	_, ok := overflowOf(e)
	return ok
}

// errorIn finds the error object of an answer: under "error", in a list of one
// (Gemini streams), under "response" (Responses streams), or the body itself.
func errorIn(body []byte) *APIError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var object struct {
		Error    json.RawMessage `json:"error"`
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	for _, raw := range []json.RawMessage{object.Error, object.Response.Error} {
		if e := ParseAPIError(raw); e != nil {
			return e
		}
	}
	switch {
	case object.Message != "":
		return ParseAPIError(body)
	case len(object.Detail) > 0:
		return ParseAPIError(detailOf(object.Detail))
	}
	return nil
}

// detailOf leaves of a list of details what they say: servers repeat in them what they
// were sent.
func detailOf(raw json.RawMessage) json.RawMessage {
	var list []struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	var said []string
	for _, d := range list {
		said = append(said, d.Message)
	}
	text, _ := json.Marshal(strings.Join(said, "; ")) // a text always can be
	return text
}

func overflowOf(e *APIError) (Overflow, bool) {
	text := strings.ToLower(e.Message[:min(len(e.Message), maxMessage)])
	if m := perMinute.FindStringSubmatch(text); m != nil && number(m[2]) > number(m[1]) && number(m[1]) > 0 {
		return Overflow{Tokens: number(m[2]), Limit: number(m[1]), PerMinute: true, Message: e.Message, Words: m[0]}, true
	}
	if e.Status != 0 && !mayOverflow[e.Status] {
		return Overflow{}, false
	}
	if otherwise.MatchString(strings.ToLower(e.Type+"\n"+e.Code+"\n")+text) || aboutAnotherField(text) {
		return Overflow{}, false
	}
	o := Overflow{Message: e.Message, Words: full.FindString(text)}
	byCode := overflowCodes[e.Code] || overflowCodes[e.Type]
	switch {
	case byCode, o.Words != "":
		o.readFigures(text)
	case e.Status != 413: // which says so itself, whatever the body
		return Overflow{}, false
	}
	if byCode {
		o.Words = ""
	}
	if e.ContextSize > 0 {
		o.Tokens, o.Limit, o.Bytes = e.PromptTokens, e.ContextSize, false
	}
	return o, true
}

// mayOverflow are the statuses that providers use for it; 500 is llama.cpp's in
// some versions. An error inside a stream has none.
var mayOverflow = map[int]bool{400: true, 413: true, 422: true, 500: true}

var overflowCodes = map[string]bool{
	"context_length_exceeded":          true,
	"model_context_window_exceeded":    true,
	"model_max_prompt_tokens_exceeded": true, // Copilot
	"context_window_exceeded":          true,
	"context_exceeded":                 true,
	"exceed_context_size_error":        true,
	"request_too_large":                true,
	"max_tokens_exceeded":              true,
	"tokens_limit_reached":             true, // GitHub Models
	"too_many_prompt_tokens":           true, // Perplexity
}
