package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/token/bpe"
)

// defaultModel is counted for when neither the user nor the file names one. It is
// one that the API of the request has: a count for another's would look exact and
// be wrong.
func defaultModel(d plimsoll.Dialect) string {
	switch d {
	case plimsoll.Anthropic:
		return "claude-sonnet-4-5"
	case plimsoll.Gemini:
		return "gemini-2.5-pro"
	}
	return "gpt-4o"
}

// weigher turns inputs into reports.
type weigher struct {
	registry *model.Registry
	limits   *model.Limits
	options  token.Options
	// model and limit are what the user demands; zero means that the file and
	// the registry decide.
	model string
	limit int
	// warn tells the user what is no error.
	warn func(what any)
	// named counts for every model; nil means that each has its own.
	named plimsoll.Counter
	// meter weighs conversations by their own models.
	meter *token.Meter
}

func newWeigher(p *process, c *countCmd) (*weigher, error) {
	w := &weigher{model: c.Model, warn: p.warn}
	if c.Limit != nil {
		w.limit = *c.Limit
	}
	var err error
	if w.registry, err = loadRegistry(p, c.Models); err != nil {
		return nil, err
	}
	if c.Encoding != "" {
		if w.named, err = token.Named(c.Encoding); err != nil {
			return nil, err
		}
	}
	w.limits = &model.Limits{Registry: w.registry, Env: p.getenv}
	w.options = token.Options{Registry: w.registry}
	if w.options.Tokenizers, err = p.tokenizers(c.Tokenizers); err != nil {
		return nil, err
	}
	w.meter = token.NewMeter(&token.MeterOptions{Options: w.options})
	return w, nil
}

// tokenizers is the directory of vocabularies: the one given, else the
// environment's, else none. A wrong one would turn exact counts into estimates.
func (p *process) tokenizers(given string) (string, error) {
	dir, from := given, "--tokenizers"
	if dir == "" {
		dir, from = p.getenv("PLIMSOLL_TOKENIZERS"), "PLIMSOLL_TOKENIZERS"
	}
	if dir == "" {
		return "", nil
	}
	wrong := "no such directory"
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir, nil
	} else if err == nil {
		wrong = "not a directory"
	}
	return "", &plimsoll.Error{
		Op: from + " " + dir, Code: plimsoll.CodeInvalid, Err: errors.New(wrong),
		Hint: "name the directory that has a folder or a file for each family, such as llama3/tokenizer.json",
	}
}

// loadRegistry lays lists over the built-in registry. Entries that make no sense
// are reported and left out.
func loadRegistry(p *process, lists []string) (*model.Registry, error) {
	registry := model.Default()
	for _, where := range lists {
		list, problems, err := model.LoadFrom(context.Background(), where, nil)
		if err != nil {
			return nil, &plimsoll.Error{
				Op: "read the list of models", Code: plimsoll.CodeInvalid,
				Hint: "give a file or an address of LiteLLM's model_prices_and_context_window.json, models.dev's api.json or a list in our own format",
				Err:  err,
			}
		}
		p.warnSkipped(where, problems)
		registry = registry.Merge(list)
	}
	return registry, nil
}

// mostSkipped is how many skipped entries of one list are shown one by one.
const mostSkipped = 3

func (p *process) warnSkipped(where string, problems []error) {
	for _, problem := range problems[:min(mostSkipped, len(problems))] {
		p.warn(fmt.Sprintf("skipped an entry of %s: %v", where, problem))
	}
	if more := len(problems) - mostSkipped; more > 0 {
		p.warn(fmt.Sprintf("skipped %s of %s as well", entries(more), where))
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 more entry"
	}
	return grouped(n) + " more entries"
}

// weigh reads one input and reports on each conversation in it.
func (w *weigher) weigh(in input, format transcript.Format) ([]report, error) {
	reports, err := w.weighInput(in, format)
	var typed *plimsoll.Error
	if err != nil && !errors.As(err, &typed) {
		err = inputError("count", in.name, err)
	}
	return reports, err
}

func (w *weigher) weighInput(in input, format transcript.Format) ([]report, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if format == transcript.Text {
		return alone(w.weighStream(in.name, file))
	}
	t, err := readTranscript(file, format)
	if err != nil {
		return nil, err
	}
	if t.Format == transcript.Text {
		if t.Structured {
			w.warn(in.name + ": no conversation recognised; counted as plain text")
		}
		return alone(w.weighText(in.name, t.Text))
	}
	var reports []report
	for i, c := range t.Conversations {
		r, err := w.weighConversation(c)
		if err != nil {
			return reports, err
		}
		r.File, r.Format = in.name, string(t.Format)
		if len(t.Conversations) > 1 {
			r.Conversation = i + 1
		}
		reports = append(reports, r)
	}
	return reports, nil
}

func alone(r report, err error) ([]report, error) {
	if err != nil {
		return nil, err
	}
	return []report{r}, nil
}

