package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit/rent"
)

// Report is what a replay found.
type Report struct {
	// Policies by name, with what each cost and kept.
	Policies map[string]PolicyResult `json:"policies"`
	// Order in which the policies were named.
	Order []string `json:"-"`
	// Sessions, Calls and Tokens that were played; Skipped sessions were too short.
	Sessions int `json:"sessions"`
	Skipped  int `json:"skipped"`
	Calls    int `json:"calls"`
	Tokens   int `json:"tokens"`
	// Optimum is what the offline optimum costs relative to doing nothing.
	Optimum float64 `json:"optimum_vs_none"`
	// Assumptions that the figures rest on.
	Assumptions []string `json:"assumptions"`
	// Played has each session, in the order of the files.
	Played []*Played `json:"-"`

	lab *lab
	// share of the files that was read so far.
	share float64
}

// Played is one session under all policies.
type Played struct {
	ID     string
	Calls  int
	Tokens int
	Base   int
	// Optimum is the least that it could have cost.
	Optimum float64

	number   int
	window   int
	share    float64
	baseFrom string
	skipped  bool
	outcomes []*Outcome
	counts   []float64
}

// Outcome returns what became of the session under a policy of the report's order.
func (p *Played) Outcome(i int) *Outcome { return p.outcomes[i] }

// PolicyResult is what a policy cost and kept, over all sessions.
type PolicyResult struct {
	// CostVsNone and CostVsOptimum are costs relative to doing nothing and to the
	// offline optimum.
	CostVsNone    float64 `json:"cost_vs_none"`
	CostVsOptimum float64 `json:"cost_vs_optimum"`
	// Worst is the highest cost relative to doing nothing among the sessions.
	Worst float64 `json:"worst_vs_none"`
	// Reach is the share of the identifiers a call used that could be seen, by
	// themselves, or by base name, or behind a reference; ReachHard counts only
	// those that stand nowhere as they stood.
	Reach        float64 `json:"reach"`
	ReachLenient float64 `json:"reach_lenient"`
	ReachRef     float64 `json:"reach_ref"`
	ReachHard    float64 `json:"reach_hard"`
	// Validity is the share of requests that an API would take.
	Validity float64 `json:"validity"`
	// PrefixStability is the share of tokens that stood where they stood in the
	// request before; breaks and excess rewriting are its other side.
	PrefixStability float64 `json:"prefix_stability"`
	BreaksPer100    float64 `json:"breaks_per_100_calls"`
	ExcessRewrite   float64 `json:"excess_rewrite"`
	CacheReadShare  float64 `json:"cache_read_share"`
	// Breaks is how often a request did not begin with the one before it, Summaries how often a
	// checkpoint or a summary was made for it.
	Breaks    int `json:"breaks"`
	Summaries int `json:"summaries"`
	Refetches int `json:"refetches"`
	Calls     int `json:"calls"`
	MeanLoad  int `json:"mean_load"`
	PeakLoad  int `json:"peak_load"`
	// UserKept is the share of what the user said that stood as it was said.
	UserKept float64 `json:"user_kept"`
	// Used is the mean share of the limit that a cut leaves in use. SurvivalIDs and
	// SurvivalWords are, of the identifiers that later calls use, and of the content
	// words of later messages, that only the removed part had, the shares that what
	// replaced it names. Null if there were none.
	Used          *float64 `json:"used_after_cut"`
	SurvivalIDs   *float64 `json:"survival_identifiers"`
	SurvivalWords *float64 `json:"survival_words"`
	// ReachWords is, of the content words that an answer used and only removed messages
	// had, the share that checkpoints and recollections in the request had.
	ReachWords *float64 `json:"reach_words"`
	// Recollections that were made, the tokens that they added, and the share that the
	// recorded answer used.
	Recollections      int      `json:"recollections"`
	RecollectionTokens int      `json:"recollection_tokens"`
	RecollectionHits   *float64 `json:"recollection_hits"`
	// CountError is the median error of the meter against the bills, CountErrorP95
	// what nineteen of twenty errors stay below, CountLow the share of counts that
	// were more than 2 % too low; null without bills.
	CountError    *float64 `json:"count_error"`
	CountErrorP95 *float64 `json:"count_error_p95"`
	CountLow      *float64 `json:"count_low"`
	// Flaws are the first requests that an API would not take.
	Flaws []string `json:"flaws,omitempty"`
}

