package rig

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// object is a JSON object.
type object = map[string]any

// thinking lets a model of Anthropic's think before it answers, where a request asks
// for that: its answers begin with signed thinking, and requests that bring thinking
// which it never said are refused. Without it a client that has thinking on could
// not go on after its first tool call, because the API wants the thinking back.
type thinking struct {
	model http.Handler

	mu   sync.Mutex
	said map[string]string // by signature
	not  []string          // why requests were refused
}

func newThinking(model http.Handler) *thinking {
	return &thinking{model: model, said: map[string]string{}}
}

func (t *thinking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/messages") {
		t.model.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request thinkingRequest
	if json.Unmarshal(body, &request) != nil || request.Thinking.Type == "" || request.Thinking.Type == "disabled" {
		t.model.ServeHTTP(w, r)
		return
	}
	if err := t.check(request); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": "invalid_request_error", "message": err.Error()}})
		return
	}
	answer := httptest.NewRecorder()
	t.model.ServeHTTP(answer, r)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	out := answer.Body.Bytes()
	if answer.Code == http.StatusOK {
		out = t.think(answer.Header().Get("Content-Type"), out, request.Thinking.Display == "omitted")
	}
	_, _ = w.Write(out) // a client that has gone away is told nothing
}

// refusals says why requests were refused.
func (t *thinking) refusals() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.not...)
}

// thinkingRequest is what is looked at of a request.
type thinkingRequest struct {
	Thinking struct {
		Type    string `json:"type"`
		Display string `json:"display"`
	} `json:"thinking"`
	Messages []struct {
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// check refuses thinking that was not said so.
func (t *thinking) check(r thinkingRequest) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, m := range r.Messages {
		var blocks []struct{ Type, Thinking, Signature string }
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue
		}
		for j, b := range blocks {
			if b.Type != "thinking" {
				continue
			}
			if said, ok := t.said[b.Signature]; !ok || said != b.Thinking {
				err := fmt.Errorf("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
				t.not = append(t.not, err.Error())
				return err
			}
		}
	}
	return nil
}

// think puts a block of thinking before an answer.
func (t *thinking) think(kind string, answer []byte, omitted bool) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.said) + 1
	text := fmt.Sprintf("Ship %d comes before ship %d.", n, n+1)
	if omitted {
		text = ""
	}
	signature := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "the %dth thought, signed", n))
	t.said[signature] = text
	if !strings.HasPrefix(kind, "text/event-stream") {
		return thinkWhole(answer, object{"type": "thinking", "thinking": text, "signature": signature})
	}
	return thinkEvents(answer, text, signature)
}

func thinkWhole(answer []byte, block object) []byte {
	var whole object
	if err := json.Unmarshal(answer, &whole); err != nil {
		return answer
	}
	content, _ := whole["content"].([]any)
	whole["content"] = append([]any{block}, content...)
	return encode(whole)
}

func thinkEvents(answer []byte, text, signature string) []byte {
	var out []byte
	add := func(o object) { out = sse.Append(out, o["type"].(string), encode(o)) }
	events := sse.NewReader(bytes.NewReader(answer), nil)
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		var o object
		if err != nil || json.Unmarshal(e.Data, &o) != nil {
			return answer
		}
		if index, ok := o["index"].(float64); ok {
			o["index"] = index + 1
		}
		add(o)
		if o["type"] != "message_start" {
			continue
		}
		add(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}})
		if text != "" {
			add(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": text}})
		}
		add(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "signature_delta", "signature": signature}})
		add(object{"type": "content_block_stop", "index": 0})
	}
}

// encode writes JSON. What it is given was read as such.
func encode(o object) []byte {
	data, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return data
}
