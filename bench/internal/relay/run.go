// Package relay measures proxies for language models: what they add to the time of a
// request, what they take of the machine, and what they leave behind. All of them are
// processes of their own before the same model, and take turns, so that whatever else
// the machine does hits them alike. It knows no peer and prints nothing.
package relay

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Options of a run.
type Options struct {
	// Peers are the proxies. [Floor], [Us] and [UsCut] are among them.
	Peers []Peer
	// Model is the program that answers; see peers/relay.
	Model string
	// Source is a folder of Go code that conversations are made of.
	Source string
	// Scratch is where servers have their folders; what is in them afterwards is gone.
	Scratch string
	// Compare measures all proxies, Leak what ours leaves behind.
	Compare, Leak bool
	// Short makes everything a tenth as long, for a look at whether it works.
	Short bool
	Log   io.Writer
}

// bytesPerToken is about what the conversations here have, so that the model's bills
// are believed.
const bytesPerToken = 3.2

// Measure measures.
func Measure(o Options) (*Result, error) {
	if err := os.MkdirAll(o.Scratch, 0o755); err != nil {
		return nil, err
	}
	maker, err := newMaker(o.Source)
	if err != nil {
		return nil, err
	}
	r := &run{options: o, maker: maker, Result: &Result{Peers: o.Peers}}
	if o.Compare {
		if err := r.compare(); err != nil {
			return nil, err
		}
	}
	if o.Leak {
		if err := r.leak(); err != nil {
			return nil, err
		}
	}
	return r.Result, nil
}

type run struct {
	options Options
	*Result
	maker   *maker
	model   *server
	targets []*target
}

// target is what requests are sent to.
type target struct {
	Peer
	*client
	server *server
}

func (t *target) cpu() time.Duration {
	if t.server == nil {
		return 0
	}
	return cpu(t.server.pid())
}

func (r *run) log(format string, args ...any) {
	fmt.Fprintf(r.options.Log, "proxy: "+format+"\n", args...)
}

func (r *run) fail(t *target, what string, err error) {
	if t.server != nil {
		err = fmt.Errorf("%w (its log ends: %s)", err, t.server.lastWords())
	}
	r.log("%s, %s: %v", t.Name, what, err)
	r.Failures = append(r.Failures, fmt.Sprintf("%s, %s: %v", t.Name, what, err))
}

// times returns how often something is done.
func (r *run) times(n int) int {
	if r.options.Short {
		return max(1, n/10)
	}
	return n
}

func (r *run) compare() error {
	if err := r.startAll(); err != nil {
		return err
	}
	defer r.stopAll()
	r.vocabulary()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"memory without work", r.idle},
		{"answers in one piece", r.latencies},
		{"streams", r.streams},
		{"throughput", r.throughput},
		{"memory with large bodies", r.bodies},
	} {
		r.log("%s", step.name)
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func (r *run) startModel() error {
	var err error
	r.model, err = start(Command{
		Args: []string{r.options.Model, "upstream", "ADDRESS", strconv.FormatFloat(bytesPerToken, 'f', -1, 64)}, Health: "/healthz",
	}, "", r.options.Scratch)
	return err
}

// startAll starts the model and all proxies. One that does not start is missing from
// then on; without the floor or ours there is nothing to compare.
func (r *run) startAll() error {
	if err := r.startModel(); err != nil {
		return err
	}
	r.targets = []*target{{Peer: Peer{Name: Direct}, client: newClient(r.model.base)}}
	for i := range r.Peers {
		p := &r.Peers[i]
		if p.Missing != "" {
			continue
		}
		r.log("start %s", p.Name)
		s, err := start(p.Command, r.model.base, r.options.Scratch)
		switch {
		case err == nil:
			r.targets = append(r.targets, &target{Peer: *p, client: newClient(s.base), server: s})
		case p.Own || p.Name == Floor:
			r.stopAll()
			return fmt.Errorf("%s: %w", p.Name, err)
		default:
			p.Missing = err.Error()
		}
	}
	return nil
}

func (r *run) stopAll() {
	for _, t := range r.targets {
		t.close()
		if t.server != nil {
			t.server.stop()
		}
	}
	r.targets = nil
	r.model.stop()
}

// mode tells the model how to answer.
func (r *run) mode(query string) error {
	resp, err := http.Post(r.model.base+"/mode?"+query, "", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// comparable are the targets that do not cut: all for a small request, and for a large
// one those that cut, too.
func (r *run) comparable(cutting bool) []*target {
	var all []*target
	for _, t := range r.targets {
		if cutting || !t.Cuts {
			all = append(all, t)
		}
	}
	return all
}

// idle takes what processes take before and after their first request.
func (r *run) idle() error {
	time.Sleep(time.Second)
	for _, t := range r.targets {
		if t.server == nil {
			continue
		}
		idle := Idle{Target: t.Name, Started: Resident(t.server.pid())}
		if _, err := t.ask(r.maker.short(512, false), 0); err != nil {
			r.fail(t, "first request", err)
			continue
		}
		time.Sleep(200 * time.Millisecond)
		idle.Asked = Resident(t.server.pid())
		r.Idle = append(r.Idle, idle)
	}
	return nil
}

// vocabulary asks what the tables for counting take.
func (r *run) vocabulary() {
	out, err := exec.Command(r.options.Model, "vocabulary").Output()
	if err == nil {
		r.Vocabulary, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	}
	if err != nil {
		r.Failures = append(r.Failures, fmt.Sprintf("memory of the vocabulary: %v", err))
	}
}

// quiet collects our own garbage, so that it is not collected while something is timed.
func quiet() { runtime.GC() }
