package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

const speedNote = `MB/s; all is the harmonic mean, × is Plimsoll's in units of the peer's; exact says whether all ids equal those of the reference,
or how many texts differ. ¹ measured on the first fifth of each text.

`

// Markdown returns the whole report.
func Markdown(r *measure.Result) string {
	sections := []string{machineLine(r)}
	for _, encoding := range measure.Encodings {
		sections = append(sections, "### Count, warm, "+encoding+"\n\n"+speedNote+speeds(r, encoding).String())
	}
	sections = append(sections,
		"### Encode, first pass, first count\n\nMB/s over all texts; first count of a fresh process in wall time (CPU time).\n\n"+others(r).String(),
		"### Texts made to stall, cl100k_base\n\nCPU time for a million bytes, unless the run was asked for shorter texts; ~ is extrapolated.\n\n"+adversarial(r).String(),
		"### One more message of about 200 tokens\n\nCPU time of weighing the conversation with `token.Meter`.\n\n"+growth(r).String(),
		"### Exactness\n\n"+exactness(r),
		"### Texts\n\n"+textTable(r).String(),
	)
	if len(r.Failures) > 0 {
		sections = append(sections, "### Failures\n\n- "+strings.Join(r.Failures, "\n- ")+"\n")
	}
	return strings.Join(append(sections, "### Goals\n\n"+goalTable(r).String()), "\n")
}

func machineLine(r *measure.Result) string {
	return fmt.Sprintf("%s; worst round of a count %.0f %% above the best in the median.\n", machineText(r.Machine), 100*r.Noise())
}

func machineText(m measure.Machine) string {
	pinned := "not pinned"
	if m.Pinned {
		pinned = "pinned to one core"
	}
	return fmt.Sprintf("%s, %d cores, %s, %s, %s, one thread, %s; load average %s at the start and %s at the end",
		m.When.Format("2006-01-02"), m.Cores, m.CPU, m.OS, m.Go, pinned, m.Load[0], m.Load[1])
}

func names(r *measure.Result) []string {
	var all []string
	for _, t := range r.Texts {
		all = append(all, t.Name)
	}
	return all
}

// speeds has a row for each peer, fastest first, the missing ones last.
func speeds(r *measure.Result, encoding string) *table {
	columns := names(r)
	t := &table{head: slices.Concat([]string{"library"}, columns, []string{"all", "×", "exact"})}
	us := r.Speed(measure.Count, encoding, peers.Us, columns...)
	for _, p := range ranked(r, encoding) {
		if p.Missing != "" {
			t.add(p.Name + " (not installed)")
			continue
		}
		row := []string{label(p)}
		for _, text := range columns {
			row = append(row, speed(r.Speed(measure.Count, encoding, p.Name, text)))
		}
		all := r.Speed(measure.Count, encoding, p.Name, columns...)
		t.add(append(row, speed(all), times(us, all), verdict(r, p.Name, encoding))...)
	}
	return t
}

func ranked(r *measure.Result, encoding string) []peers.Peer {
	all, columns := slices.Clone(r.Peers), names(r)
	slices.SortStableFunc(all, func(a, b peers.Peer) int {
		return cmp.Compare(r.Speed(measure.Count, encoding, b.Name, columns...), r.Speed(measure.Count, encoding, a.Name, columns...))
	})
	return all
}

// label marks the peers that were measured on short texts.
func label(p peers.Peer) string {
	if p.Slow {
		return p.Name + " ¹"
	}
	return p.Name
}

func verdict(r *measure.Result, peer, encoding string) string {
	if peer == peers.Reference {
		return "reference"
	}
	for _, e := range r.Exact {
		if e.Peer == peer && e.Encoding == encoding {
			if e.Differ == 0 {
				return "yes"
			}
			return fmt.Sprintf("no (%d)", e.Differ)
		}
	}
	return "–"
}

