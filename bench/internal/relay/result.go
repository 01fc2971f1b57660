package relay

import (
	"slices"
	"time"
)

// Names that the report looks for.
const (
	Direct = "no proxy"
	Floor  = "httputil.ReverseProxy"
	Us     = "plimsoll"
	UsCut  = "plimsoll, cutting"
)

// Result is everything that was measured.
type Result struct {
	Peers      []Peer       `json:"peers"`
	Latency    []Latency    `json:"latency"`
	Streams    []Streams    `json:"streams"`
	Throughput []Throughput `json:"throughput"`
	Idle       []Idle       `json:"idle"`
	// Vocabulary is what the tables that tokens are counted with take in memory.
	Vocabulary int64    `json:"vocabulary_bytes"`
	Bodies     []Bodies `json:"bodies"`
	Leak       *Leak    `json:"leak,omitempty"`
	// Failures are what could not be measured, and why.
	Failures []string `json:"failures,omitempty"`
}

// Peer is a proxy in the comparison.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Missing says why the peer is not there; empty if it is.
	Missing string  `json:"missing,omitempty"`
	Command Command `json:"-"`
	// Own marks ours, which has metrics and says what it decides.
	Own bool `json:"own,omitempty"`
	// Cuts marks one that has to cut what is large, and is asked nothing else.
	Cuts bool `json:"cuts,omitempty"`
}

// Case is a kind of request.
type Case string

// Cases of the latency of answers in one piece.
const (
	Small   Case = "4 KB"
	History Case = "300 KB"
	Large   Case = "4 MiB"
)

// Latency is how long one target took for requests of one kind.
type Latency struct {
	Case   Case    `json:"case"`
	Target string  `json:"target"`
	Bytes  int     `json:"bytes"`
	Rounds []Round `json:"rounds"`
	// Decisions counts what Plimsoll says that it has done.
	Decisions map[string]int `json:"decisions,omitempty"`
}

// Round is a series of requests to one target.
type Round struct {
	// First is the request that begins a conversation, which is not among the others.
	First time.Duration `json:"first,omitempty"`
	P50   time.Duration `json:"p50"`
	P99   time.Duration `json:"p99"`
	// CPU of the proxy for one request.
	CPU time.Duration `json:"cpu"`
}

// Middle returns the medians of the rounds.
func (l Latency) Middle() Round {
	return Round{
		First: l.middle(func(r Round) time.Duration { return r.First }), P50: l.middle(func(r Round) time.Duration { return r.P50 }),
		P99: l.middle(func(r Round) time.Duration { return r.P99 }), CPU: l.middle(func(r Round) time.Duration { return r.CPU }),
	}
}

func (l Latency) middle(of func(Round) time.Duration) time.Duration {
	var all []time.Duration
	for _, r := range l.Rounds {
		all = append(all, of(r))
	}
	return quantile(all, 0.5)
}

// Over returns what a target took longer than another, round by round, and of that the
// medians.
func (l Latency) Over(floor Latency) Round {
	difference := Latency{}
	for i, r := range l.Rounds {
		if i < len(floor.Rounds) {
			f := floor.Rounds[i]
			difference.Rounds = append(difference.Rounds, Round{r.First - f.First, r.P50 - f.P50, r.P99 - f.P99, r.CPU - f.CPU})
		}
	}
	return difference.Middle()
}

// Find returns the latency of a target.
func (r *Result) Find(c Case, target string) (Latency, bool) {
	i := slices.IndexFunc(r.Latency, func(l Latency) bool { return l.Case == c && l.Target == target })
	if i < 0 {
		return Latency{}, false
	}
	return r.Latency[i], len(r.Latency[i].Rounds) > 0
}

// Streams is how events came through one target.
type Streams struct {
	Target string        `json:"target"`
	Rounds []StreamRound `json:"rounds"`
	// Events that came, and those that came in one piece with the one before.
	Events    int `json:"events"`
	Coalesced int `json:"coalesced"`
	// Streams that came, and those of which a byte had changed.
	Streams int `json:"streams"`
	Changed int `json:"changed"`
}

