package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/fit"
	engine "github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// sight fits the conversation into a window, or only weighs it if that is 0, and returns
// its tokens and how long that took by the clock. The vocabulary is loaded before, and
// nothing else: asked of a process that has done nothing yet, it tells what a
// conversation costs of which not a word was seen before.
func sight(from, processors, window string) (string, error) {
	text, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(processors)
	if err != nil {
		return "", err
	}
	limit, err := strconv.Atoi(window)
	if err != nil {
		return "", err
	}
	runtime.GOMAXPROCS(n)
	s := session{text: string(text), rounds: fit.Sizes[0] / 2}
	c, err := read(s.request(0))
	if err != nil {
		return "", err
	}
	hello := c
	hello.Messages = plimsoll.ListOf(plimsoll.Say(plimsoll.User, "a"))
	token.NewMeter(nil).Weigh(hello)
	tokens := 0
	run := func() { tokens = token.NewMeter(nil).Weigh(c).Total }
	if limit > 0 {
		options, err := preset.Auto(&preset.Options{Window: limit, Policy: preset.PolicyThreshold})
		if err != nil {
			return "", err
		}
		keeper, err := engine.New(options)
		if err != nil {
			return "", err
		}
		run = func() {
			var plan *plimsoll.Plan
			if plan, err = keeper.Fit(context.Background(), engine.Task{Conversation: c}); err == nil {
				tokens = plan.Before.Total
			}
		}
	}
	took := clocked(run)
	return fmt.Sprintf("ok\t%d\t%d", tokens, took.Nanoseconds()), err
}
