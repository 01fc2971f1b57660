package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/transport"
)

// runSum adds up what the proxy did for a program. Several goroutines call it.
type runSum struct {
	mu                                      sync.Mutex
	requests, cut, refused, rescued, rounds int
	uncut, sent                             int
	warnings                                map[string]int
}

func (s *runSum) observe(_ context.Context, x transport.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if x.Decision != transport.Refused {
		s.uncut += x.Before.Total
		s.sent += x.After.Total
	}
	s.rounds += x.Rounds
	switch x.Decision {
	case transport.Cut, transport.Compacted:
		s.cut++
	case transport.Refused:
		s.refused++
	}
	if x.Rescued {
		s.rescued++
	}
	if x.Warning != "" {
		if s.warnings == nil {
			s.warnings = map[string]int{}
		}
		s.warnings[x.Warning]++
	}
}

// show prints the summary: a sentence, and the warnings.
func (s *runSum) show(p *process, total account.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.warn(s.sentence(total))
	for _, warning := range slices.SortedFunc(maps.Keys(s.warnings), func(a, b string) int {
		return cmp.Or(s.warnings[b]-s.warnings[a], strings.Compare(a, b))
	}) {
		p.warn(fmt.Sprintf("warning, %s: %s", plural(s.warnings[warning], "time"), bar.Clean(warning)))
	}
}

func (s *runSum) sentence(total account.Account) string {
	if s.requests == 0 {
		return "no request came through the proxy; see docs/demo.md for what the program needs to find it"
	}
	parts := []string{plural(s.requests, "request")}
	if s.uncut > s.sent {
		parts = append(parts, fmt.Sprintf("%s tokens sent as %s (%s saved)", grouped(s.uncut), grouped(s.sent), percent(s.uncut-s.sent, s.uncut)))
	} else {
		parts = append(parts, grouped(s.sent)+" tokens, nothing saved")
	}
	for _, count := range []struct {
		n    int
		text string
	}{
		{s.cut, plural(s.cut, "cut")},
		{s.rounds, plural(s.rounds, "look") + " at what was cut"},
		{s.rescued, plural(s.rescued, "overflow") + " caught"},
		{s.refused, plural(s.refused, "request") + " refused"},
	} {
		if count.n > 0 {
			parts = append(parts, count.text)
		}
	}
	if total.Priced > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% of the prompts cached", 100*total.CacheShare()), fmt.Sprintf("paid %s, net saved %s", total.Paid+total.Summaries, total.Net()))
	}
	return strings.Join(parts, "; ")
}
