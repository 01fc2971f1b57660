package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/token"
)

// diffCmd compares two forms of a conversation.
type diffCmd struct {
	Before string `arg:"" complete:"file" help:"The conversation as it was; - is standard input."`
	After  string `arg:"" complete:"file" help:"The conversation as it is now."`

	Model   string `short:"m" placeholder:"NAME" complete:"model" help:"Model to count for. Default: the one the first request names."`
	Dialect string `enum:"auto, ${dialects}" default:"auto" help:"The API that the requests are meant for: ${enum}."`
	All     bool   `short:"a" help:"List every message, also the many that stayed."`
	JSON    bool   `name:"json" help:"Print JSON instead of a table."`

	Models     []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`
}

// Help is the long help text.
func (*diffCmd) Help() string {
	return `Compares a conversation with what fit, compact or another program made of it: which messages were kept, edited, dropped and added, and what they weigh. A message counts as edited if it answers or makes the same tool calls, or begins as the other does.

Examples:

    plimsoll diff request.json smaller.json
    plimsoll fit --window 32000 request.json | plimsoll diff request.json -`
}

// Run compares the two.
func (c *diffCmd) Run(p *process, root *cli) error {
	settings, err := p.settings(root, []config.Flag{
		{Key: "model", Value: c.Model},
		{Key: "models", Value: c.Models},
		{Key: "tokenizers", Value: c.Tokenizers},
	})
	if err != nil {
		return err
	}
	first, before, err := p.readOne("diff", c.Before, c.Dialect, false)
	if err != nil {
		return err
	}
	second, after, err := p.readOne("diff", c.After, string(before.request.Dialect()), false)
	if err != nil {
		return err
	}
	w, err := p.differ(settings, taskOf(settings.Settings, before).Conversation.Model)
	if err != nil {
		return err
	}
	told := w.compare(side{first.name, before}, side{second.name, after})
	if c.JSON {
		return encodeJSON(p.out, told)
	}
	told.show(p.out, newDisplay(p, nil, root.Color), c.All)
	return nil
}

// differ compares conversations as one model counts them.
type differ struct {
	meter plimsoll.Meter
	model string
}

// side is one of two conversations, with its name.
type side struct {
	name string
	body *conversationFile
}

func (p *process) differ(settings *config.Config, model string) (*differ, error) {
	options, err := p.counting(settings.Settings)
	if err != nil {
		return nil, err
	}
	return &differ{token.NewMeter(&token.MeterOptions{Options: options}), model}, nil
}

// change is what became of a message.
type change string

const (
	kept    change = "kept"
	edited  change = "edited"
	dropped change = "dropped"
	added   change = "added"
)

// diffReport is what diff says.
type diffReport struct {
	Model    string       `json:"model"`
	Exact    bool         `json:"exact"`
	Before   diffSide     `json:"before"`
	After    diffSide     `json:"after"`
	Totals   []diffTotal  `json:"totals"`
	Messages []diffedPair `json:"messages"`
}

type diffSide struct {
	File     string `json:"file"`
	Messages int    `json:"messages"`
	Tokens   int    `json:"tokens"`
	Band     int    `json:"band"`
}

// diffTotal sums up one kind of change.
type diffTotal struct {
	Change   change `json:"change"`
	Messages int    `json:"messages"`
	Before   int    `json:"tokens_before"`
	After    int    `json:"tokens_after"`
}

// diffedPair is a message before and after; an index is -1 where there is none.
type diffedPair struct {
	Change change `json:"change"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	Role   string `json:"role"`
	// What the message holds and how it begins, for people.
	What         string `json:"what"`
	Begins       string `json:"begins,omitempty"`
	TokensBefore int    `json:"tokens_before"`
	TokensAfter  int    `json:"tokens_after"`
}

// compare finds out what became of each message.
func (w *differ) compare(before, after side) diffReport {
	a, b := before.body.request.Conversation(), after.body.request.Conversation()
	a.Model, b.Model = w.model, w.model
	loadA, loadB := w.meter.Weigh(a), w.meter.Weigh(b)
	r := diffReport{
		Model: w.model, Exact: loadA.Exact && loadB.Exact,
		Before:   diffSide{before.name, a.Messages.Len(), loadA.Total, loadA.Band},
		After:    diffSide{after.name, b.Messages.Len(), loadB.Total, loadB.Band},
		Messages: []diffedPair{},
	}
	namesA, namesB := report.CallNames(a), report.CallNames(b)
	for _, at := range match(sketches(before.body), sketches(after.body)) {
		pair := diffedPair{Change: at.change, Before: at.before, After: at.after}
		if at.before >= 0 {
			pair.describe(a.Messages.At(at.before), namesA)
			pair.TokensBefore = loadA.Messages[at.before].Tokens
		}
		if at.after >= 0 {
			pair.describe(b.Messages.At(at.after), namesB)
			pair.TokensAfter = loadB.Messages[at.after].Tokens
		}
		r.Messages = append(r.Messages, pair)
	}
	for _, kind := range []change{kept, edited, dropped, added} {
		total := diffTotal{Change: kind}
		for _, m := range r.Messages {
			if m.Change == kind {
				total.Messages++
				total.Before += m.TokensBefore
				total.After += m.TokensAfter
			}
		}
		r.Totals = append(r.Totals, total)
	}
	return r
}

func (d *diffedPair) describe(m plimsoll.Message, names map[string]string) {
	d.Role, d.What = string(m.Role), report.What(m, names)
	text := report.PlainText(m)
	d.Begins = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 200)], "")), " ")
}

// sketch is what messages are compared by.
type sketch struct {
	// whole is equal for messages that say the same, in whatever spelling.
	whole [sha256.Size]byte
	role  plimsoll.Role
	// calls are the ids of what the message calls and answers.
	calls  string
	begins string
}

func sketches(b *conversationFile) []sketch {
	c := b.request.Conversation()
	all := make([]sketch, c.Messages.Len())
	for i, m := range c.Messages.All() {
		all[i] = sketch{whole: sha256.Sum256(canonical(b.request.Raw(i))), role: m.Role, calls: callIDs(m)}
		text := m.Text()
		all[i].begins = text[:min(len(text), 40)]
	}
	return all
}

// canonical writes JSON so that only what it says counts.
func canonical(raw []byte) []byte {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return raw
	}
	out, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return out
}

func callIDs(m plimsoll.Message) string {
	var ids []string
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolCall:
			ids = append(ids, p.ID)
		case plimsoll.ToolResult:
			ids = append(ids, p.CallID)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, "\x00")
}