func others(r *measure.Result) *table {
	t := &table{head: []string{"library"}}
	for _, what := range []string{"encode", "first pass", "first count"} {
		for _, encoding := range measure.Encodings {
			short, _, _ := strings.Cut(encoding, "_")
			t.head = append(t.head, what+" "+short)
		}
	}
	for _, p := range ranked(r, measure.Encodings[0]) {
		if p.Missing != "" {
			t.add(p.Name + " (not installed)")
			continue
		}
		row := []string{label(p)}
		for _, kind := range []measure.Kind{measure.Encode, measure.Cold} {
			for _, encoding := range measure.Encodings {
				row = append(row, speed(r.Speed(kind, encoding, p.Name, names(r)...)))
			}
		}
		for _, encoding := range measure.Encodings {
			s, _ := r.Find(measure.First, encoding, p.Name, "")
			row = append(row, fmt.Sprintf("%s (%s)", duration(s.Wall), duration(s.CPU)))
		}
		t.add(row...)
	}
	return t
}

func adversarial(r *measure.Result) *table {
	t := &table{head: []string{"library"}}
	for _, kind := range texts.Adversarials() {
		t.head = append(t.head, kind.Name)
	}
	for _, p := range ranked(r, measure.Encodings[0]) {
		if p.Missing != "" {
			t.add(p.Name + " (not installed)")
			continue
		}
		row := []string{p.Name}
		for _, kind := range texts.Adversarials() {
			s, _ := r.Find(measure.Adversarial, measure.Encodings[0], p.Name, kind.Name)
			cell := duration(s.CPU)
			if s.Estimated {
				cell = "~" + cell
			}
			row = append(row, cell)
		}
		t.add(row...)
	}
	return t
}

// ways are the measurements of the command "append", with their explanation.
var ways = []struct{ name, title string }{
	{"recount", "everything anew"},
	{"hashed", "known messages by the hash of their content"},
	{"digest", "known messages by their digest"},
}

func growth(r *measure.Result) *table {
	t := &table{head: []string{"way"}}
	for _, size := range measure.GrowthSizes {
		t.head = append(t.head, fmt.Sprintf("%d tokens", size))
	}
	for _, way := range ways {
		row := []string{way.title}
		for _, size := range measure.GrowthSizes {
			s, _ := r.Find(measure.Append, "", peers.Us, fmt.Sprintf("%s %d", way.name, size))
			row = append(row, duration(s.CPU))
		}
		t.add(row...)
	}
	return t
}

func exactness(r *measure.Result) string {
	var b strings.Builder
	if len(r.Exact) == 0 {
		return "Not checked.\n"
	}
	fmt.Fprintf(&b, "Ids compared with those of %s on %d texts: those of the benchmark, as long as the library gets them, and short strings on which tokenizers are known to differ.\n\n",
		r.Exact[0].Reference, r.Exact[0].Texts)
	t := &table{head: []string{"library", "encoding", "differ", "for example", "tokens", "reference"}, text: []int{1, 3}}
	for _, e := range r.Exact {
		row := []string{e.Peer, e.Encoding, fmt.Sprint(e.Differ)}
		if e.Differ > 0 {
			row = append(row, "`"+strings.NewReplacer("|", `\|`, "`", "'").Replace(fmt.Sprintf("%+q", e.Example))+"`", fmt.Sprint(e.Got), fmt.Sprint(e.Want))
		}
		t.add(row...)
	}
	return b.String() + t.String()
}

func textTable(r *measure.Result) *table {
	t := &table{head: []string{"text", "bytes", "tokens cl100k", "tokens o200k", "source"}, text: []int{4}}
	for _, text := range r.Texts {
		row := []string{text.Name, fmt.Sprint(text.Bytes)}
		for _, encoding := range measure.Encodings {
			s, _ := r.Find(measure.Count, encoding, peers.Us, text.Name)
			row = append(row, fmt.Sprint(s.Tokens))
		}
		t.add(append(row, text.Source)...)
	}
	return t
}
