package summary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// LedgerOptions say how a ledger is made.
type LedgerOptions struct {
	// Budget is the most tokens that the ledger may have; 0 means 2,500.
	Budget int
	// Count counts tokens; required.
	Count func(text string) int
	// Ref names the stored content of a tool result; nil means that nothing is
	// stored.
	Ref func(at plimsoll.PartRef) (id string, ok bool)
	// Refs is the most references that the ledger shows; 0 means 12.
	Refs int
	// Previous is the text of the ledger of an earlier checkpoint. Its entries stay in
	// the ledger, and rank lower while they are not used.
	Previous string
}

func (o *LedgerOptions) setDefaults() {
	if o.Budget == 0 {
		o.Budget = 2500
	}
	if o.Refs == 0 {
		o.Refs = 12
	}
}

// ledger is a list of the identifiers that the agent works with, made without a
// model. It holds bare names, so no sentence of a tool output gets into it. The zero
// ledger is empty.
type ledger struct{ entries []entry }

// entry is one name of a ledger.
type entry struct {
	// key is what makes names the same, lead what is shown before it.
	key, lead string
	// action says what was done to a file; otherAction for all other names.
	action action
	// ref names a stored result that shows it; may be empty.
	ref string
	// place orders the entries of a section; the first is the most likely to be used.
	place int
}

func (e entry) display() string { return e.lead + e.key }

// WriteLedger returns the ledger of the old part of a conversation as text; it is empty
// if there are no names. The first are those that the agent's next calls are most likely
// to use, per token. Names that the messages after the old part show are not needed. The
// same input gives the same ledger.
func WriteLedger(c plimsoll.Conversation, old plimsoll.Span, o LedgerOptions) string {
	return newLedger(c, old, o).text()
}

func newLedger(c plimsoll.Conversation, old plimsoll.Span, o LedgerOptions) ledger {
	o.setDefaults()
	calls := callsOf(c, old)
	ranked := ledger{newNames(c, old, calls, o.Previous).ranked(o.Count)}
	o.Refs -= ranked.referFailure(calls, o)
	ranked.refer(calls, o)
	return ranked.within(o.Budget, o.Count)
}

// text returns the ledger for a conversation; an empty ledger has an empty text.
func (l ledger) text() string { return renderLedger(l.entries) }

// within keeps as many of the first entries as the budget allows, and puts them in the
// order of their places.
func (l ledger) within(budget int, count func(string) int) ledger {
	first := func(n int) ledger {
		return ledger{slices.SortedStableFunc(slices.Values(l.entries[:n]), func(a, b entry) int { return cmp.Compare(a.place, b.place) })}
	}
	fits := func(n int) bool { return count(first(n).text()) <= budget }
	low, high := 0, len(l.entries) // low fits
	for low < high {
		if n := (low + high + 1) / 2; fits(n) {
			low = n
		} else {
			high = n - 1
		}
	}
	for low > 0 && !fits(low) {
		low--
	}
	return first(low)
}

// referFailure puts the last command that failed first, if its result is stored, and
// returns how many references that took.
func (l *ledger) referFailure(calls []call, o LedgerOptions) int {
	for _, k := range slices.Backward(calls) {
		if k.action != ranCommand || !k.failed || o.Ref == nil {
			continue
		}
		program, _, _ := strings.Cut(commandShape(k.command), " ")
		if id, ok := o.Ref(k.result); ok && isName(id) && isName(program) {
			l.entries = slices.Insert(l.entries, 0, entry{key: program, action: ranCommand, ref: id})
			return 1
		}
		break
	}
	return 0
}

// refer gives files their references: to the newest result that shows them. What is left
// of the limit goes to the references of the earlier ledger.
func (l *ledger) refer(calls []call, o LedgerOptions) {
	earlier := map[string]string{}
	byKey := make(map[string]int, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		if e.action == ranCommand {
			continue
		}
		byKey[e.key] = i
		earlier[e.key], e.ref = e.ref, ""
	}
	left := o.Refs
	give := func(key, id string) {
		if i, ok := byKey[key]; ok && left > 0 && l.entries[i].ref == "" && isName(id) {
			l.entries[i].ref = id
			left--
		}
	}
	if o.Ref != nil {
		for _, k := range slices.Backward(calls) {
			if !k.answered || k.action != readFile || k.failed {
				continue
			}
			if id, ok := o.Ref(k.result); ok {
				for _, f := range k.files {
					give(nameOfPath(f.path).text, id)
				}
			}
		}
	}
	for _, e := range l.entries {
		give(e.key, earlier[e.key])
	}
}

// isBare reports whether a text may be in a ledger: no blanks, no tags, no invisible
// characters.
func isBare(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == '<' || r == '>' || special(r) || isBlank(r)
	})
}

// isName reports whether a text can be an entry of a ledger.
func isName(s string) bool { return isBare(s) && len(s) <= maxAtom }
