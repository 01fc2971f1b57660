package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Ollama loads a model with a context that is usually far smaller than what the model
// could take, and leaves out what does not fit without a word. Its list of running
// models says how large the context is.

// ollamaWait bounds how long the server is waited for, except while it loads a model.
const ollamaWait = 2 * time.Second

// ollama asks the server of a participant, and reports whether it answered. A request
// has the method POST. Answer may be nil.
func (e *Engine) ollama(ctx context.Context, p Participant, path string, request, answer any) bool {
	u, err := url.Parse(p.URL)
	if err != nil {
		return false
	}
	method, body := http.MethodGet, []byte(nil)
	if request != nil {
		method = http.MethodPost
		if body, err = json.Marshal(request); err != nil {
			return false
		}
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return false
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if answer == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	} else {
		err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(answer)
	}
	return err == nil && resp.StatusCode == http.StatusOK
}

// ollamaModels are those that a server lists.
type ollamaModels struct {
	Models []struct {
		Name    string `json:"name"`
		Model   string `json:"model"`
		Context int    `json:"context_length"`
	} `json:"models"`
}

// contextOf asks the server of a participant how large the context is that its model
// runs with, or will run with; 0 if it does not say.
func (e *Engine) contextOf(ctx context.Context, p Participant) int {
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	var running ollamaModels
	if !e.ollama(ctx, p, "/api/ps", nil, &running) {
		return 0
	}
	for _, m := range running.Models {
		if sameModel(m.Name, p.Model) || sameModel(m.Model, p.Model) {
			return max(0, m.Context)
		}
	}
	var model struct {
		Parameters string `json:"parameters"`
	}
	if e.ollama(ctx, p, "/api/show", map[string]string{"model": p.Model}, &model) {
		if m := numCtx.FindStringSubmatch(model.Parameters); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 0
}

// numCtx finds the context in the parameters of a model.
var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d+)`)

// sameModel compares names of models, of which the tag "latest" may be left out.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// askContexts asks servers for the contexts of those participants.
func (e *Engine) askContexts(ctx context.Context, all []Participant) {
	for _, p := range all {
		if p.API != "ollama" {
			continue
		}
		if n := e.contextOf(ctx, p); n > 0 {
			e.mu.Lock()
			e.contexts[p.URL+" "+p.Model] = n
			e.mu.Unlock()
		}
	}
}

// loadModel makes the server load the model if it is not known with how large a context: a
// long conversation must not be sent before that. A server that cannot says so when it
// is asked.
func (e *Engine) loadModel(ctx context.Context, p Participant) {
	if p.API == "ollama" && e.contextKnown(p) == 0 && e.ollama(ctx, p, "/api/generate", map[string]string{"model": p.Model}, nil) {
		e.askContexts(ctx, []Participant{p})
	}
}

// unnamed is the error for a participant without a model; nil if it has one.
func (e *Engine) unnamed(ctx context.Context, p Participant) error {
	if p.Model != "" {
		return nil
	}
	return &plimsoll.Error{
		Op: "read the model " + strconv.Quote(p.API+":"), Code: plimsoll.CodeInvalid,
		Err: mistake{errors.New("no model is named")}, Hint: e.offered(ctx, p),
	}
}

// offered says which models the server of a participant has.
func (e *Engine) offered(ctx context.Context, p Participant) string {
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	var all ollamaModels
	if !e.ollama(ctx, p, "/api/tags", nil, &all) {
		return "is Ollama running at " + p.URL + "? \"ollama serve\" starts it"
	}
	var names []string
	for _, m := range all.Models {
		names = append(names, strings.TrimSuffix(m.Name, ":latest"))
	}
	if len(names) == 0 {
		return "the server at " + p.URL + " has no models; \"ollama pull MODEL\" gets one"
	}
	return "the server at " + p.URL + " has " + strings.Join(names, ", ")
}

func (e *Engine) contextKnown(p Participant) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contexts[p.URL+" "+p.Model]
}

// limitOf is the limit that a request of the participant asks for; 0 means that of the
// settings or of the model. A server that runs the model with less bounds it.
func (e *Engine) limitOf(p Participant, s state) int {
	running := e.contextKnown(p)
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
