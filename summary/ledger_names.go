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

// names counts which messages name what.
type names struct {
	byKey map[string]*name
	all   []*name
	// now is the number of the message being read.
	now, end int
}

type name struct {
	entry
	// used counts the agent's calls that name it, known the messages.
	used, known float64
	// lastUse and lastSeen are messages; before the first means never.
	lastUse, lastSeen int
}

const never = math.MinInt32

// newNames reads a conversation from the start of its old part.
func newNames(c plimsoll.Conversation, old plimsoll.Span, previous string) *names {
	n := &names{byKey: map[string]*name{}, end: c.Messages.Len()}
	n.carryOn(previous)
	for i := old.Start; i < c.Messages.Len(); i++ {
		n.now = i
		n.message(c.Messages.At(i))
	}
	for _, k := range callsOf(c, plimsoll.Span{Start: old.Start, End: c.Messages.Len()}) {
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
			eachAtom(p.Text, n.see)
		case plimsoll.ToolCall:
			n.call(p)
		case plimsoll.ToolResult:
			for _, inner := range p.Content.All() {
				if t, ok := inner.(plimsoll.Text); ok {
					eachAtom(t.Text, n.see)
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
		n.see(a)
		if !inCall[a.text] {
			inCall[a.text] = true
			x := n.byKey[a.text]
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

func (n *names) see(a atom) {
	x := n.byKey[a.text]
	if x == nil {
		x = n.add(entry{key: strings.Clone(a.text), lead: a.lead})
	}
	if x.lastSeen != n.now {
		x.lastSeen = n.now
		x.known++
	}
}

func (n *names) add(e entry) *name {
	x := &name{entry: e, lastUse: never, lastSeen: never}
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
		x.known++
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

// carryOn adds the entries of an earlier ledger. The first of a kind counts as used
// priorUses times before the first message, the last as used once.
func (n *names) carryOn(previous string) {
	l, ok := parseLedger(previous)
	if !ok {
		return
	}
	kinds := map[action]int{}
	for _, e := range l.entries {
		kinds[e.action]++
	}
	place := map[action]int{}
	for _, e := range l.entries {
		if e.action == ranCommand { // what failed then is not what failed last
			continue
		}
		x := n.add(e)
		x.used = 1 + (priorUses-1)*(1-float64(place[e.action])/float64(kinds[e.action]))
		x.known = x.used
		place[e.action]++
	}
}

const (
	priorUses = 6
	// halfway is the distance in messages after which the weight of recency has
	// fallen to about a third.
	halfway = 60
)

// score combines frequency and recency. Frequency counts by its logarithm, so that a name
// in every line of a log does not win. Recency falls with the distance in messages. The
// agent's own use counts most.
func (x *name) score(end int) float64 {
	recent := func(at int) float64 {
		if at == never {
			return 0
		}
		return math.Exp(-float64(end-at) / halfway)
	}
	return 3*math.Log1p(x.used) + 6*recent(x.lastUse) + 0.3*math.Log1p(x.known) + recent(x.lastSeen)
}

// maxEntries bounds what a ledger looks at: more fit in no budget.
const maxEntries = 5000

// ranked returns the names, best first.
func (n *names) ranked() []entry {
	type scored struct {
		*name
		score float64
	}
	all := make([]scored, len(n.all))
	for i, x := range n.all {
		all[i] = scored{x, x.score(n.end)}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.key, b.key))
	})
	entries := make([]entry, min(len(all), maxEntries))
	for i := range entries {
		entries[i] = all[i].entry
	}
	return entries
}
