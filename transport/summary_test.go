package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport"
)

// summarising returns a bench with a keeper of the preset and the options.
func summarising(t *testing.T, name string, o preset.Options, model *scripted.Options, base http.RoundTripper) (*bench, *fit.Keeper) {
	t.Helper()
	if model == nil {
		model = &scripted.Options{Script: writes}
	}
	options, err := preset.Named(name, &o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return newBench(t, model, transport.Options{
		Base: base, Store: newStore(t), Window: o.Window, Keeper: func(string) (*fit.Keeper, error) { return k, nil }, Expand: transport.ExpandOff,
	}), k
}

// writes answers a request for a summary with one that says what the conversation is about.
func writes(c *scripted.Call) (scripted.Step, bool) {
	const said = "The user asks how deep the water of the harbour is. Nothing is decided yet."
	return scripted.Say("<summary>" + said + "</summary>"), c.End() == scripted.EndSummary
}

// summaries lists the requests for a summary that reached the upstream.
func (b *bench) summaries() []scripted.Exchange {
	var all []scripted.Exchange
	for _, x := range b.model.Log() {
		if x.Call != nil && x.Call.End() == scripted.EndSummary {
			all = append(all, x)
		}
	}
	return all
}

// talkUntilSummary asks until an answer says that a summary was paid for.
func (a *agent) talkUntilSummary() answer {
	a.t.Helper()
	for i := range 60 {
		a.say(fmt.Sprintf("Question %d about the harbour: %s", i, strings.Repeat("how deep is the water ", 40)))
		got := a.ask()
		if got.status != http.StatusOK {
			a.t.Fatalf("request %d: %d %s", i, got.status, got.body)
		}
		if got.header.Get(transport.HeaderSummary) != "" {
			return got
		}
	}
	a.t.Fatal("no summary was asked for")
	return answer{}
}

// TestC05_C08_TheClientsOwnModelWritesTheSummaryWithTheClientsKey follows 001 §2.6: the
// whole history and one message of the user at its end, the system prompt, no tools, the
// model of the caller.
func TestC05_C08_TheClientsOwnModelWritesTheSummaryWithTheClientsKey(t *testing.T) {
	t.Parallel()
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini, plimsoll.Ollama} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream %v", d, stream), func(t *testing.T) {
				t.Parallel()
				b, _ := summarising(t, preset.NameAgent, preset.Options{Window: 6000, Reserve: new(0)}, nil, nil)
				a := b.agent(d, stream)
				got := a.talkUntilSummary()
				asked := b.summaries()
				if len(asked) != 1 {
					t.Fatalf("%d requests for a summary", len(asked))
				}
				x := asked[0]
				if x.Header.Get("Authorization") != "Bearer sk-test" || x.Header.Get(transport.HeaderPreset) != "" {
					t.Errorf("headers %v", x.Header)
				}
				if want := strings.Split(path(d, false), "?")[0]; x.Path != want {
					t.Errorf("asked at %s, want %s", x.Path, want)
				}
				c := x.Call.Conversation
				if c.Model != models[d] || c.Tools.Len() > 0 || bytes.Contains(x.Body, []byte(`"tools"`)) {
					t.Errorf("model %q, %d tools", c.Model, c.Tools.Len())
				}
				text, n := plimsoll.TextOf(c.System), c.Messages.Len()
				for i := range n - 1 {
					text += "\n" + c.Messages.At(i).Text()
				}
				newest := a.history[len(a.history)-2].Text() // the question of the turn that stays
				for _, want := range []string{"You read files.", "Question 0 about", newest} {
					if !strings.Contains(text, want) {
						t.Errorf("%.60q is not in the history that is asked about", want)
					}
				}
				last := c.Messages.At(n - 1)
				if last.Role != plimsoll.User || !strings.Contains(last.Text(), "between <summary> and </summary>") || strings.Contains(last.Text(), "<retain>") {
					t.Errorf("asked by %s: %s", last.Role, last.Text())
				}
				if d := got.header.Get(transport.HeaderDecision); d != "compact" {
					t.Errorf("decision %q", d)
				}
			})
		}
	}
}

