package plimsoll_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

func messageLoad(tokens int) plimsoll.MessageLoad {
	return plimsoll.MessageLoad{Tokens: tokens, Framing: tokens / 4, Guessed: tokens / 3, Parts: []int{tokens - tokens/4}}
}

// TestGrownLoadsDoNotDisturbEachOther grows any of the loads there are, again and
// again, cuts some by hand, and compares each with what it was made of.
func TestGrownLoadsDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type grown struct {
			load plimsoll.Load
			want []plimsoll.MessageLoad
		}
		all := []grown{{load: plimsoll.Load{System: 7, Total: 7}}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			from := all[rapid.IntRange(max(0, len(all)-3), len(all)-1).Draw(t, "from")]
			if n := len(from.want); n > 0 && rapid.IntRange(0, 4).Draw(t, "cut") == 0 {
				keep := rapid.IntRange(0, n-1).Draw(t, "keep")
				for _, m := range from.want[keep:] {
					from.load.Total -= m.Tokens
				}
				from.load.Messages, from.want = from.load.Messages[:keep], from.want[:keep]
			}
			var more []plimsoll.MessageLoad
			for _, tokens := range rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 5).Draw(t, "more") {
				more = append(more, messageLoad(tokens))
			}
			all = append(all, grown{from.load.Grow(more...), slices.Concat(from.want, more)})
			clear(more)
		}
		for i, g := range all {
			want := plimsoll.Load{System: 7, Total: 7, Messages: g.want}
			for _, m := range g.want {
				want.Total += m.Tokens
			}
			if !g.load.Equal(want) {
				t.Fatalf("load %d is %+v, want %+v", i, g.load, want)
			}
			if diff := cmp.Diff(want.MessageSums(), g.load.MessageSums()); diff != "" {
				t.Fatalf("sums of load %d (-want +got):\n%s", i, diff)
			}
			if cap(g.load.Messages) != len(g.load.Messages) && i > 0 {
				t.Fatalf("appending to the messages of load %d would write into what others share", i)
			}
		}
	})
}

func TestManyMayGrowOneLoadAtOnce(t *testing.T) {
	t.Parallel()
	known := plimsoll.Load{}.Grow(messageLoad(1), messageLoad(2))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			load, want := known, 3
			for i := range 50 {
				load = load.Grow(messageLoad(100*g + i))
				want += 100*g + i
			}
			if got := (plimsoll.Load{Messages: load.Messages}).MessageSums().Tokens; got != want || load.Total != want {
				t.Errorf("total %d, messages %d, want %d", load.Total, got, want)
			}
		})
	}
	wg.Wait()
}

func TestGrowingTheNewestLoadCopiesNothing(t *testing.T) {
	load := plimsoll.Load{}
	for range 10_000 {
		load = load.Grow(messageLoad(1))
	}
	for range 4 { // room may have to be made once
		before := &load.Messages[0]
		load = load.Grow(messageLoad(1))
		if before == &load.Messages[0] {
			return
		}
	}
	t.Error("every added message made a copy of the others")
}

func TestLoadsDifferByAnyFigure(t *testing.T) {
	t.Parallel()
	base := func() plimsoll.Load { return plimsoll.Load{Total: 9}.Grow(messageLoad(9)) }
	for name, change := range map[string]func(*plimsoll.Load){
		"total":    func(l *plimsoll.Load) { l.Total++ },
		"exact":    func(l *plimsoll.Load) { l.Exact = true },
		"band":     func(l *plimsoll.Load) { l.Band++ },
		"system":   func(l *plimsoll.Load) { l.System++ },
		"tools":    func(l *plimsoll.Load) { l.Tools++ },
		"framing":  func(l *plimsoll.Load) { l.Framing++ },
		"messages": func(l *plimsoll.Load) { l.Messages = nil },
		"tokens":   func(l *plimsoll.Load) { l.Messages[0].Tokens++ },
		"frame":    func(l *plimsoll.Load) { l.Messages[0].Framing++ },
		"guess":    func(l *plimsoll.Load) { l.Messages[0].Guessed++ },
		"parts":    func(l *plimsoll.Load) { l.Messages[0].Parts = nil },
	} {
		changed := base()
		if change(&changed); changed.Equal(base()) {
			t.Errorf("two loads are called equal that differ by %s", name)
		}
	}
	if !base().Equal(plimsoll.Load{Total: 18, Messages: []plimsoll.MessageLoad{messageLoad(9)}}) {
		t.Error("a load differs from one with the same figures")
	}
}
