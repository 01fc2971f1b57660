package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// names counts what the old part of a conversation names.
type names struct {
	byKey map[string]*name
	all   []*name
	// now is the number of the message being read, end the number of all messages.
	now, end int
	old      plimsoll.Span
}

type name struct {
	entry
	// used counts the agent's calls that name it, known the messages, and said how
	// often they name it.
	used, known, said float64
	// lastUse and lastSeen are messages, and lastAsked is the user's newest one that
	// names it; before the first means never.
	lastUse, lastSeen, lastAsked int
	// shown means that a message after the old part names it.
	shown bool
}

const never = math.MinInt32

// newNames reads a conversation from the start of its old part, whose calls it gets.
func newNames(c plimsoll.Conversation, old plimsoll.Span, calls []call, previous string) *names {
	n := &names{byKey: map[string]*name{}, end: c.Messages.Len(), old: old}
	n.carryOn(previous)
	for i := old.Start; i < n.end; i++ {
		n.now = i
		n.message(c.Messages.At(i))
	}
	for _, k := range calls {
		n.now = k.at.Message
		for _, f := range k.files {
			n.file(f)
		}
	}
	return n
}

func (n *names) message(m plimsoll.Message) {
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			eachAtom(p.Text, func(a atom) {
				if x := n.see(a); x != nil && m.Role == plimsoll.User {
					x.lastAsked = n.now
				}
			})
		case plimsoll.ToolCall:
			n.call(p)
		case plimsoll.ToolResult:
			for _, inner := range p.Content.All() {
				if t, ok := inner.(plimsoll.Text); ok {
					eachAtom(t.Text, func(a atom) { n.see(a) })
				}
			}
		}
	}
}

// call counts what the agent names in a call, each name once. A name after an escape
// counts with the letter of the escape and without it.
func (n *names) call(p plimsoll.ToolCall) {
	inCall := map[string]bool{}
	use := func(a atom) {
		if x := n.see(a); x != nil && !inCall[a.text] {
			inCall[a.text] = true
			x.used++
			x.lastUse = n.now
		}
	}
	eachAtom(p.Name, use)
	eachArgument(p.Arguments, func(a atom) {
		use(a)
		if a.lead == escapeLead {
			eachAtom(a.text[1:], use)
		}
	})
}

// see counts a name in the old part. After it, see marks the name as shown and returns
// nil.
func (n *names) see(a atom) *name {
	x := n.byKey[a.text]
	if n.now >= n.old.End {
		if x != nil {
			x.shown = true
		}
		return nil
	}
	if x == nil {
		x = n.add(entry{key: strings.Clone(a.text), lead: a.lead})
	}
	x.said++
	if x.lastSeen != n.now {
		x.lastSeen = n.now
		x.known++
	}
	return x
}

func (n *names) add(e entry) *name {
	x := &name{entry: e, lastUse: never, lastSeen: never, lastAsked: never}
	n.byKey[e.key] = x
	n.all = append(n.all, x)
	return x
}

// file notes what was done to a file. The last action counts, but reading a file does not
// hide an earlier change.
func (n *names) file(f fileUse) {
	a := nameOfPath(f.path)
	if !isName(a.lead + a.text) {
		return
	}
	x := n.byKey[a.text]
	if x == nil {
		x = n.add(entry{key: a.text, lead: a.lead})
		x.known = 1
	}
	if x.lastUse == never {
		x.used, x.lastUse, x.lastSeen = 1, n.now, n.now
	}
	x.lead = a.lead
	if f.action != readFile || x.action == otherAction || x.action == deletedFile {
		x.action = f.action
	}
}

// A path with more words is a sentence. So is one with a longer run of letters of a
// script without blanks.
const (
	maxPathWords   = 4
	maxPathLetters = 16
)

// nameOfPath returns the name of a path in a ledger. It is the atom in the path, or the
// whole path with its blanks escaped as in an address. A path that is a sentence has no
// name.
func nameOfPath(path string) atom {
	var only atom
	eachAtom(path, func(a atom) {
		if a.lead+a.text == path {
			only = a
		}
	})
	if only.text != "" {
		return only
	}
	words := strings.FieldsFunc(path, isBlank)
	if len(words) > maxPathWords || isSentence(path) {
		return atom{}
	}
	return atom{text: strings.Join(words, "%20")}
}

func isSentence(path string) bool {
	run := 0
	for _, r := range path {
		switch {
		case strings.ContainsRune("。、！？", r):
			return true
		case r < utf8.RuneSelf:
			run = 0
		default:
			run++
		}
		if run > maxPathLetters {
			return true
		}
	}
	return false
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// carryOn adds the entries of an earlier ledger. Each counts as used once, before the
// first message: the later its place in its section, the longer before.
func (n *names) carryOn(previous string) {
	l, ok := parseLedger(previous)
	if !ok {
		return
	}
	place := map[action]int{}
	for _, e := range l.entries {
		if e.action == ranCommand { // what failed then is not what failed last
			continue
		}
		place[e.action]++
		x := n.add(e)
		x.used, x.known, x.said, x.lastUse = 1, 1, 1, n.old.Start-perPlace*place[e.action]
	}
}

// weights are the coefficients of a logistic regression: how likely the agent's next
// calls are to use a name. Recorded sessions gave them;
// docs/decisions/018-ledger-ranking.md says how.
var weights = struct{ always, used, lastUse, lastAsked, repeated, file, extension, underscore float64 }{
	always: -5.43,
	used:   0.60, lastUse: 2.54, lastAsked: 2.98, repeated: 0.70,
	file: 0.85, extension: 0.40, underscore: -0.42,
}

const (
	// memory is the distance in messages after which recency has fallen to about a
	// third.
	memory = 300
	// perPlace is how many messages a place in an earlier ledger counts.
	perPlace = 8
)

// likelihood estimates how likely the agent's next calls are to use a name.
func (x *name) likelihood(end int) float64 {
	recent := func(at int) float64 {
		if at == never {
			return 0
		}
		return math.Exp(-float64(end-at) / memory)
	}
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	w := &weights
	return 1 / (1 + math.Exp(-(w.always +
		w.used*math.Log1p(x.used) +
		w.lastUse*recent(x.lastUse) +
		w.lastAsked*recent(x.lastAsked) +
		w.repeated*math.Log1p(x.said/x.known) +
		w.file*is(x.action != otherAction) +
		w.extension*is(hasExtension(x.key)) +
		w.underscore*is(strings.Contains(x.key, "_")))))
}

// maxEntries bounds what a ledger looks at: more fit in no budget.
const maxEntries = 5000

// ranked returns the names, first those that bring most for their tokens. Names that the
// messages after the old part show are left out, except for files that were changed.
func (n *names) ranked(count func(string) int) []entry {
	type scored struct {
		entry
		score float64
	}
	var all []scored
	for _, x := range n.all {
		if !x.shown || x.action == editedFile || x.action == wroteFile || x.action == deletedFile {
			all = append(all, scored{x.entry, x.likelihood(n.end)})
		}
	}
	best := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.key, b.key))
	}
	slices.SortFunc(all, best)
	all = all[:min(len(all), maxEntries)]
	for i := range all {
		x := &all[i]
		x.place = i + 1
		x.score /= float64(max(1, count(" "+x.display())))
	}
	slices.SortFunc(all, best)
	entries := make([]entry, len(all))
	for i := range entries {
		entries[i] = all[i].entry
	}
	return entries
}
