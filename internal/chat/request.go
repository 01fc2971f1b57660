package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// write writes a conversation as a request of the participant's API.
func write(p Participant, system string, tools []plimsoll.Tool, messages []plimsoll.Message) (*wire.Request, error) {
	codec := dialects.Codec(p.Dialect)
	body, err := json.Marshal(empty(p))
	if err != nil {
		return nil, err
	}
	r, err := codec.Decode(body)
	if err != nil {
		return nil, err
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if system != "" {
		d.AddSystem(plimsoll.Text{Text: system}, plimsoll.Why{})
	}
	for _, t := range tools {
		d.AddTool(t, plimsoll.Why{})
	}
	for _, m := range messages {
		if _, err := d.Insert(0, m, plimsoll.Why{}); err != nil {
			return nil, err
		}
	}
	body, err = r.Encode(d)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return codec.Decode(body)
}

// empty is a request without a message.
func empty(p Participant) map[string]any {
	none := []any{}
	switch p.Dialect {
	case plimsoll.Responses:
		return map[string]any{"model": p.Model, "stream": true, "store": false, "input": none}
	case plimsoll.Anthropic:
		return map[string]any{"model": p.Model, "stream": true, "max_tokens": maxOutput(p.Model), "messages": none}
	case plimsoll.Gemini:
		return map[string]any{"contents": none}
	}
	return map[string]any{
		"model": p.Model, "stream": true, "stream_options": map[string]any{"include_usage": true}, "messages": none,
	}
}

// maxOutput is how long an answer may be, for the API that wants to be told. More than
// a chat needs would only take room from the history.
func maxOutput(name string) int {
	const usual, least = 8192, 4096
	m, err := model.Default().Lookup(name)
	if err != nil || m.OutputLimit <= 0 {
		return least
	}
	return min(usual, m.OutputLimit)
}

// newRequest is a request to the participant, with what the session says about cutting.
func (e *Engine) newRequest(ctx context.Context, p Participant, s state, body []byte) (*http.Request, error) {
	base, err := url.Parse(p.URL)
	if err != nil {
		return nil, err
	}
	address := dialects.Endpoint(p.Dialect, base, p.Model, true).String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	h.Set("Accept-Encoding", "identity")
	for name, value := range dialects.Codec(p.Dialect).Headers(string(p.Key)) {
		h.Set(name, value)
	}
	if s.settings.Method != "" {
		h.Set(transport.HeaderPreset, s.settings.Method)
	}
	switch window, limit := e.lineOf(p, s); {
	case limit > 0:
		h.Set(transport.HeaderLimit, strconv.Itoa(limit))
	case window > 0:
		h.Set(transport.HeaderWindow, strconv.Itoa(window))
	}
	for _, pattern := range pinsOf(s.turns) {
		h.Add(transport.HeaderPin, "match="+pattern)
	}
	return req, nil
}
