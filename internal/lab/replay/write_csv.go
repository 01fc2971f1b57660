package replay

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes a row for each session and policy.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{
		"session", "calls", "tokens", "base", "policy", "cost", "cost_vs_none", "cost_vs_optimum", "reach", "reach_ref", "reach_hard",
		"validity", "prefix_stability", "cache_read_share", "breaks", "summaries", "refetches", "peak_load",
		"used_after_cut", "survival_identifiers", "survival_words", "reach_words", "recollections", "recollection_tokens", "recollection_hits",
	}}
	for _, p := range r.Played {
		none := p.outcomes[r.baseline()].Cost
		for i, name := range r.Order {
			o := p.outcomes[i]
			q := o.quality
			rows = append(rows, []string{
				p.ID, strconv.Itoa(p.Calls), strconv.Itoa(p.Tokens), strconv.Itoa(p.Base), name,
				decimal(o.Cost), decimal(o.Cost / none), decimal(o.Cost / p.Optimum),
				decimal(share(o.exact, o.need)), decimal(share(o.stored, o.need)), decimal(share(o.hardSeen, o.hard)),
				decimal(share(o.valid, o.checked)), decimal(share(o.common, o.shared)), decimal(share(o.Read, o.Sent)),
				strconv.Itoa(o.Breaks), strconv.Itoa(o.Summary), strconv.Itoa(o.Refetch), strconv.Itoa(o.Peak),
				optional(shareIfAny(q.used, q.cuts)), optional(shareIfAny(float64(q.atomsKept), q.atoms)), optional(shareIfAny(float64(q.wordsKept), q.words)),
				optional(shareIfAny(float64(q.wordsSeen), q.wordsUsed)),
				strconv.Itoa(q.recollections), strconv.Itoa(q.recollected), optional(shareIfAny(float64(q.hits), q.recollections)),
			})
		}
	}
	return c.WriteAll(rows)
}

// optional leaves a cell empty where there is nothing to say.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return decimal(*x)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
