package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// Goal is a promise with what a run found.
type Goal struct {
	What string `json:"what"`
	Want string `json:"want"`
	Got  string `json:"got"`
	// Reached is false also if something needed was not measured.
	Reached bool `json:"reached"`
}

const (
	cl100k = "cl100k_base"
	o200k  = "o200k_base"
)

// plain are the texts that the first goals speak of.
var plain = []string{"english", "code", "json"}

// Goals judges a run.
func Goals(r *measure.Result) []Goal {
	all := names(r)
	return []Goal{
		ratio(r, "count English, code and JSON, cl100k", cl100k, peers.BestGo, 60),
		ratio(r, "count English, code and JSON, o200k", o200k, peers.BestGo, 45),
		ratio(r, "count English, code and JSON, cl100k", cl100k, peers.Native, 4),
		ratio(r, "the same against the fastest peer here", cl100k, fastest(r, cl100k), 4),
		atLeast("count English, code and JSON, cl100k", 400, r.Speed(measure.Count, cl100k, peers.Us, plain...)),
		atLeast("the same without assembly", 300, r.Speed(measure.Count, cl100k, peers.Portable, plain...)),
		atLeast("first pass over all texts, slower encoding", 120, slowest(r, measure.Cold, all)),
		atLeast("Japanese, slower encoding", 80, slowest(r, measure.Count, []string{"japanese"})),
		atLeast("base64 and hex, slower encoding", 80, slowest(r, measure.Count, []string{"blob"})),
		atLeast("minified JavaScript, slower encoding", 80, slowest(r, measure.Count, []string{"minjs"})),
		atLeast("encode all texts, slower encoding", 120, slowest(r, measure.Encode, all)),
		stalling(r),
		firstCount(r, cl100k),
		firstCount(r, o200k),
		appending(r),
		exact(r),
	}
}

func ratio(r *measure.Result, what, encoding, peer string, want float64) Goal {
	us, them := r.Speed(measure.Count, encoding, peers.Us, plain...), r.Speed(measure.Count, encoding, peer, plain...)
	return Goal{
		What: what, Want: fmt.Sprintf("≥ %.0f× %s", want, peer), Got: times(us, them),
		Reached: us > 0 && them > 0 && us/them >= want,
	}
}

// fastest returns the name of the fastest peer on the plain texts.
func fastest(r *measure.Result, encoding string) string {
	name, best := "the best native peer", 0.0
	for _, p := range r.Peers {
		if got := r.Speed(measure.Count, encoding, p.Name, plain...); p.Name != peers.Us && p.Name != peers.Portable && got > best {
			name, best = p.Name, got
		}
	}
	return name
}

func atLeast(what string, want, got float64) Goal {
	return Goal{What: what, Want: fmt.Sprintf("≥ %.0f MB/s", want), Got: speed(got) + " MB/s", Reached: got >= want}
}

func slowest(r *measure.Result, kind measure.Kind, texts []string) float64 {
	return min(r.Speed(kind, cl100k, peers.Us, texts...), r.Speed(kind, o200k, peers.Us, texts...))
}

func stalling(r *measure.Result) Goal {
	const want = 20 * time.Millisecond
	g := Goal{What: "any adversarial text of 1 MB, slower encoding", Want: "≤ 20 ms", Reached: true}
	var worst measure.Sample
	for _, encoding := range measure.Encodings {
		for _, kind := range texts.Adversarials() {
			s, ok := r.Find(measure.Adversarial, encoding, peers.Us, kind.Name)
			g.Reached = g.Reached && ok && s.CPU <= want && s.Bytes > 999_000
			if s.CPU > worst.CPU {
				worst = s
			}
		}
	}
	g.Got = fmt.Sprintf("%s (%s, %s)", duration(worst.CPU), worst.Text, worst.Encoding)
	return g
}

func firstCount(r *measure.Result, encoding string) Goal {
	s, ok := r.Find(measure.First, encoding, peers.Us, "")
	return Goal{
		What: "first count of a fresh process, " + encoding, Want: "≤ 30 ms",
		Got:     fmt.Sprintf("%s wall, %s CPU", duration(s.Wall), duration(s.CPU)),
		Reached: ok && s.Wall <= 30*time.Millisecond,
	}
}

// appending asks that one more message costs a fifth of counting all messages again.
func appending(r *measure.Result) Goal {
	size := measure.GrowthSizes[len(measure.GrowthSizes)-1]
	known, ok := r.Find(measure.Append, "", peers.Us, fmt.Sprintf("digest %d", size))
	recount, _ := r.Find(measure.Append, "", peers.Us, fmt.Sprintf("recount %d", size))
	return Goal{
		What: fmt.Sprintf("append a message to %d tokens", size), Want: "≤ 1/5 of a recount",
		Got:     fmt.Sprintf("%s (a recount %s)", duration(known.CPU), duration(recount.CPU)),
		Reached: ok && 5*known.CPU <= recount.CPU,
	}
}

func exact(r *measure.Result) Goal {
	g := Goal{What: "ids equal to OpenAI's tiktoken", Want: "on every text"}
	checked, differ := 0, 0
	for _, e := range r.Exact {
		if e.Peer == peers.Us {
			checked, differ = checked+e.Texts, differ+e.Differ
		}
	}
	g.Got = fmt.Sprintf("%d of %d differ", differ, checked)
	g.Reached = checked > 0 && differ == 0
	return g
}

func goalTable(r *measure.Result) *table {
	t := &table{head: []string{"what", "goal", "here", "reached"}, text: []int{1, 2, 3}}
	for _, g := range Goals(r) {
		t.add(g.What, g.Want, g.Got, g.verdict())
	}
	return t
}

// verdict tells a goal that was missed from one that could not be judged.
func (g Goal) verdict() string {
	switch {
	case g.Reached:
		return "yes"
	case strings.HasPrefix(g.Got, "–"):
		return "not measured"
	}
	return "no"
}
