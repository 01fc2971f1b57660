package quality

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// model counts in o200k_base.
const model = "gpt-4o"

// methods are those of `plimsoll fit`; the first is what it does unasked.
var methods = []string{"auto", preset.MethodWindow, preset.MethodSummary, preset.MethodHybrid}

// The baselines are what any program can do instead.
const (
	newestOnly = "newest messages only"
	idfExtract = "plain idf extract"
)

// Ways names what is measured, in the order of the rows.
func Ways() []string { return append(slices.Clone(methods), newestOnly, idfExtract) }

// bench weighs and fits.
type bench struct{ meter *token.Meter }

func newBench() *bench { return &bench{token.NewMeter(nil)} }

// sized is a prompt, what it weighs, and the most that it may weigh.
type sized struct {
	text          string
	tokens, limit int
}

func (s sized) used() float64 { return float64(s.tokens) / float64(s.limit) }

// way makes the messages fit into a window by the name of a way.
func (b *bench) way(name string, messages []message, window int) (sized, error) {
	limit := window - window/16 // a sixteenth is for the answer, as in fit
	var left []message
	switch name {
	case newestOnly:
		left = b.newest(messages, limit)
	case idfExtract:
		left = b.extract(messages, limit)
	default:
		return b.fit(messages, name, window, false)
	}
	return sized{textOf(left), b.weigh(left).Total, limit}, nil
}

// fit makes the messages fit into a window as `plimsoll fit --window --reserve` does. The text
// has no last message if that is a question: a question is no evidence.
func (b *bench) fit(messages []message, method string, window int, asked bool) (sized, error) {
	if method == "auto" {
		method = ""
	}
	options, err := preset.Auto(&preset.Options{Window: window, Reserve: new(window / 16), Method: method, Meter: b.meter})
	if err != nil {
		return sized{}, err
	}
	options.Marks.Soft = 0 // nothing can be prepared for later
	keeper, err := fit.New(options)
	if err != nil {
		return sized{}, err
	}
	body, err := json.Marshal(map[string]any{"model": model, "messages": messages})
	if err != nil {
		return sized{}, err
	}
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		return sized{}, err
	}
	plan, err := keeper.Fit(context.Background(), preset.Task(request, preset.Client{}))
	if err != nil {
		return sized{}, err
	}
	var left []message
	for _, m := range plan.Conversation().Messages.All() {
		left = append(left, message{string(m.Role), m.Text()})
	}
	if asked {
		left = left[:len(left)-1]
	}
	return sized{textOf(left), plan.After.Total, plan.Line.Limit()}, nil
}

func (b *bench) weigh(messages []message) plimsoll.Load {
	list := make([]plimsoll.Message, len(messages))
	for i, m := range messages {
		list[i] = plimsoll.Say(plimsoll.Role(m.Role), m.Content)
	}
	return b.meter.Weigh(plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: model, Messages: plimsoll.ListOf(list...)})
}

// newest keeps as many whole messages as fit.
func (b *bench) newest(messages []message, limit int) []message {
	load := b.weigh(messages)
	total, from := load.Total, 0
	for from < len(messages) && total > limit {
		total -= load.Messages[from].Tokens
		from++
	}
	return messages[from:]
}

// sentenceEnd is where the extract splits.
var sentenceEnd = regexp.MustCompile(`[.!?]\s+|\n`)

// extract keeps the newest quarter whole, and of what was before it the sentences with
// the rarest words per letter. It is the baseline of the research's program.
func (b *bench) extract(messages []message, limit int) []message {
	tail := b.newest(messages, limit/4)
	type sentence struct {
		text  string
		words []string
		worth float64
	}
	var all []*sentence
	df := map[string]int{}
	for _, m := range messages[:len(messages)-len(tail)] {
		for _, text := range sentences(m.Content) {
			w := words(text)
			if len(w) < 3 {
				continue
			}
			slices.Sort(w)
			s := &sentence{text: text, words: slices.Compact(w)}
			all = append(all, s)
			for _, w := range s.words {
				df[w]++
			}
		}
	}
	for _, s := range all {
		for _, w := range s.words {
			s.worth += math.Log(float64(len(all)) / float64(df[w]))
		}
		s.worth /= float64(utf8.RuneCountInString(s.text))/4 + 4
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b *sentence) int { return cmp.Compare(b.worth, a.worth) })
	room, kept := 0.73*float64(limit), map[*sentence]bool{}
	for _, s := range ranked {
		if cost := float64(utf8.RuneCountInString(s.text))/4.2 + 1; cost <= room {
			room -= cost
			kept[s] = true
		}
	}
	var texts []string
	for _, s := range all {
		if kept[s] {
			texts = append(texts, s.text)
		}
	}
	return append([]message{{"user", strings.Join(texts, "\n")}}, tail...)
}

func sentences(text string) []string {
	var all []string
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		end := at[0]
		if text[end] != '\n' {
			end++
		}
		all, from = append(all, text[from:end]), at[1]
	}
	return append(all, text[from:])
}

func textOf(messages []message) string {
	var texts []string
	for _, m := range messages {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n")
}
