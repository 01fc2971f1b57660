package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// Encodings are those that every peer has.
var Encodings = []string{"cl100k_base", "o200k_base"}

// Options configure a run.
type Options struct {
	Peers []peers.Peer
	Texts []texts.Text
	// Rounds of the main measurement; 0 means 8. The others take fewer.
	Rounds int
	// Sample is the CPU time over which one measurement is averaged; 0 means 25
	// milliseconds.
	Sample time.Duration
	// Short is how many bytes of a text slow peers get; 0 means 200,000.
	Short int
	// Large is the size of adversarial texts; 0 means 1,000,000.
	Large int
	// Pinned tells the report that all programs run on one core.
	Pinned bool
	// Log gets a line for each step.
	Log io.Writer
}

func (o *Options) setDefaults() {
	if o.Rounds == 0 {
		o.Rounds = 8
	}
	if o.Sample == 0 {
		o.Sample = 25 * time.Millisecond
	}
	if o.Short == 0 {
		o.Short = 200_000
	}
	if o.Large == 0 {
		o.Large = 1_000_000
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
}

// timeout bounds one answer. A peer that takes longer is given up.
const timeout = 2 * time.Minute

type run struct {
	Options
	Result
	dir     string
	began   time.Time
	clients map[string]*line.Client
}

// Run measures everything. Peers that fail are named in the result; the error is
// for what leaves nothing to report.
func Run(o Options) (*Result, error) {
	o.setDefaults()
	dir, err := os.MkdirTemp("", "plimsoll-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, dir: dir, began: time.Now(), clients: map[string]*line.Client{}}
	r.Result.Machine, r.Result.Peers = machine(r.began, o.Pinned), o.Peers
	defer r.close()
	if err := r.writeTexts(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{r.start, r.exact, r.speeds, r.close, r.cold, r.first, r.adversarial, r.growth} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.Result.Machine.Load[1] = loadAverage()
	return &r.Result, nil
}

// file returns the path of a text as a peer gets it.
func (r *run) file(p peers.Peer, text string) string {
	if p.Slow {
		text += ".short"
	}
	return filepath.Join(r.dir, text)
}

func (r *run) writeTexts() error {
	for _, t := range r.Options.Texts {
		r.Result.Texts = append(r.Result.Texts, TextInfo{t.Name, t.Source, len(t.Data)})
		whole, short := filepath.Join(r.dir, t.Name), filepath.Join(r.dir, t.Name+".short")
		if err := errors.Join(write(whole, t.Data), write(short, texts.Cut(t.Data, r.Short))); err != nil {
			return err
		}
	}
	return nil
}

func write(file, data string) error { return os.WriteFile(file, []byte(data), 0o644) }

// start starts all programs and has them open the encodings and load the texts.
func (r *run) start() error {
	r.log("start %d programs", len(r.Options.Peers))
	for _, p := range r.Options.Peers {
		if p.Missing != "" {
			continue
		}
		client, err := r.launch(p, Encodings...)
		if err != nil {
			r.fail(p, "start", err)
			continue
		}
		r.clients[p.Name] = client
		for _, t := range r.Options.Texts {
			if _, err := client.Do(timeout, "load", t.Name, r.file(p, t.Name)); err != nil {
				r.fail(p, "load", err)
				break
			}
		}
	}
	if r.clients[peers.Us] == nil {
		return errors.New("plimsoll itself does not run")
	}
	return nil
}

func (r *run) launch(p peers.Peer, encodings ...string) (*line.Client, error) {
	client, err := line.Start(p.Command)
	if err != nil {
		return nil, err
	}
	for _, e := range encodings {
		if _, err := client.Do(timeout, "open", e); err != nil {
			client.Close()
			return nil, err
		}
	}
	return client, nil
}

func (r *run) close() error {
	for name, client := range r.clients {
		client.Close()
		delete(r.clients, name)
	}
	return nil
}

// speeds measures count and encode, all peers in turn in every round. Slow peers
// take part in every second one.
func (r *run) speeds() error {
	for round := range r.Rounds {
		r.log("count, round %d of %d", round+1, r.Rounds)
		r.round(Count, round%2 == 0)
		if round < (r.Rounds+1)/2 {
			r.log("encode, round %d of %d", round+1, (r.Rounds+1)/2)
			r.round(Encode, round%2 == 0)
		}
	}
	return nil
}

func (r *run) round(kind Kind, slow bool) {
	for _, encoding := range Encodings {
		for _, text := range r.Options.Texts {
			for _, p := range r.Options.Peers {
				if client := r.clients[p.Name]; client != nil && (slow || !p.Slow) {
					r.pass(client, kind, encoding, p, text, r.Sample)
				}
			}
		}
	}
}

func (r *run) pass(client *line.Client, kind Kind, encoding string, p peers.Peer, text texts.Text, budget time.Duration) {
	command := string(kind)
	if kind == Cold {
		command = string(Count)
	}
	got, err := client.Measure(timeout, command, encoding, text.Name, budget)
	if err != nil {
		r.fail(p, command+" "+encoding+" "+text.Name, err)
		return
	}
	r.add(Sample{Kind: kind, Encoding: encoding, Peer: p.Name, Text: text.Name, Bytes: r.size(p, text), Tokens: got.Tokens, CPU: got.CPU})
}

func (r *run) size(p peers.Peer, text texts.Text) int {
	if p.Slow {
		return len(texts.Cut(text.Data, r.Short))
	}
	return len(text.Data)
}

// fail notes a failure and gives the peer up for the rest of the phase.
func (r *run) fail(p peers.Peer, what string, err error) {
	failure := fmt.Sprintf("%s: %s: %v", p.Name, what, err)
	r.log("failed: %s", failure)
	if !slices.Contains(r.Failures, failure) {
		r.Failures = append(r.Failures, failure)
	}
	if client := r.clients[p.Name]; client != nil {
		client.Close()
		delete(r.clients, p.Name)
	}
}

func (r *run) log(format string, args ...any) {
	fmt.Fprintf(r.Log, "%4.0f s  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}
