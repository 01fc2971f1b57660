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
		"validity", "prefix_stability", "cache_read_share", "cuts", "summaries", "refetches", "peak_load",
	}}
	for _, p := range r.Played {
		none := p.outcomes[r.baseline()].Cost
		for i, name := range r.Order {
			o := p.outcomes[i]
			rows = append(rows, []string{
				p.ID, strconv.Itoa(p.Calls), strconv.Itoa(p.Tokens), strconv.Itoa(p.Base), name,
				decimal(o.Cost), decimal(o.Cost / none), decimal(o.Cost / p.Optimum),
				decimal(share(o.exact, o.need)), decimal(share(o.stored, o.need)), decimal(share(o.hardSeen, o.hard)),
				decimal(share(o.valid, o.checked)), decimal(share(o.common, o.shared)), decimal(share(o.Read, o.Sent)),
				strconv.Itoa(o.Cuts), strconv.Itoa(o.Summary), strconv.Itoa(o.Refetch), strconv.Itoa(o.Peak),
			})
		}
	}
	return c.WriteAll(rows)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
