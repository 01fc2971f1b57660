package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/chat"
)

func TestGaugesSayWhatTheyCan(t *testing.T) {
	t.Parallel()
	estimated, soft, hard, unknown := calm("m"), calm("m"), calm("m"), calm("m")
	estimated.Exact, estimated.Band = false, 600
	framed := estimated
	framed.Vocabulary, framed.Band = "llama3", 12
	soft.Level, hard.Level, hard.Cut = chat.Soft, chat.Hard, 1234
	unknown.Unlimited, unknown.Window, unknown.Free = true, 0, 0
	over := calm("m")
	over.History, over.Free, over.Level = 120_000, -11_000, chat.Hard
	for _, tc := range []struct {
		name  string
		gauge chat.Gauge
		width int
		want  string
	}{
		{"all figures where there is room", calm("m"), 130, "m [▓██·······················░░░░] 12,000 of 112,000 10 % exact · system 900 · tools 2.1k · history 9.0k · free 100k · reserve 16k"},
		{"F07: an estimate says so", estimated, 60, "m [██·············░░] ≈12,000 of 112,000 10 % estimated ±600"},
		{"F06: a vocabulary leaves only the frame to be estimated", framed, 60, "m [██············░░] ≈12,000 of 112,000 10 % exact texts ±12"},
		{"the soft mark in words", soft, 70, "m [██·············░░] 12,000 of 112,000 10 % exact · soft mark reached"},
		{"the hard mark, and what is cut", hard, 80, "m [█············░░] 12,000 of 112,000 10 % exact · 1,234 cut · HARD MARK REACHED"},
		{"the mark as a sign where words do not fit", soft, 45, "m [█·········░] 12,000 of 112,000 10 %! exact"},
		{"the share alone in little room", hard, 20, "m [█·······░] 10 %!!"},
		{"no bar in less", hard, 10, "m 10 %!!"},
		{"a limit that nobody knows", unknown, 60, "m [????????????????????] 12,000 tokens, limit unknown, exact"},
		{"more than the line", over, 40, "m [█████████] 123,000 of 112,000 109 %!!"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := ansi.Strip(strings.Join(drawGauges([]chat.Gauge{tc.gauge}, tc.width, 2, newTheme(true)), "\n"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestGaugesChangeColourAtTheMarks(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	for _, level := range []chat.Level{chat.Calm, chat.Soft, chat.Hard} {
		g := calm("m")
		g.Level = level
		drawn[drawBar(g, 20, newTheme(true))] = true
	}
	if len(drawn) != 3 {
		t.Errorf("three levels have %d looks", len(drawn))
	}
}

func TestBarsAreOfOneLength(t *testing.T) {
	t.Parallel()
	long, unknown := calm("b"), calm("c")
	long.Level, long.Exact, long.Band = chat.Hard, false, 123_456
	unknown.Unlimited = true
	for width := 20; width < 200; width++ {
		ends := map[int]bool{}
		for _, l := range drawGauges([]chat.Gauge{calm("a"), long, unknown}, width, 3, newTheme(true)) {
			before, _, found := strings.Cut(ansi.Strip(l), "]")
			if found {
				ends[ansi.StringWidth(before)] = true
			}
		}
		if len(ends) > 1 {
			t.Errorf("in %d cells the bars end at %v", width, ends)
		}
	}
}

func TestManyGaugesShareALine(t *testing.T) {
	t.Parallel()
	all := []chat.Gauge{calm("a"), calm("b"), calm("c")}
	all[1].Level = chat.Hard
	got := drawGauges(all, 60, 2, newTheme(true))
	if len(got) != 1 || ansi.Strip(got[0]) != "a 10 % · b 10 %!! · c 10 %" {
		t.Errorf("got %q", got)
	}
}

func TestGaugesKeepToTheirWidth(t *testing.T) {
	t.Parallel()
	tokens := rapid.IntRange(0, 3_000_000)
	rapid.Check(t, func(t *rapid.T) {
		g := chat.Gauge{
			Participant: rapid.String().Draw(t, "name"), System: tokens.Draw(t, "system"), Tools: tokens.Draw(t, "tools"),
			History: tokens.Draw(t, "history"), Free: rapid.IntRange(-3_000_000, 3_000_000).Draw(t, "free"), Reserve: tokens.Draw(t, "reserve"),
			Exact: rapid.Bool().Draw(t, "exact"), Unlimited: rapid.Bool().Draw(t, "unlimited"), Level: chat.Level(rapid.IntRange(0, 2).Draw(t, "level")),
		}
		g.Window = g.System + g.Tools + g.History + g.Free + g.Reserve
		width := rapid.IntRange(1, 200).Draw(t, "width")
		for _, l := range drawGauges([]chat.Gauge{g, g}, width, rapid.IntRange(1, 3).Draw(t, "height"), newTheme(true)) {
			if w := ansi.StringWidth(l); w > width {
				t.Fatalf("%q takes %d of %d cells", ansi.Strip(l), w, width)
			}
		}
	})
}
