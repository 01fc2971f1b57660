package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
	engine "github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// waitRounds is how often each wait is measured; the best counts.
const waitRounds = 40

// waits measures by the clock how long a first sight takes, on one processor and on all,
// in turn.
func waits(from, to string) (string, error) {
	text, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	s := session{text: string(text), rounds: fit.Sizes[0] / 2}
	all, err := s.wait(waitRounds)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("ok\t%d", len(all)), fit.WriteLines(to, all)
}

func (s *session) wait(rounds int) ([]fit.Waiting, error) {
	body := s.request(0)
	c, err := read(body)
	if err != nil {
		return nil, err
	}
	tokens := token.NewMeter(nil).Weigh(c).Total
	all := []fit.Waiting{{Processors: 1}}
	if n := runtime.NumCPU(); n > 1 {
		all = append(all, fit.Waiting{Processors: n})
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for range rounds {
		for i := range all {
			runtime.GOMAXPROCS(all[i].Processors)
			if err := s.waitOnce(&all[i], body, tokens); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (s *session) waitOnce(w *fit.Waiting, body []byte, tokens int) error {
	c, err := read(body)
	if err != nil {
		return err
	}
	keep(&w.Weigh, clocked(func() { token.NewMeter(nil).Weigh(c) }))
	for window, took := range map[int]*time.Duration{2 * tokens: &w.Under, tokens / 2: &w.Over} {
		options, err := preset.Auto(&preset.Options{Window: window, Policy: preset.PolicyThreshold})
		if err != nil {
			return err
		}
		keeper, err := engine.New(options)
		if err != nil {
			return err
		}
		if c, err = read(body); err != nil {
			return err
		}
		keep(took, clocked(func() { _, err = keeper.Fit(context.Background(), engine.Task{Conversation: c}) }))
		if err != nil {
			return err
		}
	}
	return nil
}

func clocked(run func()) time.Duration {
	runtime.GC()
	start := time.Now()
	run()
	return time.Since(start)
}