// TestC08_WhatASummaryCostsIsSeenByTheClient holds the header, the exchange and the account
// against what the upstream billed.
func TestC08_WhatASummaryCostsIsSeenByTheClient(t *testing.T) {
	t.Parallel()
	b, k := summarising(t, preset.NameAgent, preset.Options{Window: 6000, Reserve: new(0)}, nil, nil)
	a := b.agent(plimsoll.OpenAI, false)
	got := a.talkUntilSummary()
	billed := b.summaries()[0].Usage
	var x transport.Exchange
	for x.Summary.Model == "" {
		x = <-b.exchanges
	}
	if want := fmt.Sprintf("%s; tokens=%d; usd=%.6f", models[plimsoll.OpenAI], billed.Total(), x.Summary.Cost); got.header.Get(transport.HeaderSummary) != want {
		t.Errorf("header %q, want %q", got.header.Get(transport.HeaderSummary), want)
	}
	if x.Summary.Usage != billed || x.Summary.Cost <= 0 {
		t.Errorf("%+v, billed %+v", x.Summary, billed)
	}
	if sum := k.Total().Summaries.USD(); fmt.Sprintf("%.6f", sum) != fmt.Sprintf("%.6f", x.Summary.Cost) {
		t.Errorf("the accounts have $%f, the exchange $%f", sum, x.Summary.Cost)
	}
}

// TestR03_AMethodOfSummariesAsksACheaperModelOfTheSameProvider follows 003 §4 B.
func TestR03_AMethodOfSummariesAsksACheaperModelOfTheSameProvider(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]bool{"that the provider has": false, "that the provider does not have": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := func(c *scripted.Call) (scripted.Step, bool) {
				if missing && c.End() == scripted.EndSummary && c.Conversation.Model != models[plimsoll.OpenAI] {
					return scripted.Step{Fault: &scripted.Fault{Status: 404, Message: "The model does not exist"}}, true
				}
				return scripted.Step{}, false // a snapshot
			}
			b, _ := summarising(t, preset.NameMultichat, preset.Options{Window: 6000, Reserve: new(0), Method: preset.MethodSummary}, &scripted.Options{Script: script}, nil)
			b.agent(plimsoll.OpenAI, false).talkUntilSummary()
			asked := b.summaries()
			first := asked[0].Call.Conversation.Model
			if first != "gpt-5-nano" {
				t.Errorf("asked %s, want the cheapest of OpenAI with a window as large", first)
			}
			if last := asked[len(asked)-1].Call.Conversation.Model; missing && last != models[plimsoll.OpenAI] {
				t.Errorf("asked %s when the provider had no %s", last, first)
			}
		})
	}
}

// TestNoSummaryIsAskedForWhenTheClientsRequestIsOver lets preset auto ask the client's
// provider: nothing is prepared in the background, and a client that goes ends the question.
func TestNoSummaryIsAskedForWhenTheClientsRequestIsOver(t *testing.T) {
	t.Parallel()
	asks := preset.AskCaller(preset.NameAuto, "", nil, 0)
	var open, after int
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Context().Err() != nil {
			after++
		}
		open++
		defer func() { open-- }()
		return http.DefaultTransport.RoundTrip(r)
	})
	b, _ := summarising(t, preset.NameAuto, preset.Options{Window: 6000, Reserve: new(0), Compaction: preset.CompactionOptions{Summarizer: asks}}, nil, base)
	a := b.agent(plimsoll.OpenAI, false)
	a.talkUntilSummary()
	if open != 0 || after != 0 {
		t.Errorf("%d requests are open when the answer is there, %d began after it", open, after)
	}
}

// TestASummaryThatTakesTooLongHoldsNoRequestUp asks a server that never answers.
func TestASummaryThatTakesTooLongHoldsNoRequestUp(t *testing.T) {
	t.Parallel()
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.Header.Get("Accept"), "json") {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	asks := preset.AskCaller(preset.NameAgent, "", nil, 1)
	b, _ := summarising(t, preset.NameAgent, preset.Options{Window: 6000, Reserve: new(0), Compaction: preset.CompactionOptions{Summarizer: asks}}, nil, base)
	a := b.agent(plimsoll.OpenAI, false)
	for i := range 40 {
		a.say(fmt.Sprintf("Question %d about the harbour: %s", i, strings.Repeat("how deep is the water ", 40)))
		got := a.ask()
		if got.status != http.StatusOK {
			t.Fatalf("request %d: %d %s", i, got.status, got.body)
		}
		if got.header.Get(transport.HeaderDecision) == "compact" {
			if warning := got.header.Get(transport.HeaderWarning); !strings.Contains(warning, "could not be asked for a summary") {
				t.Errorf("warning %q", warning)
			}
			return
		}
	}
	t.Error("nothing was compacted")
}

