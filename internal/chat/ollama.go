package chat

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Ollama loads a model with a context that is usually far smaller than what the model
// could take, and leaves out what does not fit without a word. Its list of running
// models says how large the context is.

// ollamaWait bounds how long the list is waited for.
const ollamaWait = 2 * time.Second

// contextOf asks the server of a participant how large the context is that its model
// runs with; 0 if it does not say or the model is not running.
func (e *Engine) contextOf(ctx context.Context, p Participant) int {
	if p.API != "ollama" {
		return 0
	}
	u, err := url.Parse(p.URL)
	if err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	list := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/ps"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, list.String(), nil)
	if err != nil {
		return 0
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&running) != nil {
		return 0
	}
	for _, m := range running.Models {
		if sameModel(m.Name, p.Model) || sameModel(m.Model, p.Model) {
			return max(0, m.Context)
		}
	}
	return 0
}

// sameModel compares names of models, of which the tag "latest" may be left out.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// askContexts asks servers for the contexts of those participants.
func (e *Engine) askContexts(ctx context.Context, all []Participant) {
	for _, p := range all {
		if n := e.contextOf(ctx, p); n > 0 {
			e.mu.Lock()
			e.contexts[p.URL+" "+p.Model] = n
			e.mu.Unlock()
		}
	}
}

// limitOf is the limit that a request of the participant asks for; 0 means that of the
// settings or of the model. A server that runs the model with less bounds it.
func (e *Engine) limitOf(p Participant, s state) int {
	e.mu.Lock()
	running := e.contexts[p.URL+" "+p.Model]
	e.mu.Unlock()
	limit := s.settings.Limit
	if running == 0 {
		return limit
	}
	if limit == 0 {
		limit = e.options.Window
	}
	if limit == 0 {
		return running
	}
	return min(limit, running)
}
