package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
)

// weigher turns inputs into reports.
type weigher struct {
	*report.Scales
	// keeper is that of the settings, which knows the bills in the store.
	keeper func() (*fit.Keeper, error)
	// load weighs as the keeper does.
	load func(fit.Task) (plimsoll.Load, error)
	// window, if not 0, says the limit, less the reserve.
	window int
	// modelFrom says where the model that is asked for is named, if no flag does.
	modelFrom string
	// warn tells the user what is no error.
	warn func(what any)
}

func newWeigher(ctx context.Context, p *process, c *countCmd, settings *config.Config, tenant *store.Tenant) (*weigher, error) {
	set := settings.Settings
	counting, err := p.counting(set)
	if err != nil {
		return nil, err
	}
	var named plimsoll.Counter
	if c.Encoding != "" {
		if named, err = token.Named(c.Encoding); err != nil {
			return nil, err
		}
	}
	w := &weigher{warn: p.warn, Scales: report.NewScales(counting, p.getenv, report.Words{
		Asked: "flag", Given: "file", Unknown: "give its limit with --limit N, or a list that has it with --models FILE|URL",
	})}
	w.Model, w.Named = set.Model, named
	if c.Model == "" {
		w.modelFrom = "settings"
	}
	if c.Limit != nil {
		w.Limit = *c.Limit
	}
	w.keeper = sync.OnceValues(func() (*fit.Keeper, error) {
		where := keepingOf(tenant)
		where.dry, where.counting = true, &counting
		return p.keeper(settings, where)
	})
	w.load = func(t fit.Task) (plimsoll.Load, error) {
		k, err := w.keeper()
		if err != nil {
			return plimsoll.Load{}, err
		}
		return k.Weigh(ctx, t), nil
	}
	if c.Window != nil {
		w.window = *c.Window
		w.Limit, err = w.limitOf(plimsoll.Conversation{})
	}
	return w, err
}

// limitOf returns the limit that the window leaves a conversation.
func (w *weigher) limitOf(c plimsoll.Conversation) (int, error) {
	k, err := w.keeper()
	if err != nil {
		return 0, err
	}
	return max(1, k.LineWithin(w.window, 0, c).Limit()), nil
}