// weighStream counts bare text without keeping it where the vocabulary allows
// that.
func (w *weigher) weighStream(name string, r io.Reader) (report, error) {
	asked, err := w.ask("", "")
	if err != nil {
		return report{}, err
	}
	if !asked.exact || asked.info.Strategy != plimsoll.StrategyTiktoken {
		t, err := readTranscript(r, transcript.Text)
		if err != nil {
			return report{}, err
		}
		return w.weighText(name, t.Text)
	}
	encoding, err := bpe.Get(asked.info.Encoding)
	if err != nil {
		return report{}, err
	}
	stream := encoding.NewStream()
	if _, err := io.Copy(stream, r); err != nil {
		return report{}, err
	}
	out := asked.report(plimsoll.Load{Total: stream.Total(), Exact: true})
	out.File, out.Format = name, string(transcript.Text)
	return out, nil
}

// weighText counts bare text: no roles, no framing.
func (w *weigher) weighText(name, text string) (report, error) {
	asked, err := w.ask("", "")
	if err != nil {
		return report{}, err
	}
	none := token.NoFraming()
	meter := token.NewMeter(&token.MeterOptions{Options: w.options, Counter: asked.counter(), Framing: &none})
	load := meter.Weigh(plimsoll.Conversation{Model: asked.name, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, text))})
	out := asked.report(load)
	out.File, out.Format = name, string(transcript.Text)
	out.Messages, out.Space = []messageReport{}, nil
	return out, nil
}

func (w *weigher) weighConversation(c plimsoll.Conversation) (report, error) {
	asked, err := w.ask(c.Model, c.Dialect)
	if err != nil {
		return report{}, err
	}
	c.Model = asked.name
	c.Dialect = dialectFor(asked.known.Provider, c.Dialect)
	meter := w.meter
	if w.named != nil {
		meter = token.NewMeter(&token.MeterOptions{Options: w.options, Counter: asked.counter()})
	}
	load := meter.Weigh(c)
	out := asked.report(load)
	out.describe(c, load)
	return out, nil
}

// dialectFor returns the dialect that the model's own API would frame the
// conversation in; models that many serve keep the one of the file.
func dialectFor(provider string, file plimsoll.Dialect) plimsoll.Dialect {
	switch provider {
	case "openai", "azure":
		return plimsoll.OpenAI
	case "anthropic":
		return plimsoll.Anthropic
	case "google":
		return plimsoll.Gemini
	}
	return file
}

// question is what is counted for: a model, its limit and the counter.
type question struct {
	name, from string
	// dialect of the request; empty for text.
	dialect plimsoll.Dialect
	known   model.Model
	limit   model.Limit
	chosen  plimsoll.Counter
	info    plimsoll.CounterInfo
	// named says that the user chose the counter.
	named bool
	// exact says that the counter is the model's own, or that it was chosen and
	// no model was.
	exact bool
}

// ask settles the model, its limit and its counter. The name and the dialect are
// the file's.
func (w *weigher) ask(name string, d plimsoll.Dialect) (question, error) {
	q := question{name: name, from: "file", dialect: d, named: w.named != nil}
	switch {
	case w.model != "":
		q.name, q.from = w.model, "flag"
	case name == "":
		q.name, q.from = defaultModel(d), "default"
	}
	q.known, _, _ = w.registry.Lookup(q.name) // an unknown model is judged by its limit
	if q.limit = w.limits.For(q.name); w.limit > 0 {
		q.limit = model.Limit{Tokens: w.limit, Source: "flag", From: "--limit"}
	}
	if q.from == "flag" && q.limit.Source == model.SourceDefault {
		return q, w.unknownModel(q.name)
	}
	if q.chosen = w.named; q.chosen == nil {
		own, err := token.For(q.name, &w.options)
		if err != nil {
			return q, err
		}
		q.chosen = own
	}
	q.info = q.chosen.Info()
	q.exact = q.info.Exact && (w.named == nil || q.from == "default" || w.owns(q.name, q.info.Encoding))
	return q, nil
}

// owns says whether the encoding is the model's own.
func (w *weigher) owns(name, encoding string) bool {
	if own, ok := model.EncodingFor(name); ok {
		return own == encoding
	}
	m, _, err := w.registry.Lookup(name)
	return err == nil && m.Tokenizer == model.Tokenizer{Name: encoding, Exact: true}
}

func (w *weigher) unknownModel(name string) error {
	hint := "give its limit with --limit N, or a list that has it with --models FILE|URL"
	var unknown *model.UnknownModelError
	if _, _, err := w.registry.Lookup(name); errors.As(err, &unknown) && len(unknown.Nearest) > 0 {
		hint = "did you mean " + strings.Join(unknown.Nearest, " or ") + "? Otherwise " + hint
	}
	return &plimsoll.Error{
		Op: fmt.Sprintf("model %q", name), Code: plimsoll.CodeUnknownModel, Hint: hint, Err: plimsoll.ErrUnknownModel,
	}
}

// counter returns the counter as the meter shall see it: a vocabulary that is not
// the model's own estimates.
func (q question) counter() plimsoll.Counter {
	if q.info.Exact && !q.exact {
		return borrowed{q.chosen}
	}
	return q.chosen
}

// borrowed is a vocabulary that counts for a model which has another.
type borrowed struct{ plimsoll.Counter }

// Info says that the counts are another vocabulary's.
func (b borrowed) Info() plimsoll.CounterInfo {
	info := b.Counter.Info()
	info.Exact, info.Strategy = false, token.StrategyScaled
	return info
}
