package summary

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// What may be wrong with a summary, beside [errEmpty], [errMalformed] and nonsense.
var (
	// errEcho says that a summary repeats the messages instead of summarising them.
	errEcho = errors.New("the summary repeats the messages")
	// errLarger says that a summary is larger than the messages that it replaces, or
	// far over its budget.
	errLarger = errors.New("the summary is too large")
)

// overBudget is how many times its budget a summary may have before validate refuses it;
// repair shortens the others.
const overBudget = 3

// validate returns an error if a model's summary is useless. It ignores flaws that
// repair can fix.
func validate(r *Request, s Summary) error {
	again, err := parse(reply(s, r.Format), r.Format)
	if err != nil {
		return err
	}
	size := r.size(again)
	if most := overBudget * r.Budget; size > most {
		return fmt.Errorf("%w: %d tokens, and it may have %d", errLarger, size, r.Budget)
	}
	old := r.tokens(Transcript(r.Conversation, r.Old)) + r.size(r.Previous)
	if size >= old {
		return fmt.Errorf("%w: %d tokens instead of %d", errLarger, size, old)
	}
	if share := r.echo(again); share > maxEcho {
		return fmt.Errorf("%w: %.0f %% of it stand there word for word", errEcho, 100*share)
	}
	return r.nonsense(again)
}

// reply writes a summary as a model writes it.
func reply(s Summary, f Format) string {
	if f == Snapshot {
		return s.Text
	}
	return "<" + retainTag + ">" + s.Retain + "</" + retainTag + "><" + summaryTag + ">" + s.Text + "</" + summaryTag + ">"
}

// size counts the tokens of a summary.
func (r *Request) size(s Summary) int {
	if s.Retain == "" {
		return r.tokens(s.Text)
	}
	return r.tokens(s.Retain) + r.tokens(s.Text)
}

func (r *Request) tokens(text string) int {
	if text == "" {
		return 0
	}
	return r.Count(text)
}

// A summary is an echo if the old messages have more than maxEcho of its blocks. Fewer
// than minBlocks prove nothing.
const (
	maxEcho   = 0.6
	echoBlock = 40
	minBlocks = 12
)

// echo returns which share of a summary's text the old messages have word for word,
// white space aside. Retained text does not count, because it should be there.
func (r *Request) echo(s Summary) float64 {
	text := strings.Join(strings.Fields(s.Text), " ")
	blocks := map[uint64]bool{}
	for i := 0; i+echoBlock <= len(text); i += echoBlock {
		blocks[hashOf(text[i:i+echoBlock])] = false
	}
	if len(blocks) < minBlocks {
		return 0
	}
	r.eachOldText(func(text string) {
		text = strings.Join(strings.Fields(escape(text)), " ")
		eachWindow(text, echoBlock, func(hash uint64) {
			if _, ok := blocks[hash]; ok {
				blocks[hash] = true
			}
		})
	})
	found := 0
	for _, there := range blocks {
		if there {
			found++
		}
	}
	return float64(found) / float64(len(blocks))
}

// eachOldText visits all texts of the old part.
func (r *Request) eachOldText(visit func(text string)) {
	for i := r.Old.Start; i < r.Old.End; i++ {
		for _, p := range r.Conversation.Messages.At(i).Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				visit(p.Text)
			case plimsoll.ToolCall:
				visit(p.Arguments)
			case plimsoll.ToolResult:
				visit(plimsoll.TextOf(p.Content))
			}
		}
	}
}

// base is the multiplier of the rolling hash.
const base uint64 = 0x9e3779b97f4a7c15

// hashOf returns the hash of a text as [eachWindow] finds it.
func hashOf(text string) uint64 {
	var h uint64
	for i := range len(text) {
		h = h*base + uint64(text[i]) + 1
	}
	return h
}

// eachWindow visits the hashes of all windows of n bytes, in time linear in the
// text.
func eachWindow(text string, n int, visit func(hash uint64)) {
	if len(text) < n {
		return
	}
	out := uint64(1)
	for range n {
		out *= base
	}
	h := hashOf(text[:n])
	visit(h)
	for i := n; i < len(text); i++ {
		h = h*base + uint64(text[i]) + 1 - out*(uint64(text[i-n])+1)
		visit(h)
	}
}
