package fit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/token"
)

// Ways in which conversations are cut down, in the order of the tables.
var Ways = []Way{
	{"auto", "plimsoll, preset auto", true},
	{"window", "plimsoll, method window", true},
	{"langchain", `langchain-core, start_on="human"`, false},
	{"langchain-default", "langchain-core, start_on not set", false},
	{"langchain-approximate", `langchain-core, start_on="human", approximate`, false},
	{"litellm", "litellm", false},
}

// Way is a library with its options.
type Way struct {
	// ID is what its program calls it, Title what readers do.
	ID, Title string
	// Ours is done by Plimsoll's program, the others by the Python one.
	Ours bool
}

// Options of a run.
type Options struct {
	// Ours and Theirs are the programs.
	Ours, Theirs peers.Peer
	// Shared is the folder that holds corpora/.
	Shared string
	// Text is a file that the conversations of the figures are made of.
	Text string
	// Waits are what [Waits] found before everything was held to one processor.
	Waits []Waiting
	// Limit of one call.
	Limit time.Duration
	Log   io.Writer
}

// Result is all that a run found.
type Result struct {
	// Missing says why there is no comparison; empty if there is one.
	Missing string `json:"missing,omitempty"`
	// Version of the libraries that were compared.
	Version string        `json:"version,omitempty"`
	Limit   time.Duration `json:"limit_ns"`
	// Conversations that were used, and recorded ones that could not be.
	Conversations int       `json:"conversations"`
	Unused        int       `json:"unused"`
	Verdicts      []Verdict `json:"verdicts"`
	Figures       []Figure  `json:"figures"`
	// Waits are on one processor and on all that there are.
	Waits []Waiting `json:"waits"`
}

// patience bounds a batch.
const patience = time.Hour

// Run measures. What could not be compared is said in the result; the error is one
// of Plimsoll's own program.
func Run(o Options) (*Result, error) {
	if o.Ours.Missing != "" {
		return nil, errors.New(o.Ours.Missing)
	}
	dir, err := os.MkdirTemp("", "plimsoll-fit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, dir: dir, meter: token.NewMeter(nil), result: &Result{Limit: o.Limit, Version: o.Theirs.Version, Waits: o.Waits}}
	if r.ours, err = line.Start(o.Ours.Command); err != nil {
		return nil, err
	}
	defer r.ours.Close()
	if err := r.figures(); err != nil {
		return nil, err
	}
	if err := r.compare(); err != nil {
		r.result.Missing = err.Error()
		fmt.Fprintln(o.Log, "NOT COMPARED:", err)
	}
	return r.result, nil
}

// Waits measures by the clock, on one processor and on all that the calling thread may
// use, in a process that is used to the words and in fresh ones.
func Waits(ours peers.Peer, text string) ([]Waiting, error) {
	if ours.Missing != "" {
		return nil, errors.New(ours.Missing)
	}
	used, err := usedWaits(ours, text)
	if err != nil {
		return nil, err
	}
	fresh, err := freshWaits(ours, text)
	return append(used, fresh...), err
}

// usedProcesses is how many processes are asked one after the other; the best counts. What
// others do on the machine comes and goes by the minute.
const usedProcesses = 8

func usedWaits(ours peers.Peer, text string) ([]Waiting, error) {
	var best []Waiting
	for range usedProcesses {
		all, err := waitsOfOne(ours, text)
		if err != nil {
			return nil, err
		}
		if best == nil {
			best = all
		}
		for i, w := range all {
			best[i].Weigh, best[i].Under, best[i].Over = min(best[i].Weigh, w.Weigh), min(best[i].Under, w.Under), min(best[i].Over, w.Over)
		}
	}
	return best, nil
}

// waitsOfOne asks one process.
func waitsOfOne(ours peers.Peer, text string) ([]Waiting, error) {
	client, err := line.Start(ours.Command)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	dir, err := os.MkdirTemp("", "plimsoll-fit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "waits")
	if _, err := client.Do(patience, "waits", text, file); err != nil {
		return nil, err
	}
	return ReadLines[Waiting](file)
}

type run struct {
	Options
	dir          string
	ours, theirs *line.Client
	meter        plimsoll.Meter
	result       *Result
}

func (r *run) figures() error {
	fmt.Fprintln(r.Log, "fit: figures")
	file := filepath.Join(r.dir, "figures")
	_, err := r.ours.Do(patience, "figures", r.Text, file)
	if err == nil {
		r.result.Figures, err = ReadLines[Figure](file)
	}
	return err
}

func (r *run) compare() error {
	if r.Theirs.Missing != "" {
		return errors.New(r.Theirs.Missing)
	}
	cases, unused, err := Cases(r.Shared)
	if err != nil {
		return err
	}
	r.result.Conversations, r.result.Unused = len(cases), unused
	if r.theirs, err = line.Start(r.Theirs.Command); err != nil {
		return err
	}
	defer r.theirs.Close()
	for len(cases) > 0 {
		n := 1
		for n < len(cases) && cases[n].Corpus == cases[0].Corpus {
			n++
		}
		if err := r.corpus(cases[:n]); err != nil {
			return fmt.Errorf("%s: %w", cases[0].Corpus, err)
		}
		cases = cases[n:]
	}
	return nil
}

// corpus has every way make its cases fit, one after the other, so that all run in
// the same minutes.
func (r *run) corpus(cases []Case) error {
	file := filepath.Join(r.dir, "cases")
	if err := WriteLines(file, cases); err != nil {
		return err
	}
	for _, way := range Ways {
		fmt.Fprintf(r.Log, "fit: %s, %s\n", cases[0].Corpus, way.Title)
		outcomes, err := r.trim(way, file)
		if err != nil {
			return fmt.Errorf("%s: %w", way.Title, err)
		}
		if err := r.judge(way, cases, outcomes); err != nil {
			return fmt.Errorf("%s: %w", way.Title, err)
		}
	}
	return nil
}

func (r *run) trim(way Way, cases string) ([]Outcome, error) {
	client, file := r.theirs, filepath.Join(r.dir, "outcomes")
	if way.Ours {
		client = r.ours
	}
	seconds := strconv.FormatFloat(r.Limit.Seconds(), 'f', -1, 64)
	if _, err := client.Do(patience, "trim", way.ID, cases, file, seconds); err != nil {
		return nil, err
	}
	return ReadLines[Outcome](file)
}

func (r *run) judge(way Way, cases []Case, outcomes []Outcome) error {
	for _, c := range cases {
		for _, b := range c.Budgets {
			if len(outcomes) == 0 {
				return errors.New("fewer outcomes than cases")
			}
			v, err := judge(c, b, way.ID, outcomes[0], r.meter)
			if err != nil {
				return fmt.Errorf("%s in %d tokens: %w", c.ID, b.Tokens, err)
			}
			r.result.Verdicts = append(r.result.Verdicts, v)
			outcomes = outcomes[1:]
		}
	}
	return nil
}
