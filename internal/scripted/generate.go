package scripted

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// gemini writes as Google's generateContent does. Without sse a stream is one list
// whose elements come one by one, and so is an error in its place.
type gemini struct{ sse, stream bool }

var _ voice = gemini{}

func (gemini) callPrefix() string { return "call_" }

func (v gemini) streamType() string {
	if v.sse {
		return "text/event-stream"
	}
	return "application/json"
}

func (v gemini) whole(a *answer) object {
	parts := []object{}
	if a.step.Text != "" {
		parts = append(parts, object{"text": a.step.Text})
	}
	return v.chunk(a, append(parts, v.calls(a)...), a.usage, v.stop(a.step.Stop))
}

// calls are signed as newer models do it: the first of an answer.
func (gemini) calls(a *answer) []object {
	var parts []object
	for i, c := range a.step.Calls {
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if i == 0 {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte("signed " + c.ID))
		}
		parts = append(parts, part)
	}
	return parts
}

func (v gemini) chunk(a *answer, parts []object, u plimsoll.Usage, finish string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{
		"candidates": []object{candidate}, "usageMetadata": v.usage(u),
		"modelVersion": a.call.Conversation.Model, "responseId": fmt.Sprintf("response-%06d", a.n),
	}
}

func (v gemini) frames(a *answer) [][]byte {
	begun := a.usage
	begun.Output = 0
	var chunks []object
	for _, piece := range pieces(a.step.Text) {
		chunks = append(chunks, v.chunk(a, []object{{"text": piece}}, begun, ""))
	}
	for _, part := range v.calls(a) {
		chunks = append(chunks, v.chunk(a, []object{part}, begun, ""))
	}
	chunks = append(chunks, v.chunk(a, []object{{"text": ""}}, a.usage, v.stop(a.step.Stop)))
	var all [][]byte
	for i, c := range chunks {
		all = append(all, v.frame(c, i == 0))
	}
	if !v.sse {
		all = append(all, []byte("]"))
	}
	return all
}

func (v gemini) frame(o any, first bool) []byte {
	switch {
	case v.sse:
		return fmt.Appendf(nil, "data: %s\r\n\r\n", encode(o))
	case first:
		return append([]byte("["), encode(o)...)
	}
	return append([]byte(",\r\n"), encode(o)...)
}

func (gemini) usage(u plimsoll.Usage) object {
	o := object{"promptTokenCount": u.Prompt(), "totalTokenCount": u.Total()}
	if u.Output > 0 {
		o["candidatesTokenCount"] = u.Output
	}
	if u.CacheRead > 0 {
		o["cachedContentTokenCount"] = u.CacheRead
	}
	return o
}

func (gemini) stop(s wire.Stop) string {
	switch s {
	case wire.StopLength, wire.StopContext:
		return "MAX_TOKENS"
	case wire.StopFiltered:
		return "SAFETY"
	}
	return "STOP"
}

func (v gemini) fault(f Fault) any {
	if v.stream && !v.sse {
		return []object{v.failure(f)}
	}
	return v.failure(f)
}

func (gemini) failure(f Fault) object {
	name := "INTERNAL"
	switch f.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		name = "INVALID_ARGUMENT"
	case http.StatusUnauthorized:
		name = "UNAUTHENTICATED"
	case http.StatusForbidden:
		name = "PERMISSION_DENIED"
	case http.StatusNotFound:
		name = "NOT_FOUND"
	case http.StatusTooManyRequests:
		name = "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		name = "UNAVAILABLE"
	}
	return object{"error": object{"code": f.Status, "message": f.Message, "status": cmp.Or(f.Type, name)}}
}

func (v gemini) broken(_ *answer, f Fault) [][]byte {
	all := [][]byte{v.frame(v.failure(f), false)}
	if !v.sse {
		all = append(all, []byte("]"))
	}
	return all
}

func (gemini) overflow(tokens, window int) Fault {
	return Fault{Status: http.StatusBadRequest, Message: fmt.Sprintf(
		"The input token count (%d) exceeds the maximum number of tokens allowed (%d).", tokens, window)}
}

func (gemini) tokens(n int) object { return object{"totalTokens": n} }

func (v gemini) models(names []string) object {
	data := make([]object, len(names))
	for i, name := range names {
		data[i] = v.describe(name)
	}
	return object{"models": data}
}

func (gemini) describe(name string) object {
	return object{"name": "models/" + name, "displayName": name, "supportedGenerationMethods": []string{"generateContent", "countTokens"}}
}
