// Package measure runs the benchmark: it starts the peers' programs, has them
// measure the same texts in turn, and keeps the best figure of each. It does not
// judge; package report does.
package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/stat"
)

// Kind says what was measured.
type Kind string

// The kinds of measurements.
const (
	// Count is a pass over a text that was counted before.
	Count Kind = "count"
	// Encode is the same with the ids as the result.
	Encode Kind = "encode"
	// Cold is the first pass of a fresh process over a text.
	Cold Kind = "cold"
	// First is the first count of a fresh process, from its start.
	First Kind = "first"
	// Adversarial is a pass over a text of a million bytes made to stall.
	Adversarial Kind = "adversarial"
	// Append is the weighing of a conversation that grew by a message.
	Append Kind = "append"
)

// Sample is the best of the rounds of one measurement.
type Sample struct {
	Kind     Kind   `json:"kind"`
	Encoding string `json:"encoding,omitempty"`
	Peer     string `json:"peer"`
	Text     string `json:"text,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
	Tokens   int    `json:"tokens,omitempty"`
	// CPU time of the best round, and of the worst.
	CPU   time.Duration `json:"cpu_ns"`
	Worst time.Duration `json:"worst_ns"`
	// Wall is the best wall time, for first counts.
	Wall time.Duration `json:"wall_ns,omitempty"`
	// Estimated times are extrapolated from shorter texts.
	Estimated bool `json:"estimated,omitempty"`
}

// Speed returns megabytes per second.
func (s Sample) Speed() float64 { return stat.Speed(s.Bytes, s.CPU) }

// Exactness says how a peer's ids compare with the reference's.
type Exactness struct {
	Peer      string `json:"peer"`
	Encoding  string `json:"encoding"`
	Reference string `json:"reference"`
	Texts     int    `json:"texts"`
	Differ    int    `json:"differ"`
	// Example is the shortest text that differs, with its tokens.
	Example string `json:"example,omitempty"`
	Got     int    `json:"got,omitempty"`
	Want    int    `json:"want,omitempty"`
}

// TextInfo describes a text of the run.
type TextInfo struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Bytes  int    `json:"bytes"`
}

// Result is all that a run found.
type Result struct {
	Machine  Machine      `json:"machine"`
	Peers    []peers.Peer `json:"peers"`
	Texts    []TextInfo   `json:"texts"`
	Samples  []Sample     `json:"samples"`
	Exact    []Exactness  `json:"exact"`
	Failures []string     `json:"failures,omitempty"`
}

// Find returns a sample.
func (r *Result) Find(kind Kind, encoding, peer, text string) (Sample, bool) {
	i := slices.IndexFunc(r.Samples, func(s Sample) bool {
		return s.Kind == kind && s.Encoding == encoding && s.Peer == peer && s.Text == text
	})
	if i < 0 {
		return Sample{}, false
	}
	return r.Samples[i], true
}

// Speed returns the harmonic mean of a peer's speeds over texts, 0 if one of them
// was not measured.
func (r *Result) Speed(kind Kind, encoding, peer string, texts ...string) float64 {
	speeds := make([]float64, len(texts))
	for i, text := range texts {
		s, _ := r.Find(kind, encoding, peer, text)
		speeds[i] = s.Speed()
	}
	return stat.Harmonic(speeds...)
}

// Noise returns by what part the worst round of a count took longer than the
// best, in the median of all counts.
func (r *Result) Noise() float64 {
	var all []float64
	for _, s := range r.Samples {
		if s.Kind == Count && s.CPU > 0 {
			all = append(all, float64(s.Worst)/float64(s.CPU)-1)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return all[len(all)/2]
}

// add keeps the better of two rounds.
func (r *Result) add(s Sample) {
	s.Worst = s.CPU
	for i := range r.Samples {
		have := &r.Samples[i]
		if have.Kind == s.Kind && have.Encoding == s.Encoding && have.Peer == s.Peer && have.Text == s.Text {
			have.CPU, have.Worst, have.Wall = min(have.CPU, s.CPU), max(have.Worst, s.Worst), min(have.Wall, s.Wall)
			return
		}
	}
	r.Samples = append(r.Samples, s)
}