// StreamRound is a series of streams.
type StreamRound struct {
	// First is from the request to the first byte of the body, Delay from an event
	// being sent to it being there.
	First    time.Duration `json:"first"`
	Delay    time.Duration `json:"delay"`
	DelayP99 time.Duration `json:"delay_p99"`
	CPU      time.Duration `json:"cpu"`
}

// Middle returns the medians of the rounds.
func (s Streams) Middle() StreamRound { return middleOf(s.Rounds) }

// Over returns what a target took longer than another, round by round, and of that the
// medians.
func (s Streams) Over(floor Streams) StreamRound {
	var all []StreamRound
	for i, r := range s.Rounds {
		if i < len(floor.Rounds) {
			f := floor.Rounds[i]
			all = append(all, StreamRound{r.First - f.First, r.Delay - f.Delay, r.DelayP99 - f.DelayP99, r.CPU - f.CPU})
		}
	}
	return middleOf(all)
}

func middleOf(all []StreamRound) StreamRound {
	of := func(one func(StreamRound) time.Duration) time.Duration {
		var times []time.Duration
		for _, r := range all {
			times = append(times, one(r))
		}
		return quantile(times, 0.5)
	}
	return StreamRound{
		of(func(r StreamRound) time.Duration { return r.First }), of(func(r StreamRound) time.Duration { return r.Delay }),
		of(func(r StreamRound) time.Duration { return r.DelayP99 }), of(func(r StreamRound) time.Duration { return r.CPU }),
	}
}

// Throughput is how many requests of a history went through in a second.
type Throughput struct {
	Target  string    `json:"target"`
	Clients int       `json:"clients"`
	Rates   []float64 `json:"rates"`
	// CPU of the proxy for one request, by round.
	CPU []time.Duration `json:"cpu"`
}

// Rate returns the median of the rounds.
func (t Throughput) Rate() float64 { return middleRate(t.Rates) }

// Of returns the share of another's rate, round by round, and of that the median.
func (t Throughput) Of(floor Throughput) float64 {
	var shares []float64
	for i, r := range t.Rates {
		if i < len(floor.Rates) && floor.Rates[i] > 0 {
			shares = append(shares, r/floor.Rates[i])
		}
	}
	return middleRate(shares)
}

func middleRate(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// Idle is what a process takes in memory without work.
type Idle struct {
	Target string `json:"target"`
	// Started is the resident set before the first request, Asked after it.
	Started int64 `json:"started_bytes"`
	Asked   int64 `json:"asked_bytes"`
}

// Bodies is what a process takes in memory while large bodies are under way.
type Bodies struct {
	Target string `json:"target"`
	Count  int    `json:"count"`
	Bytes  int64  `json:"bytes"`
	// Resident is the growth of the resident set at its peak. Heap is that of what is
	// in use in the heap at its peak, garbage included, and Held while all bodies
	// wait for their answers; 0 if the process does not tell.
	Resident int64 `json:"resident_bytes"`
	Heap     int64 `json:"heap_bytes"`
	Held     int64 `json:"held_bytes"`
}

// PerByte returns a figure for each byte of a body.
func (b Bodies) PerByte(figure int64) float64 {
	if b.Bytes == 0 {
		return 0
	}
	return float64(figure) / float64(b.Bytes)
}

// Leak is what many requests leave behind.
type Leak struct {
	Requests int `json:"requests"`
	Aborts   int `json:"aborts"`
	// Points are taken before, on the way and after.
	Points []LeakPoint `json:"points"`
}

// LeakPoint is what is there when nothing is under way.
type LeakPoint struct {
	Requests   int     `json:"requests"`
	Aborts     int     `json:"aborts"`
	Goroutines int     `json:"goroutines"`
	Heap       float64 `json:"heap_bytes"`
	Resident   int64   `json:"resident_bytes"`
}

// quantile returns a time of which that share is no longer.
func quantile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
