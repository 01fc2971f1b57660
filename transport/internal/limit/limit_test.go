package limit_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
)

func TestALearnedLimitIsTheWindow(t *testing.T) {
	t.Parallel()
	is := limit.Learned{Limit: 401, Ratio: 1}
	want := plimsoll.Line{Window: 401}
	for _, known := range []plimsoll.Line{{Window: 128_000, Reserve: 8192}, {Window: 300}} {
		if got := is.Line(plimsoll.Conversation{}, known); got != want {
			t.Errorf("known as %+v: %+v, want %+v", known, got, want)
		}
	}
}

// TestAnUnknownModelWritesIntoTheWindowThatWasLearned has the windows of small local models.
func TestAnUnknownModelWritesIntoTheWindowThatWasLearned(t *testing.T) {
	t.Parallel()
	known := plimsoll.Line{Window: limit.Unbounded, Reserve: 8192}
	for _, tt := range []struct{ window, maxOutput, reserve int }{
		{2048, 0, 256},
		{2048, 64, 64},
		{2048, 2048, 512},
		{4096, 0, 256},
		{8192, 0, 512},
		{8192, 32_000, 2048},
	} {
		want := plimsoll.Line{Window: tt.window, Reserve: tt.reserve}
		is, asked := limit.Learned{Limit: tt.window, Ratio: 1}, limit.Learned{Limit: tt.window, Ratio: 1, Asked: 9000}
		c := plimsoll.Conversation{MaxOutput: tt.maxOutput}
		if got, again := is.Line(c, known), asked.Line(c, plimsoll.Line{Window: 9000}); got != want || again != want {
			t.Errorf("of %d tokens, for an answer of %d: %+v, and of a server that told 9,000: %+v, want a reserve of %d", tt.window, tt.maxOutput, got, again, tt.reserve)
		}
	}
}

// TestASmallWindowIsLearnedWithRoomForOtherTexts has the figures of SmolLM2 in llama.cpp's
// server, for two chats of one kind: the server counts 0.954 of what we count in the
// second, and 0.9025 in the first.
func TestASmallWindowIsLearnedWithRoomForOtherTexts(t *testing.T) {
	t.Parallel()
	got, sure := limit.Learn(wire.Overflow{Tokens: 2809, Limit: 2048}, 3112, 8, limit.Prompt{})
	line := got.Line(plimsoll.Conversation{MaxOutput: 8}, plimsoll.Line{Window: limit.Unbounded})
	if most := float64(line.Limit()) * 0.954; !sure || most > 2048 || most < 1900 {
		t.Errorf("%+v, sure is %t: another chat has up to %.0f tokens of 2,048", line, sure, most)
	}
}

func TestOverflowsWithoutALimitInTokensSayHowMuchToCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		said wire.Overflow
		want int
		sure bool
	}{
		{"bytes are cut in proportion", wire.Overflow{Tokens: 10_000_000, Limit: 9_000_000, Bytes: true}, 90_000, false},
		{"a limit in bytes alone says no share", wire.Overflow{Limit: 9_000_000, Bytes: true}, 75_000, false},
		{"an excess is taken off", wire.Overflow{Excess: 30_000, Message: "exceeded max context length by 30000 tokens"}, 70_000, true},
		{"an excess beyond the whole says no share", wire.Overflow{Excess: 300_000}, 75_000, false},
	} {
		got, sure := limit.Learn(tt.said, 100_000, 0, limit.Prompt{})
		if got.Limit != tt.want || sure != tt.sure {
			t.Errorf("%s: limit %d, want %d; sure is %v", tt.name, got.Limit, tt.want, sure)
		}
	}
}

func TestABillForAPartOfAPromptTellsTheWindow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		billed, window int
		most           limit.Prompt
		want           int // the limit; 0 if there is none
	}{
		"a server that does not tell its window":     {1024, 0, limit.Prompt{}, 1024},
		"one that has answered more":                 {1024, 0, limit.Prompt{Billed: 1500, Weighed: 1400}, 1500},
		"one that has answered more than it drops":   {1024, 0, limit.Prompt{Billed: 4000, Weighed: 4000}, 0},
		"one that bills what it had not cached":      {40, 0, limit.Prompt{}, 0},
		"one whose window is that":                   {1024, 2048, limit.Prompt{}, 2250},
		"one that says that it has a larger window":  {1024, 8192, limit.Prompt{}, 0},
		"one that says that it has a smaller window": {1024, 1000, limit.Prompt{}, 0},
	} {
		got, ok := limit.Truncated(limit.Prompt{Billed: tt.billed, Weighed: 3000}, tt.window, tt.most)
		if ok != (tt.want > 0) || got.Limit != tt.want || ok && got.Asked != tt.window {
			t.Errorf("%s: %+v, %v, want a limit of %d", name, got, ok, tt.want)
		}
	}
}

func TestACountThatIsFarFromOursTeachesTheLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tokens, weighed int
		sure            bool
		most            int // of our tokens
	}{
		"Japanese with a small vocabulary":  {5431, 3000, true, 1131},
		"tools that the template drops":     {2485, 9000, true, 3413},
		"characters instead of tokens":      {12_000, 3000, false, 682},
		"a limit of something that is less": {2485, 90_000, false, 3413},
	} {
		got, sure := limit.Learn(wire.Overflow{Limit: 2048, Tokens: tt.tokens}, tt.weighed, 0, limit.Prompt{})
		if line := got.Line(plimsoll.Conversation{}, plimsoll.Line{}); sure != tt.sure || line.Window > tt.most || line.Window < tt.most*9/10 {
			t.Errorf("%s: sure %v, %d of our tokens, want %v and nearly %d", name, sure, line.Window, tt.sure, tt.most)
		}
	}
}
