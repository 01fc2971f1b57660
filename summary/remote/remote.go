// Package remote asks models for summaries over HTTP. It speaks OpenAI's Chat
// Completions, which Ollama, llama.cpp and vLLM speak too, OpenAI's Responses,
// Anthropic's Messages and Google's generateContent. It asks a server of its own, or the
// server of each conversation with the credentials of the conversation's client.
//
// If it can, it sends the caller's own request with one more message at its end. The
// provider then reads system, tools and history from its prompt cache. Else it sends a
// plain request with the history as text. Requests and answers go through the codecs of
// package wire. The package knows no commands and no settings beside its Options.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/summary"
)

// Options say which model to ask, and where.
type Options struct {
	// Dialect that the server speaks. Empty means that the conversation's own server is
	// asked in its own dialect, by [summary.Request.Ask]; then BaseURL, Key and Client
	// are not used.
	Dialect plimsoll.Dialect
	// Model to ask; empty means the one that MapModel names, else the model of the
	// conversation. [Cheaper] is a word for the cheapest model of the same provider.
	Model string
	// MapModel names the model for the summaries of a main model, if the server speaks
	// Gemini's API; nil means that there is no such map. See [CompressionModel].
	MapModel func(main string) string
	// BaseURL of the API; empty means the provider's own. It may be the whole
	// address of the endpoint.
	BaseURL string
	// Key for the API; empty means none, which only a BaseURL of your own allows.
	Key Key
	// Window of the model in tokens; 0 means what Models knows, and if it knows
	// nothing, what the server's refusals tell.
	Window int
	// Models has the limits of models; nil means [model.Default].
	Models *model.Registry
	// Client sends the requests; nil means one that follows no redirects, since
	// they would take the key elsewhere.
	Client *http.Client
	// Timeout of each request; 0 means 60 seconds.
	Timeout time.Duration
}

// Key is an API key. It is printed, logged and marshalled as dots.
type Key string

const hiddenKey = "…"

// Format hides the key.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hiddenKey) }

// MarshalText hides the key.
func (Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }

// Cheaper, as the name of a model, asks the cheapest model of the same provider that the
// list of models has, with a window as large. If there is none, or the server does not
// have it, the conversation's own model is asked.
const Cheaper = "cheaper"

func (o *Options) setDefaults() {
	o.BaseURL = cmp.Or(o.BaseURL, providerOf[o.Dialect].url)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	if o.Models == nil {
		o.Models = model.Default()
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
}

// Summarizer asks a model for summaries. What is larger than the model's window it
// asks for chunk by chunk.
type Summarizer struct {
	options Options
	base    *url.URL
}

var _ summary.Summarizer = (*Summarizer)(nil)

// New returns a summariser, or an error that says which option is missing or wrong.
func New(o Options) (*Summarizer, error) {
	if o.Dialect == "" {
		o.setDefaults()
		return &Summarizer{options: o}, nil
	}
	p, ok := providerOf[o.Dialect]
	if !ok {
		return nil, invalid(fmt.Errorf("there is no API called %q", o.Dialect), "use one of openai, responses, anthropic, gemini and ollama")
	}
	if o.BaseURL == "" && o.Key == "" && p.env != "" {
		return nil, invalid(errors.New("no API key"), "set "+p.env+", or give the address of a server that needs no key")
	}
	o.setDefaults()
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, invalid(errors.New("not the address of a server"), "give an address such as https://api.openai.com/v1 or http://localhost:11434/v1")
	}
	return &Summarizer{o, base}, nil
}

func invalid(err error, hint string) error {
	return &plimsoll.Error{Op: "summarizer", Code: plimsoll.CodeInvalid, Hint: hint, Err: err}
}

// Name returns the API and, if it is fixed, the model.
func (s *Summarizer) Name() string {
	api := cmp.Or(string(s.options.Dialect), "the conversation's server")
	if s.options.Model == "" {
		return api
	}
	return api + ":" + s.options.Model
}

// AsksCaller reports whether it asks the conversation's own server.
func (s *Summarizer) AsksCaller() bool { return s.options.Dialect == "" }

// Summarize asks the model. Errors are of the type [*summary.Failure] and wrap a
// [*plimsoll.Error] with a hint; the caller's cancellation is returned as it is.
func (s *Summarizer) Summarize(ctx context.Context, r *summary.Request) (summary.Summary, error) {
	dialect := s.options.Dialect
	if s.AsksCaller() {
		dialect = cmp.Or(r.Conversation.Dialect, plimsoll.OpenAI)
		if _, ok := providerOf[dialect]; !ok || r.Ask == nil {
			return summary.Summary{}, &summary.Failure{Final: true, Err: invalid(
				fmt.Errorf("there is no server to ask for a conversation in the API %q", dialect), "name a summarizer, such as openai:MODEL")}
		}
	}
	names := s.modelsFor(dialect, r.Conversation.Model)
	if len(names) == 0 {
		return summary.Summary{}, &summary.Failure{Final: true, Err: invalid(
			errors.New("no model to ask: the conversation names none"), "name one, such as "+string(dialect)+":MODEL")}
	}
	var failed summary.Failure
	for i, name := range names {
		window, output := s.limits(name)
		own := r.Window > 0 && s.AsksCaller() && name == meant(r.Conversation.Model)
		if own {
			window = r.Window
		}
		one := asking{s, dialect, name, window, output}
		got, err := summary.Fold{Summarizer: one, Window: window, Own: own && r.Whole}.Summarize(ctx, r)
		if ctx.Err() != nil {
			return summary.Summary{}, ctx.Err()
		}
		got.By, got.Model, got.Usage = one.Name(), name, got.Usage.Add(failed.Usage)
		var f *summary.Failure
		if !errors.As(err, &f) {
			return got, err
		}
		usage := failed.Usage.Add(f.Usage)
		failed = *f
		failed.Model, failed.Usage = name, usage
		if f.Busy || i+1 == len(names) { // another model cannot help
			break
		}
	}
	return summary.Summary{}, &failed
}

// limits returns the window of a model and the most that it writes; 0 is unknown.
func (s *Summarizer) limits(name string) (window, output int) {
	window = s.options.Window
	if m, err := s.options.Models.Lookup(name); err == nil {
		window, output = cmp.Or(window, m.Window, m.InputLimit), m.OutputLimit
	}
	return window, output
}

// asking is a summariser that asks one model, once.
type asking struct {
	*Summarizer
	dialect plimsoll.Dialect
	model   string
	// window and most are the limits of the model; 0 is unknown.
	window, most int
}

// Name returns the API and the model.
func (a asking) Name() string { return string(a.dialect) + ":" + a.model }

// Summarize asks for a summary of the whole old part.
func (a asking) Summarize(ctx context.Context, r *summary.Request) (summary.Summary, error) {
	body, err := a.body(r)
	if err != nil {
		return summary.Summary{}, a.failure(summary.Failure{}, plimsoll.CodeInvalid, "", fmt.Errorf("the request cannot be written: %w", err))
	}
	answer, err := a.send(ctx, r, body)
	if err != nil {
		return summary.Summary{}, err
	}
	return a.read(answer, r)
}

// output is the most tokens that the model may write.
func (a asking) output(r *summary.Request) int {
	n := cmp.Or(r.Output, summary.OutputTokens(r.Budget, a.window))
	if a.most > 0 {
		n = min(n, a.most)
	}
	return n
}