// tokenizers is the directory of vocabularies: the one given, else the
// environment's, else none. A wrong one would turn exact counts into estimates.
func (p *process) tokenizers(given string) (string, error) {
	dir, from := given, "--tokenizers"
	if set := p.getenv("PLIMSOLL_TOKENIZERS"); dir == "" || dir == set {
		dir, from = set, "PLIMSOLL_TOKENIZERS"
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

// counting returns the models and the vocabularies of the settings. A list of models may
// name a tokenizer that only the directory of vocabularies has.
func (p *process) counting(s config.Settings) (token.Options, error) {
	registry, err := loadRegistry(p, texts(s.Models))
	if err != nil {
		return token.Options{}, err
	}
	tokenizers, err := p.tokenizers(string(s.Tokenizers))
	if err != nil || len(s.Models) == 0 {
		return token.Options{Registry: registry, Tokenizers: tokenizers}, err
	}
	for _, m := range registry.All() {
		if err := token.CheckTokenizer(m.Tokenizer.Name, tokenizers); err != nil {
			return token.Options{}, withOp("model "+m.ID, err)
		}
	}
	return token.Options{Registry: registry, Tokenizers: tokenizers}, nil
}

// loadRegistry lays lists over the built-in registry. Entries that make no sense
// are reported and left out.
func loadRegistry(p *process, lists []string) (*model.Registry, error) {
	registry := model.Default()
	for _, where := range lists {
		list, problems, err := model.LoadFrom(context.Background(), where)
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

// weigh reads one input and reports on each conversation in it. The dialect is "auto" or a
// name.
func (w *weigher) weigh(in input, format transcript.Format, dialect string) ([]weighed, error) {
	reports, err := w.weighInput(in, format, dialect)
	for i := range reports {
		if r := &reports[i]; r.ModelFrom == w.Words.Asked && w.modelFrom != "" {
			r.ModelFrom = w.modelFrom
		}
	}
	var typed *plimsoll.Error
	if err != nil && !errors.As(err, &typed) {
		err = inputError("count", in.name, err)
	}
	return reports, err
}

func (w *weigher) weighInput(in input, format transcript.Format, dialect string) ([]weighed, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if format == transcript.Text {
		return alone(w.weighStream(in.name, file))
	}
	if dialect != "auto" {
		return w.weighRequests(in.name, file, dialect)
	}
	data, t, err := readTranscript(file, format)
	if err != nil {
		return nil, err
	}
	if t.Format == transcript.Text {
		if t.Structured {
			w.warn(in.name + ": no conversation recognised; counted as plain text")
		}
		return alone(w.weighText(in.name, t.Text))
	}
	var tasks []fit.Task
	for _, c := range t.Conversations {
		tasks = append(tasks, w.taskOf(c, data, t.Format))
	}
	return w.weighTasks(in.name, t.Format, t.Conversations, tasks)
}

// weighRequests reads requests of one API: one, or one a line.
func (w *weigher) weighRequests(name string, r io.Reader, dialect string) ([]weighed, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, err
	}
	bodies, format := [][]byte{data}, transcript.JSON
	if _, err := parseEditable(data, dialect); errors.Is(err, errManyConversations) {
		bodies, format = bytes.Split(bytes.TrimSpace(data), []byte("\n")), transcript.JSONL
	}
	var conversations []plimsoll.Conversation
	var tasks []fit.Task
	for _, body := range bodies {
		b, err := parseEditable(body, dialect)
		if err != nil {
			return nil, err
		}
		conversations = append(conversations, b.request.Conversation())
		tasks = append(tasks, preset.Task(b.request, preset.Client{Model: w.Model}))
	}
	return w.weighTasks(name, format, conversations, tasks)
}

// weighTasks reports on the conversations of one input.
func (w *weigher) weighTasks(name string, format transcript.Format, conversations []plimsoll.Conversation, tasks []fit.Task) ([]weighed, error) {
	var reports []weighed
	for i, c := range conversations {
		scales := *w.Scales
		if w.window > 0 {
			limit, err := w.limitOf(c)
			if err != nil {
				return reports, err
			}
			scales.Limit = limit
		}
		if w.Named == nil {
			load, err := w.load(tasks[i])
			if err != nil {
				return reports, err
			}
			scales.Weigh = func(plimsoll.Conversation) plimsoll.Load { return load }
		}
		found, err := scales.Conversation(c)
		if err != nil {
			return reports, err
		}
		r := weighed{found}
		r.File, r.Format = name, string(format)
		if len(conversations) > 1 {
			r.Conversation = i + 1
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// taskOf is the task of a conversation. A file that is one request has the identity of that
// request, by which the proxy has stored its bill.
func (w *weigher) taskOf(c plimsoll.Conversation, data []byte, format transcript.Format) fit.Task {
	client := preset.Client{Model: w.Model}
	if format == transcript.JSON {
		b, err := parseEditable(data, string(c.Dialect))
		if err == nil && b.request.Conversation().Messages.Len() == c.Messages.Len() {
			return preset.Task(b.request, client)
		}
	}
	return preset.ConversationTask(c, client)
}

func alone(r weighed, err error) ([]weighed, error) {
	if err != nil {
		return nil, err
	}
	return []weighed{r}, nil
}

// weighStream counts bare text without keeping it where the vocabulary allows
// that.
func (w *weigher) weighStream(name string, r io.Reader) (weighed, error) {
	asked, err := w.Ask("", "")
	if err != nil {
		return weighed{}, err
	}
	if !asked.Exact || asked.Info.Strategy != plimsoll.StrategyTiktoken {
		_, t, err := readTranscript(r, transcript.Text)
		if err != nil {
			return weighed{}, err
		}
		return w.weighText(name, t.Text)
	}
	encoding, err := bpe.Get(asked.Info.Encoding)
	if err != nil {
		return weighed{}, err
	}
	stream := encoding.NewStream()
	if _, err := io.Copy(stream, r); err != nil {
		return weighed{}, err
	}
	out := weighed{asked.Count(plimsoll.Load{Total: stream.Total(), Exact: true})}
	out.File, out.Format = name, string(transcript.Text)
	return out, nil
}

// weighText counts bare text: no roles, no framing.
func (w *weigher) weighText(name, text string) (weighed, error) {
	found, err := w.Text(text)
	found.File, found.Format = name, string(transcript.Text)
	return weighed{found}, err
}
