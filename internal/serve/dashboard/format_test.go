package dashboard

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

func TestFiguresAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for want, got := range map[string]string{
		"0":             grouped(0),
		"999":           grouped(999),
		"1,234":         grouped(1234),
		"-1,234,567":    grouped(-1234567),
		"987":           short(987),
		"1.00k":         short(1000),
		"12.3k":         short(12_345),
		"123k":          short(123_456),
		"1.00M":         short(999_999),
		"4.43M":         short(4_434_421),
		"-12.3k":        short(-12_345),
		"0 %":           percent(0),
		"4.2 %":         percent(0.042),
		"43 %":          percent(0.4287),
		"365 %":         percent(3.653),
		"–":             percent(math.NaN()),
		"+1.5 %":        signed(0.015),
		"-1.5 %":        signed(-0.015),
		"512 B":         sizeOf(512),
		"15.1 KiB":      sizeOf(15_500),
		"1.0 MiB":       sizeOf(1 << 20),
		"just now":      ago(at, at.Add(-time.Millisecond)),
		"59 s ago":      ago(at, at.Add(-59*time.Second)),
		"2 min ago":     ago(at, at.Add(-150*time.Second)),
		"3 d ago":       ago(at, at.Add(-80*time.Hour)),
		"never":         ago(at, time.Time{}),
		"25 ms":         lasted(25 * time.Millisecond),
		"640 µs":        lasted(640 * time.Microsecond),
		"read_file a b": aboutCall(plimsoll.ToolCall{Name: "read_file", Arguments: `{"path":"a","mode":"b"}`}),
		`run {"a":[1]}`: aboutCall(plimsoll.ToolCall{Name: "run", Arguments: `{"a":[1]}`}),
		"run nonsense":  aboutCall(plimsoll.ToolCall{Name: "run", Arguments: "nonsense"}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestScalesAreRound(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]float64{0: 4, 1: 1, 218_843: 240_000, 64_000: 80_000, 2.79: 3.2, 999: 1000, 10_000_000: 10_000_000} {
		if got := niceTop(value); math.Abs(got-want) > want/1e9 {
			t.Errorf("above %v is %v, want %v", value, got, want)
		}
	}
}

func TestAxesSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	for most, want := range map[float64]string{
		9_000: "10k 7.5k 5k 2.5k 0", 22_000: "24k 18k 12k 6k 0", 900: "1k 750 500 250 0", 218_843: "240k 180k 120k 60k 0", 9_000_000: "10M 7.5M 5M 2.5M 0", 1_500: "1.6k 1.2k 800 400 0",
	} {
		if got := strings.Join(loadChart([]request{{N: 1, Before: int(most), After: 1}}).Scale, " "); got != want {
			t.Errorf("up to %v: %s, want %s", most, got, want)
		}
	}
}

func TestARefusalShowsWhatItWeighs(t *testing.T) {
	t.Parallel()
	r := requestOf(transport.Exchange{Decision: transport.Refused, Before: plimsoll.Load{Total: 20_000}, Line: plimsoll.Line{Window: 4_000, Reserve: 250}})
	row := newRequestRow(r)
	if got := percent(row.Share); got != "533 %" || row.After != 0 || row.Limit != 3_750 {
		t.Errorf("%s of %d, %d sent", got, row.Limit, row.After)
	}
}

func TestARungThatWasPassedOverIsShownWithTheReason(t *testing.T) {
	t.Parallel()
	d := New(nil)
	defer d.Close()
	event := eventOf("x", 2000, 900)
	event.Rungs = []plimsoll.RungReport{{Rung: "mine", Skipped: "it is <shy>"}, {Rung: "clear", Edits: 1, Saved: 1100}, {Rung: "slide"}}
	n := newNote(event, d.live.knows)
	d.live.take(n)
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Root+"conversations/"+n.key+"/1", http.NoBody))
	if page := w.Body.String(); !strings.Contains(page, "passed over: it is &lt;shy&gt;") || strings.Contains(page, "slide") {
		t.Errorf("status %d: the page says\n%s", w.Code, page)
	}
}

func TestWaterStandsAtTheLineWhenTheLoadIsAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		load  int
		at    float64
		level string
	}{{0, discMiddle + discRadius, "low"}, {500, discMiddle + discRadius/2, "low"}, {950, discMiddle + 3, "near"}, {1000, discMiddle, "near"}, {1500, discMiddle - discRadius/2, "over"}, {9000, discMiddle - discRadius, "over"}} {
		if g := gaugeOf("k", c.load, c.load, 1000); math.Abs(g.Sent-c.at) > 1e-6 || g.Level != c.level {
			t.Errorf("a load of %d stands at %v, %s; want %v, %s", c.load, g.Sent, g.Level, c.at, c.level)
		}
	}
}

func TestAChartHasALineAndAMarkForEachCut(t *testing.T) {
	t.Parallel()
	requests := []request{
		{N: 1, Before: 500, After: 500, Limit: 1000, Decision: "pass"},
		{N: 2, Before: 1500, After: 600, Limit: 1000, New: 3, Decision: "cut"},
		{N: 3, Before: 1600, After: 700, Limit: 1000, Decision: "recall", Rescued: true},
		{N: 4, Before: 2000, Limit: 1000, Decision: "refuse"},
	}
	c := loadChart(requests)
	var kinds []string
	for _, m := range c.Marks {
		kinds = append(kinds, m.Kind)
	}
	if got := strings.Join(kinds, " "); got != "cut rescued refused" || !c.Limited || c.First != "request 1" || c.Last != "request 4" {
		t.Errorf("the marks are %q; %+v", got, c)
	}
	if c.Limit != "M0.0 200.0L333.3 200.0L666.7 200.0L1000.0 200.0" {
		t.Errorf("the line is %s", c.Limit)
	}
	if loadChart(nil) != nil || loadChart([]request{{N: 1}}) != nil {
		t.Error("a chart without any load is drawn")
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x1b[31m", "a\u202eb\u2066c", "\xff\xfe", "tab\tand\nline", "\u0085\x7f\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range visible(text) {
			if r != '\t' && r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Errorf("%q becomes %q", text, visible(text))
			}
		}
		if short := clip(text, 20); len(short) > 20*3+3 || !utf8.ValidString(short) || strings.ContainsAny(short, "\n\t") {
			t.Errorf("%q is cut to %q", text, short)
		}
	})
}

func FuzzSearchAnswer(f *testing.F) {
	f.Add("ref:a\n    1  text\n\nref:a\n    9  ref:a\n... (truncated)\nMore lines match. To go on: offset=10")
	f.Add("No matches for: 12  x")
	f.Fuzz(func(t *testing.T, found string) {
		v := refView{refRow: refRow{ID: "a"}}
		v.take(found)
		if len(v.Matches) > strings.Count(found, "ref:a") {
			t.Errorf("%d lines in %q", len(v.Matches), found)
		}
	})
}

func TestC08_ARequestSaysWhatASummaryCost(t *testing.T) {
	t.Parallel()
	paid := transport.Summary{Model: "gpt-4o", Usage: plimsoll.Usage{Input: 900, Output: 100}, Cost: 0.00325}
	if row := newRequestRow(requestOf(transport.Exchange{Summary: paid})); row.Summary != "gpt-4o; tokens=1000; usd=0.003250" {
		t.Errorf("%q", row.Summary)
	}
	if row := newRequestRow(requestOf(transport.Exchange{})); row.Summary != "" {
		t.Errorf("%q", row.Summary)
	}
}
