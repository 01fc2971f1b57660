// Package storage drives the measurement of the store that keeps what was cut out
// of conversations: against plain compressed files, against zstdcat and grep, and
// against itself at other sizes. The programs that it starts are in peers/store and
// peers/storeserver; with workload they alone know the store.
package storage

import (
	"slices"
	"time"
)

// Result is all that a run found.
type Result struct {
	Pairs Pairs  `json:"pairs"`
	Large Large  `json:"large"`
	Refs  []Refs `json:"refs"`
	// Server has the same in a PostgreSQL server.
	Server ServerRefs `json:"server"`
}

// Pairs is what writing and reading tool outputs took, in the store and in files.
type Pairs struct {
	// Outputs of Bytes each are written and read in a round.
	Outputs int     `json:"outputs"`
	Bytes   int64   `json:"bytes"`
	Rounds  []Round `json:"rounds"`
}

// Round has the times of all outputs of one round.
type Round struct {
	Store Trip `json:"store"`
	Files Trip `json:"files"`
}

// Trip is what it took to write something and to read it again.
type Trip struct {
	Put time.Duration `json:"put_ns"`
	Get time.Duration `json:"get_ns"`
}

// Both is the time of writing and reading.
func (t Trip) Both() time.Duration { return t.Put + t.Get }

// Best returns the best rounds of each.
func (p Pairs) Best() (store, files Trip) {
	if len(p.Rounds) == 0 {
		return Trip{}, Trip{}
	}
	store = slices.MinFunc(p.Rounds, func(a, b Round) int { return int(a.Store.Both() - b.Store.Both()) }).Store
	files = slices.MinFunc(p.Rounds, func(a, b Round) int { return int(a.Files.Both() - b.Files.Both()) }).Files
	return store, files
}

// Rate returns megabytes per second for the outputs of a round.
func (p Pairs) Rate(took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(p.Bytes) * float64(p.Outputs) / 1e6 / took.Seconds()
}

// Large is about one large output.
type Large struct {
	// Bytes it has; Smaller says why these are fewer than wanted.
	Bytes   int64  `json:"bytes"`
	Lines   int64  `json:"lines"`
	Smaller string `json:"smaller,omitempty"`
	// Put is the process that wrote it, Reading the one that read parts of it.
	Put     Run    `json:"put"`
	Reading Run    `json:"reading"`
	Reads   []Read `json:"reads"`
	// Grep is the best run of ours, Pipe of zstdcat and grep; NoPipe says why there
	// is none.
	Grep    Run    `json:"grep"`
	Pipe    Run    `json:"pipe"`
	NoPipe  string `json:"no_pipe,omitempty"`
	Matches int    `json:"matches"`
}

// Run is what a process took.
type Run struct {
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"`
	// Peak is the most memory it had, in bytes; 0 if the system does not tell.
	Peak int64 `json:"peak_bytes"`
}

// Read is what reading some lines near a place took.
type Read struct {
	Percent int           `json:"percent"`
	Median  time.Duration `json:"median_ns"`
	Best    time.Duration `json:"best_ns"`
	Worst   time.Duration `json:"worst_ns"`
}

// Refs is what calls took in a store of some size.
type Refs struct {
	Count int `json:"count"`
	// Put and Get are medians of single calls.
	Trip
	// GC is the median time of a collection, divided by what it collected.
	GC time.Duration `json:"gc_ns"`
}

// ServerRefs is what calls took in a server.
type ServerRefs struct {
	Refs []Refs `json:"refs"`
	// Missing says why there is no server.
	Missing string `json:"missing,omitempty"`
	// Stopped is how many references there were when the time was up; 0 if it was
	// not.
	Stopped int `json:"stopped,omitempty"`
}

// Stored is the answer of the program that writes the large output.
type Stored struct {
	Ref   string `json:"ref"`
	Bytes int64  `json:"bytes"`
	Lines int64  `json:"lines"`
	Peak  int64  `json:"peak_bytes"`
}

// ReadAnswer is the answer of the program that reads parts of it.
type ReadAnswer struct {
	Reads []Read `json:"reads"`
	Peak  int64  `json:"peak_bytes"`
}

// GrepAnswer is the answer of the program that searches it.
type GrepAnswer struct {
	Matches int   `json:"matches"`
	Peak    int64 `json:"peak_bytes"`
}