func newReport(l *lab) *Report {
	r := &Report{lab: l, Policies: map[string]PolicyResult{}}
	for _, p := range l.policies {
		r.Order = append(r.Order, p.name)
	}
	return r
}

// baseline is where the policy stands that the others are compared with.
func (r *Report) baseline() int { return slices.Index(r.Order, None) }

// collect takes what was played as it comes.
func (r *Report) collect(played <-chan *Played) {
	for p := range played {
		if p.skipped {
			r.Skipped++
		} else {
			r.Played = append(r.Played, p)
			r.Calls += p.Calls
			r.Tokens += p.Tokens
		}
		r.keepPlots()
		r.share = max(r.share, p.share)
		if r.lab.Progress != nil {
			r.lab.Progress(Progress{Session: p.ID, Sessions: len(r.Played) + r.Skipped, Calls: r.Calls, Share: r.share})
		}
	}
}

// plots is how many sessions keep their course for a plot: the longest.
const plots = 4

// keepPlots lets all but the longest sessions forget their course.
func (r *Report) keepPlots() {
	if len(r.Played) <= plots {
		return
	}
	for _, p := range r.byLength()[plots:] {
		for _, o := range p.outcomes {
			o.loads, o.cutAt = nil, nil
		}
	}
}

// byLength returns the sessions, longest first.
func (r *Report) byLength() []*Played {
	sorted := slices.Clone(r.Played)
	slices.SortFunc(sorted, func(a, b *Played) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.number, b.number))
	})
	return sorted
}

// finish adds everything up.
func (r *Report) finish() error {
	if len(r.Played) == 0 {
		return &plimsoll.Error{
			Op: "replay", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("no session to play, %d too short: %w", r.Skipped, plimsoll.ErrInvalid),
			Hint: fmt.Sprintf("sessions must have at least %d calls, and weigh what --min-context says", minCalls),
		}
	}
	slices.SortFunc(r.Played, func(a, b *Played) int { return cmp.Compare(a.number, b.number) })
	r.Sessions = len(r.Played)
	baseline := r.baseline()
	cost, optimum := 0.0, 0.0
	for _, p := range r.Played {
		cost += p.outcomes[baseline].Cost
		optimum += p.Optimum
	}
	r.Optimum = optimum / cost
	for i, name := range r.Order {
		r.Policies[name] = r.result(i, baseline, cost, optimum)
	}
	r.Assumptions = r.assumptions()
	return nil
}

func (r *Report) result(i, baseline int, none, optimum float64) PolicyResult {
	sum, worst := &Outcome{}, 0.0
	var counts []float64
	for _, p := range r.Played {
		sum.add(p.outcomes[i])
		worst = max(worst, p.outcomes[i].Cost/p.outcomes[baseline].Cost)
		counts = append(counts, p.counts...)
	}
	res := PolicyResult{
		CostVsNone: sum.Cost / none, CostVsOptimum: sum.Cost / optimum, Worst: worst,
		Reach: share(sum.exact, sum.need), ReachLenient: share(sum.alike, sum.need), ReachRef: share(sum.stored, sum.need),
		ReachHard: share(sum.hardSeen, sum.hard), Validity: share(sum.valid, sum.checked),
		PrefixStability: share(sum.common, sum.shared), CacheReadShare: share(sum.Read, sum.Sent),
		BreaksPer100: 100 * float64(sum.breaks) / float64(max(1, sum.Calls+sum.Refetch)), ExcessRewrite: float64(sum.excess) / float64(max(1, sum.fresh)),
		Breaks: sum.Breaks, Summaries: sum.Summary, Refetches: sum.Refetch, Calls: sum.Calls,
		MeanLoad: sum.Sent / max(1, sum.Calls+sum.Refetch), PeakLoad: sum.Peak, UserKept: share(sum.usersKept, sum.users), Flaws: sum.flaws,
	}
	q := sum.quality
	res.Used, res.SurvivalIDs, res.SurvivalWords = shareIfAny(q.used, q.cuts), shareIfAny(float64(q.atomsKept), q.atoms), shareIfAny(float64(q.wordsKept), q.words)
	res.ReachWords = shareIfAny(float64(q.wordsSeen), q.wordsUsed)
	res.Recollections, res.RecollectionTokens, res.RecollectionHits = q.recollections, q.recollected, shareIfAny(float64(q.hits), q.recollections)
	res.count(counts)
	return res
}

