package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/summary/remote"
)

// maxSummary bounds the bytes of an answer to a request for a summary.
const maxSummary = 8 << 20

// ask sends a request for a summary to the client's upstream, as the client's own request
// goes: with its headers, to the same address, for another model if one is named. It runs
// while the client waits, ends with the client's request, and notes what was billed.
func (r *trip) ask(ctx context.Context, name string, body []byte) (*http.Response, error) {
	if name != r.model && !r.mayHave(name) {
		r.warn(fmt.Sprintf("%s is no model of %s, so it writes no summary: set compaction.summarizer to an API of its own", name, r.x.Upstream))
		return nil, errors.New("the model belongs to another provider")
	}
	out := r.outgoing(ctx, body, true, true)
	out.Header.Set("Accept", "application/json")
	out.Header.Set("Accept-Encoding", "identity")
	out.URL = r.summaryURL(name)
	resp, err := r.dispatch(out, body)
	if err != nil {
		if r.ctx.Err() == nil {
			r.warn(name + " could not be asked for a summary")
		}
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		r.warn(fmt.Sprintf("%s wrote no summary: %s", name, resp.Status))
		return resp, nil
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxSummary+1))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	if said, err := r.codec.ReadResponse(answer); err == nil {
		cost, _ := r.keeper.Cost(name, said.Usage)
		r.x.Summary = Summary{Model: name, Usage: r.x.Summary.Usage.Add(said.Usage), Cost: r.x.Summary.Cost + cost}
	}
	return resp, nil
}

// recount asks the client's upstream how many tokens a body has.
func (r *trip) recount(ctx context.Context, body []byte) (int, error) {
	h := r.in.Header.Clone()
	stripControls(h)
	for _, name := range []string{"Content-Encoding", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Accept-Encoding", "identity")
	return remote.CountTokens(ctx, r.t.options.Base.RoundTrip, r.summaryURL(r.model), h, r.model, body)
}

// Summary is what models billed the client for summaries, on the way of one request.
type Summary struct {
	// Model is the one that was asked last; empty if none was.
	Model string
	Usage plimsoll.Usage
	// Cost in dollars; 0 if the price is not known.
	Cost float64
}

// String returns the value of the header [HeaderSummary].
func (s Summary) String() string {
	text := fmt.Sprintf("%s; tokens=%d", s.Model, s.Usage.Total())
	if s.Cost > 0 {
		text += fmt.Sprintf("; usd=%.6f", s.Cost)
	}
	return text
}

// mayHave reports whether the upstream can have a model: a provider has none of another.
func (r *trip) mayHave(name string) bool {
	own, known := makers[r.in.URL.Hostname()]
	m, err := model.Default().Lookup(name)
	return !known || err != nil || m.Provider == own
}

// makers are the providers that serve their own models only, by host.
var makers = map[string]string{
	"api.openai.com": "openai", "api.anthropic.com": "anthropic", "generativelanguage.googleapis.com": "google",
}

// summaryURL is the address of the client's request, for an answer that is no stream. In
// APIs that name the model in the path, it names the model to ask.
func (r *trip) summaryURL(name string) *url.URL {
	u := *r.in.URL
	replace := func(path, old, with string) string {
		if before, after, ok := cutLast(path, old); ok {
			return before + with + after
		}
		return path
	}
	for _, action := range []struct{ stream, whole string }{
		{":streamGenerateContent", ":generateContent"}, {":streamRawPredict", ":rawPredict"}, {"/invoke-with-response-stream", "/invoke"},
	} {
		u.Path, u.RawPath = replace(u.Path, action.stream, action.whole), replace(u.RawPath, action.stream, action.whole)
	}
	if own := r.endpoint.model; name != own && own != "" && r.client.Conversation().Model == "" {
		name = strings.TrimPrefix(name, "models/")
		u.Path, u.RawPath = replace(u.Path, "/"+own, "/"+name), replace(u.RawPath, "/"+url.PathEscape(own), "/"+url.PathEscape(name))
	}
	if query := u.Query(); query.Get("alt") == "sse" {
		query.Del("alt")
		u.RawQuery = query.Encode()
	}
	return &u
}
