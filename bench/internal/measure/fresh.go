package measure

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/stat"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// Fresh processes are measured so many times. Slow peers, many of which start
// slowly too, take part in fewer rounds: in the first only for first passes, and
// there with one encoding, and in the first two for first counts.
const (
	coldRounds  = 3
	firstRounds = 5
)

// cold measures the first pass over each text in a process that has counted
// nothing but one sentence before.
func (r *run) cold() error {
	for round := range coldRounds {
		r.log("first pass, round %d of %d", round+1, coldRounds)
		for _, encoding := range Encodings {
			for _, text := range r.Options.Texts {
				r.coldRound(round, encoding, text)
			}
		}
	}
	return nil
}

func (r *run) coldRound(round int, encoding string, text texts.Text) {
	for _, p := range r.Options.Peers {
		if p.Missing != "" || p.Slow && (round > 0 || encoding != Encodings[0]) {
			continue
		}
		client, err := r.launch(p, encoding)
		if err != nil {
			r.fail(p, "start", err)
			continue
		}
		if _, err := client.Do(timeout, "load", text.Name, r.file(p, text.Name)); err != nil {
			r.fail(p, "load", err)
		} else {
			r.pass(client, Cold, encoding, p, text, 0)
		}
		client.Close()
	}
}

// first measures from the start of a process to its first count.
func (r *run) first() error {
	for round := range firstRounds {
		r.log("first count, round %d of %d", round+1, firstRounds)
		for _, encoding := range Encodings {
			for _, p := range r.Options.Peers {
				if p.Missing != "" || p.Slow && round > 1 {
					continue
				}
				wall, cpu, err := line.First(p.Command, encoding)
				if err != nil {
					r.fail(p, "first count", err)
					continue
				}
				r.add(Sample{Kind: First, Encoding: encoding, Peer: p.Name, CPU: cpu, Wall: wall})
			}
		}
	}
	return nil
}

// adversarial measures texts made to stall, with growing sizes: a peer whose
// time would exceed the limit at the next size is extrapolated from the last
// two.
func (r *run) adversarial() error {
	for _, encoding := range Encodings {
		for _, p := range r.Options.Peers {
			if p.Missing == "" && (encoding == Encodings[0] || !p.Slow) {
				r.log("adversarial, %s, %s", encoding, p.Name)
				r.adversarialPeer(encoding, p)
			}
		}
	}
	return nil
}

func (r *run) adversarialPeer(encoding string, p peers.Peer) {
	client, err := r.launch(p, encoding)
	if err != nil {
		r.fail(p, "start", err)
		return
	}
	defer client.Close()
	for _, kind := range texts.Adversarials() {
		s, err := r.stall(client, encoding, kind)
		if err != nil {
			r.fail(p, "adversarial "+kind.Name, err)
			return
		}
		s.Kind, s.Encoding, s.Peer, s.Text = Adversarial, encoding, p.Name, kind.Name
		r.add(s)
	}
}

// limit is the longest that an adversarial pass may be expected to take.
const limit = 2 * time.Second

func (r *run) stall(client *line.Client, encoding string, kind texts.Adversarial) (Sample, error) {
	sizes := []int{r.Large / 250, r.Large / 64, r.Large / 16, r.Large}
	var before Sample
	for i, size := range sizes {
		now, err := r.stallAt(client, encoding, kind, size)
		if err != nil || i == len(sizes)-1 {
			return now, err
		}
		if i > 0 && stat.Extrapolate(sizes[i+1], before.Bytes, before.CPU, now.Bytes, now.CPU) > limit {
			took := stat.Extrapolate(r.Large, before.Bytes, before.CPU, now.Bytes, now.CPU)
			return Sample{Bytes: r.Large, CPU: took, Estimated: true}, nil
		}
		before = now
	}
	return before, nil
}

// stallAt takes the best of three passes, or of one if that is slow. Each pass has
// a text a little shorter than the one before, so that none is answered from the
// memory of the last.
func (r *run) stallAt(client *line.Client, encoding string, kind texts.Adversarial, size int) (Sample, error) {
	var best Sample
	for i := range 3 {
		text, file := kind.Make(size-i*min(16, size/64)), filepath.Join(r.dir, "adversarial")
		if err := write(file, text); err != nil {
			return Sample{}, err
		}
		if _, err := client.Do(timeout, "load", "adversarial", file); err != nil {
			return Sample{}, err
		}
		got, err := client.Measure(timeout, "count", encoding, "adversarial", 0)
		if err != nil {
			return Sample{}, err
		}
		if i == 0 || got.CPU < best.CPU {
			best = Sample{Bytes: len(text), CPU: got.CPU, Tokens: got.Tokens}
		}
		if got.CPU > limit/20 {
			break
		}
	}
	return best, nil
}

// GrowthSizes are the conversations, in tokens, that a message is appended to.
var GrowthSizes = []int{20_000, 200_000}

// growth measures what one more message costs.
func (r *run) growth() error {
	for _, p := range r.Options.Peers {
		if p.Name != peers.Us {
			continue
		}
		client, err := r.launch(p)
		if err != nil {
			r.fail(p, "start", err)
			continue
		}
		for _, size := range GrowthSizes {
			r.log("append to %d tokens", size)
			if err := r.growthOf(client, p, size); err != nil {
				r.fail(p, "append", err)
			}
		}
		client.Close()
	}
	return nil
}

func (r *run) growthOf(client *line.Client, p peers.Peer, size int) error {
	answer, err := client.Do(timeout, "append", strconv.Itoa(size))
	if err != nil || len(answer) == 0 {
		return err
	}
	tokens, err := strconv.Atoi(answer[0])
	if err != nil {
		return err
	}
	for i := 1; i+1 < len(answer); i += 2 {
		took, err := strconv.ParseInt(answer[i+1], 10, 64)
		if err != nil {
			return err
		}
		r.add(Sample{Kind: Append, Peer: p.Name, Text: answer[i] + " " + strconv.Itoa(size), Tokens: tokens, CPU: time.Duration(took)})
	}
	return nil
}