// shareIfAny is a part of a whole, or nothing if there is no whole.
func shareIfAny(part float64, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	share := part / float64(whole)
	return &share
}

// count adds how well the meter counted.
func (res *PolicyResult) count(errs []float64) {
	if len(errs) == 0 {
		return
	}
	signed, sizes, low := slices.Clone(errs), make([]float64, len(errs)), 0
	for i, e := range errs {
		sizes[i] = math.Abs(e)
		if e < -0.02 {
			low++
		}
	}
	median, p95, lowShare := quantile(signed, 0.5), quantile(sizes, 0.95), float64(low)/float64(len(errs))
	res.CountError, res.CountErrorP95, res.CountLow = &median, &p95, &lowShare
}

// quantile sorts the values and returns the one below which the share lies.
func quantile(values []float64, share float64) float64 {
	slices.Sort(values)
	return values[min(len(values)-1, int(share*float64(len(values))))]
}

func listed() string {
	var names []string
	for _, l := range rent.Lists() {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// assumptions says what the figures rest on.
func (r *Report) assumptions() []string {
	prices := "of each session's own model, as the registry knows them"
	if p := r.lab.prices; p != nil {
		prices = fmt.Sprintf("%s: read %g, write %g, output %g times uncached input, forgotten after %s", r.lab.Prices, p.Read, p.Write, p.Output, p.Life)
		if p.Cliff > 0 {
			prices += fmt.Sprintf(", %g times as much above %s tokens", p.CliffFactor, grouped(p.Cliff))
		}
	}
	window := "that of each session's model, 200,000 tokens if it is unknown"
	if r.lab.Window > 0 {
		window = grouped(r.lab.Window) + " tokens"
	}
	bases := map[string]int{}
	for _, p := range r.Played {
		bases[p.baseFrom]++
	}
	refetch := "identifiers that can no longer be seen cost nothing (--refetch charges them)"
	if r.lab.Refetch {
		refetch = fmt.Sprintf("an identifier that can no longer be seen and is used costs one more call for each of at most %d sources, whose content stays in the history; behind a reference that call is an expansion", maxSources)
	}
	offer := "none"
	if n := len(r.lab.Offer); n > 0 {
		offer = fmt.Sprintf("%d, with the first cut of a session; everything is written again then", n)
	}
	return []string{
		"The recorded answers are taken as they are, whatever was sent.",
		"Prices " + prices + ".",
		"The cache has whole messages of the last request and its answer; times are the recorded ones, 10 seconds apart where there are none.",
		"Window: " + window + ".",
		fmt.Sprintf("System and tools: %d sessions recorded them, %d by their first bill, %d assumed (%s tokens for agents, %s for others).", bases["recorded"], bases["first bill"], bases["assumed"], grouped(agentBase), grouped(otherBase)),
		"Tools that read what was taken out: " + offer + ".",
		"Tokens are counted by the meter with its factor for the family of the model; bills show in count_error alone.",
		fmt.Sprintf("none: nothing until %g of the window, then a summary of %s tokens that a model writes, which keeps no message and names nothing.", overflowShare, grouped(noneSummary)),
		"auto and the presets make their checkpoints without a model, so they cost nothing.",
		fmt.Sprintf("Optimum: cuts at the best calls with the future known, each a summary of 3,500 tokens that a model writes and the newest 20,000 tokens; 400 and 3,000 for sessions under %s tokens.", grouped(smallSession)),
		"Refetch: " + refetch + ".",
		fmt.Sprintf("Sessions with fewer than %d calls are left out (%d here, those under --min-context included).", minCalls, r.Skipped),
		"Identifiers stand for facts: a path, a file name, a word in snake or camel case, an id of letters and digits.",
	}
}
