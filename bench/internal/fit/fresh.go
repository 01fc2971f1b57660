package fit

import (
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
)

// freshRounds is how often a fresh process is asked for each wait; the best counts.
const freshRounds = 15

// freshWaits asks a process of its own for each wait.
func freshWaits(ours peers.Peer, text string) ([]Waiting, error) {
	all := []Waiting{{Processors: 1, Fresh: true}}
	if n := runtime.NumCPU(); n > 1 {
		all = append(all, Waiting{Processors: n, Fresh: true})
	}
	for range freshRounds {
		for i := range all {
			w := &all[i]
			tokens, err := sight(ours, text, w.Processors, 0, &w.Weigh)
			if err != nil {
				return nil, err
			}
			for window, best := range map[int]*time.Duration{2 * tokens: &w.Under, tokens / 2: &w.Over} {
				if _, err := sight(ours, text, w.Processors, window, best); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// sight has a fresh process fit the conversation into a window, or only weigh it if
// that is 0, and returns its tokens.
func sight(ours peers.Peer, text string, processors, window int, best *time.Duration) (tokens int, err error) {
	client, err := line.Start(ours.Command)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	answer, err := client.Do(patience, "sight", text, strconv.Itoa(processors), strconv.Itoa(window))
	if err != nil {
		return 0, err
	}
	var took int64
	if _, err := fmt.Sscan(answer[0], &tokens); err != nil {
		return 0, err
	}
	if _, err := fmt.Sscan(answer[len(answer)-1], &took); err != nil {
		return 0, err
	}
	if d := time.Duration(took); *best == 0 || d < *best {
		*best = d
	}
	return tokens, nil
}
