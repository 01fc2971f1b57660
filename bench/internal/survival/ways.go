package survival

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/survival"
)

// way is a text that can stand in the place of an old conversation. It may be asked
// for a size in tokens.
type way struct {
	name string
	make func(e *event, size int) string
}

// ways are compared at the size of the first, except for those that have their own.
func ways() []way {
	return []way{
		{Ours, func(e *event, _ int) string { return e.checkpoint.whole() }},
		{"its ledger", func(e *event, _ int) string { return e.checkpoint.Ledger }},
		{"its summary", func(e *event, _ int) string { return e.checkpoint.Summary }},
		{"what the user said", func(e *event, _ int) string { return e.checkpoint.User }},
		{Recorded, func(e *event, _ int) string { return e.Summary }},
		{Random, (*event).random},
		{Tail, (*event).tail},
		{"the research's ledger, 2,000 by its estimate", func(e *event, _ int) string { return e.research(2000, byEstimate) }},
		{"the research's ledger, 1,000 by its estimate", func(e *event, _ int) string { return e.research(1000, byEstimate) }},
	}
}

// The ways that goals speak of.
const (
	Ours     = "checkpoint: user, ledger, summary"
	Recorded = "recorded summary of a model"
	Random   = "random identifiers, same size"
	Tail     = "tail, same size"
)

// event is a compaction with what the ways need to know of it.
type event struct {
	survival.Event
	count      func(string) int
	checkpoint Checkpoint
	uses       map[string]*use
}

// use says who named an identifier, and when.
type use struct {
	known, used   int
	last, lastUse int
}

func newEvent(e survival.Event, count func(string) int) (*event, error) {
	checkpoint, err := NewCheckpoint(e.Before, e.Old, count)
	if err != nil {
		return nil, err
	}
	v := &event{Event: e, count: count, checkpoint: checkpoint, uses: map[string]*use{}}
	for i, m := range e.Before.Messages.Slice()[:e.Old.End] {
		for a := range survival.Atoms(survival.Text(m, survival.AsWritten)) {
			if v.uses[a] == nil {
				v.uses[a] = &use{lastUse: -1}
			}
			v.uses[a].known++
			v.uses[a].last = i
		}
		for _, call := range survival.Calls(m, survival.AsWritten) {
			for a := range survival.Atoms(call) {
				v.uses[a].used++
				v.uses[a].lastUse = i
			}
		}
	}
	return v, nil
}

// random takes identifiers by lot.
func (e *event) random(size int) string {
	dice := rand.New(rand.NewPCG(1, 1))
	return e.list(func(*use) float64 { return dice.Float64() }, size, e.count)
}

// research is the ledger of the study in which the measure was defined.
func (e *event) research(size int, cost func(string) int) string {
	end := float64(e.Before.Messages.Len())
	return e.list(func(u *use) float64 {
		score := 3*math.Log1p(float64(u.used)) + 0.3*math.Log1p(float64(u.known)) + math.Exp(-(end-float64(u.last))/60)
		if u.lastUse >= 0 {
			score += 6 * math.Exp(-(end-float64(u.lastUse))/60)
		}
		return score
	}, size, cost)
}

func byEstimate(a string) int { return survival.Estimate(a) + 1 }

// list takes the identifiers with the highest scores until the size is reached.
func (e *event) list(score func(*use) float64, size int, cost func(string) int) string {
	type scored struct {
		atom  string
		score float64
	}
	var all []scored
	for _, a := range sortedKeys(e.uses) {
		all = append(all, scored{a, score(e.uses[a])})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	for _, s := range all {
		if size -= cost(" " + s.atom); size < 0 {
			break
		}
		b.WriteString(" " + s.atom)
	}
	return b.String()
}

func sortedKeys(m map[string]*use) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// tail takes whole messages from the end.
func (e *event) tail(size int) string {
	var texts []string
	for _, m := range slices.Backward(e.Before.Messages.Slice()) {
		text := survival.Text(m, survival.AsWritten)
		if size -= e.count(text); size < 0 {
			break
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}
