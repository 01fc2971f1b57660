package interop_test

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/plimsoll/plimsoll/interop/agent"
	"github.com/plimsoll/plimsoll/interop/rig"
)

// table collects what became of each agent's job.
type table struct{ rows []string }

func (t *table) add(a *agent.Agent, way rig.Way, v, uncut rig.Verdict) {
	inContext := len(v.Sent) - len(v.Sent.Without(v.Context))
	t.rows = append(t.rows, fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d / %d / %d\t%.1f\t%.1f\t%.2f",
		a.Name, a.Dialect, way, v.Steps, v.Cuts, v.Overflows, len(v.Told),
		inContext, len(v.Sent)-inContext-len(v.Lost), len(v.Lost), 100*v.Cached, 100*uncut.Cached, v.Paid/uncut.Paid))
}

func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "client\tdialect\tway\tsteps\tcuts\toverflows\tseen by client\tmarks in context / behind refs / lost\tcached %\tuncut\tcost to uncut")
	for _, r := range t.rows {
		fmt.Fprintln(w, r)
	}
	w.Flush()
	return b.String()
}