// TestC08_AModelOfAnotherProviderIsNotAskedFor names a model that the client's provider
// cannot have: the summary is extracted, and the client gets to know why.
func TestC08_AModelOfAnotherProviderIsNotAskedFor(t *testing.T) {
	t.Parallel()
	asks := preset.AskCaller(preset.NameAgent, "claude-haiku-4-5", nil, 0)
	var server *url.URL
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		r.URL.Scheme, r.URL.Host = server.Scheme, server.Host
		return http.DefaultTransport.RoundTrip(r)
	})
	b, _ := summarising(t, preset.NameAgent, preset.Options{Window: 6000, Reserve: new(0), Compaction: preset.CompactionOptions{Summarizer: asks}}, nil, base)
	server, _ = url.Parse(b.server.URL)
	b.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		out := r.Clone(r.Context())
		out.URL.Scheme, out.URL.Host = "https", "api.openai.com"
		return b.transport.RoundTrip(out)
	})
	a := b.agent(plimsoll.OpenAI, false)
	for i := range 40 {
		a.say(fmt.Sprintf("Question %d about the harbour: %s", i, strings.Repeat("how deep is the water ", 40)))
		got := a.ask()
		if got.header.Get(transport.HeaderDecision) != "compact" {
			continue
		}
		if warning := got.header.Get(transport.HeaderWarning); !strings.HasPrefix(warning, "claude-haiku-4-5 is no model of api.openai.com") || len(b.summaries()) > 0 {
			t.Errorf("warning %q, %d requests for summaries", warning, len(b.summaries()))
		}
		return
	}
	t.Error("nothing was compacted")
}

// TestC03_AnUnknownModelIsAnErrorInPresetAgent has the strictness of 001 §2.4: nothing is
// sent for a model without a limit, unless the server tells one.
func TestC03_AnUnknownModelIsAnErrorInPresetAgent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{preset.NameAgent: http.StatusBadRequest, preset.NameAuto: http.StatusOK} {
		o := preset.Options{}
		if name == preset.NameAuto {
			o.Limit = transport.KnownLimit(nil)
		}
		b, _ := summarising(t, name, o, nil, nil)
		got := b.postRaw("/v1/chat/completions", []byte(`{"model":"nobody-knows-this-one","messages":[{"role":"user","content":"hi"}]}`), nil)
		if sent := len(b.model.Log()); got.status != want || (sent == 0) != (want != http.StatusOK) {
			t.Errorf("%s: status %d, %d requests sent: %s", name, got.status, sent, got.body)
		}
		if name == preset.NameAgent && !strings.Contains(string(got.body), "unknown model") {
			t.Errorf("%s", got.body)
		}
	}
}

// TestG13_ACompressionThatCannotBeCountedLeavesTheHistory lets the client's upstream fail
// to count in preset gemini, whose text counts again.
func TestG13_ACompressionThatCannotBeCountedLeavesTheHistory(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusNotFound: true, http.StatusInternalServerError: false} {
		counts := 0
		base := roundTripper(func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.URL.Path, ":countTokens") {
				return http.DefaultTransport.RoundTrip(r)
			}
			counts++
			if r.Header.Get("Authorization") != "Bearer sk-test" {
				t.Errorf("counted with the headers %v", r.Header)
			}
			return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"totalTokens":7}`)), Request: r}, nil
		})
		b, _ := summarising(t, preset.NameGemini, preset.Options{Window: 6000}, nil, base)
		a := b.agent(plimsoll.Gemini, true)
		compressed := false
		for i := range 40 {
			a.say(fmt.Sprintf("Question %d about the harbour: %s", i, strings.Repeat("how deep is the water ", 40)))
			got := a.ask()
			if got.status != http.StatusOK {
				t.Fatalf("request %d: %d %s", i, got.status, got.body)
			}
			compressed = compressed || got.header.Get(transport.HeaderDecision) == "compact"
		}
		if counts == 0 || compressed != want {
			t.Errorf("status %d: counted %d times, compressed %v", status, counts, compressed)
		}
	}
}
