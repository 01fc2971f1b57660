package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

// The part of the page about the store has markers of its own, because it can be
// measured alone.
const (
	storeBegin = "<!-- written by bench/run --only store: begin -->\n"
	storeEnd   = "<!-- written by bench/run --only store: end -->\n"
)

// UpdateStore replaces the tables of a page that Store makes.
func UpdateStore(file, markdown string) error { return update(file, storeBegin, storeEnd, markdown) }

// Store returns the report on the store.
func Store(r *storage.Result, m measure.Machine) string {
	l := r.Large
	large := fmt.Sprintf("%d MiB, %d lines.", l.Bytes>>20, l.Lines)
	if l.Smaller != "" {
		large += " **Smaller than 1 GiB:** " + l.Smaller + "."
	}
	search := fmt.Sprintf("%d lines match. Peak is that of the one process.", l.Matches)
	if l.NoPipe != "" {
		search += " **Not compared:** " + l.NoPipe + "."
	}
	server := "Median wall time of one call; collecting, of one object. The server does not wait for its disk.\n\n" + refsTable(r.Server.Refs).String()
	if r.Server.Missing != "" {
		server = "**Not measured:** " + r.Server.Missing + ".\n"
	}
	if r.Server.Stopped > 0 {
		server += fmt.Sprintf("\n**Stopped** when there were %d: the time was up.\n", r.Server.Stopped)
	}
	return strings.Join([]string{
		fmt.Sprintf("%s, %d cores, %s, %s, %s; load average %s at the start and %s at the end.\n",
			m.When.Format("2006-01-02"), m.Cores, m.CPU, m.OS, m.Go, m.Load[0], m.Load[1]),
		fmt.Sprintf("### Tool outputs of 1 MiB\n\nBest of %d rounds of %d outputs, wall time.\n\n", len(r.Pairs.Rounds), r.Pairs.Outputs) + pairsTable(r.Pairs).String(),
		"### Parts of a large output\n\n" + large + "\n\n" + readsTable(l).String(),
		"### Searching a large output\n\n" + search + "\n\n" + searchTable(l).String(),
		"### Many references\n\nMedian wall time of one call; collecting, of one object.\n\n" + refsTable(r.Refs).String(),
		"### Many references in PostgreSQL\n\n" + server,
		"### Goals of the store\n\n" + storeGoalTable(r).String(),
	}, "\n")
}

func pairsTable(p storage.Pairs) *table {
	t := &table{head: []string{"way", "put, MB/s", "get, MB/s", "put and get, MB/s", "of files"}}
	store, files := p.Best()
	row := func(what string, trip storage.Trip) {
		t.add(what, speed(p.Rate(trip.Put)), speed(p.Rate(trip.Get)), speed(p.Rate(trip.Both())), percent(over(files.Both().Seconds(), trip.Both().Seconds())))
	}
	row("store, SQLite", store)
	row("zstd files with fsync", files)
	return t
}

func over(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func readsTable(l storage.Large) *table {
	t := &table{head: []string{"100 lines at", "median", "best", "worst"}}
	for _, r := range l.Reads {
		t.add(fmt.Sprintf("%d %%", r.Percent), duration(r.Median), duration(r.Best), duration(r.Worst))
	}
	return t
}

func searchTable(l storage.Large) *table {
	t := &table{head: []string{"what", "wall", "CPU", "peak memory"}}
	row := func(what string, r storage.Run) { t.add(what, duration(r.Wall), duration(r.CPU), mebibytes(r.Peak)) }
	row("store, `tool_output_cache_grep`", l.Grep)
	row("`zstdcat` and `grep -F`", l.Pipe)
	row("store, the reads above", l.Reading)
	row("store, writing it", l.Put)
	return t
}

func mebibytes(n int64) string {
	if n <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func refsTable(all []storage.Refs) *table {
	t := &table{head: []string{"references", "put", "get", "gc"}}
	for _, r := range all {
		t.add(fmt.Sprint(r.Count), duration(r.Put), duration(r.Get), duration(r.GC))
	}
	return t
}
