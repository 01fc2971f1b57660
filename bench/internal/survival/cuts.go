package survival

import (
	"path/filepath"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/survival"
)

// Cut is what checkpoints keep at the cuts of some sessions, beside a tail. Only what
// the tail does not show counts as needed.
type Cut struct {
	Name string `json:"name"`
	// Cuts and Needed are with arguments as they are written.
	Cuts   int `json:"cuts"`
	Needed int `json:"needed"`
	// Tokens is the mean size of a checkpoint, in o200k_base.
	Tokens int `json:"tokens"`
	// Exact, Lenient and Meant are the shares of a checkpoint as in [Way], Ledger and
	// List the exact ones of its ledger and of the research's ledger of the same size.
	Exact   float64 `json:"exact"`
	Lenient float64 `json:"lenient"`
	Meant   float64 `json:"exact_decoded"`
	Ledger  float64 `json:"exact_ledger"`
	List    float64 `json:"exact_list"`

	decoded int
}

// AllCuts is the name of the cuts of all sessions.
const AllCuts = "all"

// measureCuts reads agents' sessions.
func measureCuts(shared string) ([]Cut, error) {
	groups := []struct {
		Cut
		has func(corpus, session int) bool
	}{
		{Cut{Name: "entire-claude-code, sessions for fitting"}, func(corpus, session int) bool { return corpus == 0 && session%3 != 1 }},
		{Cut{Name: "entire-claude-code, sessions kept back"}, func(corpus, session int) bool { return corpus == 0 && session%3 == 1 }},
		{Cut{Name: "pi-sessions"}, func(corpus, _ int) bool { return corpus == 1 }},
		{Cut{Name: AllCuts}, func(int, int) bool { return true }},
	}
	count := bpe.O200K().Count
	for corpus, file := range []string{"entire-claude-code/sessions.jsonl.gz", "pi-sessions/before-compaction.jsonl.gz"} {
		for _, reading := range []survival.Reading{survival.AsWritten, survival.Decoded} {
			events, err := survival.Cuts(filepath.Join(shared, "corpora", file), reading)
			if err != nil {
				return nil, err
			}
			for _, compaction := range events {
				e, err := newEvent(compaction, count)
				if err != nil {
					return nil, err
				}
				session, err := strconv.Atoi(e.Session)
				if err != nil {
					return nil, err
				}
				for i := range groups {
					if groups[i].has(corpus, session) {
						groups[i].add(e, reading)
					}
				}
			}
		}
	}
	var all []Cut
	for _, g := range groups {
		needed := float64(g.Needed)
		g.Tokens /= g.Cuts
		g.Exact, g.Lenient, g.Meant = g.Exact/needed, g.Lenient/needed, g.Meant/float64(g.decoded)
		g.Ledger, g.List = g.Ledger/needed, g.List/needed
		all = append(all, g.Cut)
	}
	return all, nil
}

func (c *Cut) add(e *event, reading survival.Reading) {
	whole := e.checkpoint.whole()
	exact, lenient := e.Kept(whole)
	if reading == survival.Decoded {
		c.decoded += len(e.Needed)
		c.Meant += float64(exact)
		return
	}
	ledger, _ := e.Kept(e.checkpoint.Ledger)
	list, _ := e.Kept(e.research(e.count(e.checkpoint.Ledger), e.count))
	c.Cuts++
	c.Needed += len(e.Needed)
	c.Tokens += e.count(whole)
	c.Exact += float64(exact)
	c.Lenient += float64(lenient)
	c.Ledger += float64(ledger)
	c.List += float64(list)
}
