package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/modelserver"
)

// Ollama loads a model with a context that is usually far smaller than what the model
// could take, and leaves out what does not fit without a word. So the engine asks for it.

// ollamaWait bounds how long the server is waited for.
const ollamaWait = 2 * time.Second

// askContexts asks servers for the contexts that models of those participants run with. If
// load is true, a server loads a model that does not run, so that it is sure: a long
// conversation must not be sent before that.
func (e *Engine) askContexts(ctx context.Context, load bool, all ...Participant) {
	for _, p := range all {
		u, err := url.Parse(p.URL)
		if p.API != "ollama" || p.Model == "" || err != nil {
			continue
		}
		n := e.servers.Window(ctx, modelserver.Target{Root: u.Scheme + "://" + u.Host, Host: u.Host, Header: http.Header{}, Model: p.Model, DryRun: !load})
		if n > 0 {
			e.mu.Lock()
			e.contexts[p.URL+" "+p.Model] = n
			e.mu.Unlock()
		}
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
	names, ok := e.models(ctx, p)
	switch {
	case !ok:
		return "is Ollama running at " + p.URL + "? \"ollama serve\" starts it"
	case len(names) == 0:
		return "the server at " + p.URL + " has no models; \"ollama pull MODEL\" gets one"
	}
	return "the server at " + p.URL + " has " + strings.Join(names, ", ")
}

// models returns the names that a server lists; false if it does not answer.
func (e *Engine) models(ctx context.Context, p Participant) (names []string, ok bool) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	list := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/tags"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, list.String(), nil)
	if err != nil {
		return nil, false
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	var all struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&all) != nil {
		return nil, false
	}
	for _, m := range all.Models {
		names = append(names, strings.TrimSuffix(m.Name, ":latest"))
	}
	return names, true
}

func (e *Engine) contextKnown(p Participant) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contexts[p.URL+" "+p.Model]
}

// lineOf is what a request of the participant asks for: the limit that the person set, or
// a window if a server runs the model with a smaller one. 0 and 0 mean that of the settings
// or of the model.
func (e *Engine) lineOf(p Participant, s state) (window, limit int) {
	limit, running := s.settings.Limit, e.contextKnown(p)
	switch named := e.options.Window; {
	case limit > 0 && (running == 0 || limit < running):
		return 0, limit
	case named > 0 && named < running:
		return named, 0
	}
	return running, 0
}
