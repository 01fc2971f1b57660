package expand

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// hits runs a search and returns the lines that it finds.
func hits(t testing.TB, data string, g Grep, read int) []hit {
	t.Helper()
	l := Limits{}.withDefaults()
	p, err := newPattern(g, l)
	if err != nil {
		t.Skip(err)
	}
	m := newMemory(data, 64)
	m.read = read
	s := newScanner(m, p, &budget{ctx: t.Context(), now: time.Now, until: time.Now().Add(time.Minute)})
	s.buf = make([]byte, max(64, 2*4*len(g.Pattern)))
	found := []hit{}
	for {
		h, ok, err := s.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return found
		}
		found = append(found, h)
	}
}

// naive finds the same with a regular expression on one line after the other.
func naive(data string, g Grep) []hit {
	source := g.Pattern
	if !g.Regex {
		source = regexp.QuoteMeta(source)
	}
	if g.IgnoreCase {
		source = "(?i)" + source
	}
	re := regexp.MustCompile(source)
	found := []hit{}
	for n, line := range strings.Split(data, "\n") {
		if g.Regex {
			line = strings.TrimSuffix(line, "\r")
		}
		if at := re.FindStringIndex(line); at != nil {
			found = append(found, hit{int64(n), int64(at[0])})
		}
	}
	return found
}

func FuzzGrepFindsWhatANaiveSearchFinds(f *testing.F) {
	long := strings.Repeat("long line without end ", 40)
	for _, seed := range []struct {
		data, pattern     string
		regex, ignoreCase bool
		read              int
	}{
		{"a\nb\nab\r\n", "b", false, false, 0},
		{"a\nb\nab\r\n", "b$", true, false, 1},
		{"kK\u212a\n\u017f", "sK", false, true, 3},
		{long + "needle" + long + "\nneedle\n" + long, "needle", false, false, 17},
		{long + "NEEDLE" + long + "\r\nneedle\r\n" + long, "needle", false, true, 17},
		{long + "needle\r\n\n" + long, "e?ndl?e$|needle$", true, true, 5},
		{"\xff\xfe\n\u00e9\xc3\n", "\u00e9", false, true, 1},
		{"one\ntwo\n", "^$", true, false, 2},
		{"a needle b\nNEEDLE\nneedl\n", "(?i)[a-z ]?(needle)+ ?|xyz", true, false, 9},
		{"GET /a\nPOST /b\nget /c\n", `(?:GET|POST) (/[a-c]){1,2}$`, true, false, 4},
		{"error: x\nterror: y\n", `\berror: (?i:X|Y)`, true, false, 3},
		{long + "\r" + long, "^.*\r.*$", true, false, 2},
	} {
		f.Add(seed.data, seed.pattern, seed.regex, seed.ignoreCase, seed.read)
	}
	f.Fuzz(func(t *testing.T, data, pattern string, regex, ignoreCase bool, read int) {
		if strings.Contains(pattern, "\uFFFD") || strings.ToValidUTF8(pattern, "") != pattern || len(data) > 1<<16 {
			t.Skip("an expression takes invalid bytes for the replacement character")
		}
		g := Grep{Pattern: pattern, Regex: regex, IgnoreCase: ignoreCase}
		got := hits(t, data, g, max(1, read))
		if diff := cmp.Diff(naive(data, g), got, cmp.AllowUnexported(hit{})); diff != "" {
			t.Errorf("%+v in %q\n-naive +got\n%s", g, data, diff)
		}
	})
}

func TestGrepRefusesPatternsThatCostTooMuch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		grep Grep
		want string
	}{
		{"an empty one", Grep{}, "it is empty"},
		{"a long one", Grep{Pattern: strings.Repeat("x", 1025)}, "it has 1025 bytes, and at most 1024 are allowed"},
		{"several lines", Grep{Pattern: "a\nb"}, "it has a line break"},
		{"no expression", Grep{Pattern: "a(", Regex: true}, "missing closing )"},
		{"look-around", Grep{Pattern: "(?=a)", Regex: true}, "invalid or unsupported Perl syntax"},
		{"classes that repeat", Grep{Pattern: `(?:\pL|\pN|\w){1000}z`, Regex: true}, "more than 1000 instructions"},
		{"repetitions of repetitions", Grep{Pattern: `((ab{10}){10}){9}`, Regex: true}, "more than 1000 instructions"},
		{"a long text that repeats", Grep{Pattern: "(?:" + strings.Repeat("ab", 300) + "){1000}", Regex: true}, "more than 1000 instructions"},
	} {
		_, err := newPattern(tc.grep, Limits{}.withDefaults())
		if !errors.Is(err, errPattern) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
		if plimsoll.CodeOf(err) != plimsoll.CodeInvalid || !strings.HasPrefix(Explain(err), "Error reading tool output cache: search: pattern: ") {
			t.Errorf("%s: %s, %q", tc.name, plimsoll.CodeOf(err), Explain(err))
		}
	}
}

func TestSizesOfProgramsAreNotUnderestimated(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"abc", "a|b|cd", "(a*)+b?", `\w+@\w+`, "(?i)needle{3,7}", "(?:ab|cd){2,}", `^\s*$`} {
		p, err := newPattern(Grep{Pattern: source, Regex: true}, Limits{}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		if want := instructions(t, source); p.size < want*2/3 {
			t.Errorf("%s: %d instructions, and it has %d", source, p.size, want)
		}
	}
}

// ticking is a clock that goes on by itself, so that what a search costs can be told
// without measuring time.
type ticking struct {
	at    time.Time
	calls int
}

func (c *ticking) now() time.Time {
	c.calls++
	c.at = c.at.Add(time.Second)
	return c.at
}

func TestGrepStopsWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	const pattern = `(?:\pL|\pN|\w){300}z`
	line := strings.Repeat("x", 1000)
	for name, data := range map[string]string{
		"in many lines":   strings.Repeat(line+"\n", 10_000),
		"in one line":     strings.Repeat(line, 10_000),
		"in middle lines": strings.Repeat(strings.Repeat(line, 100)+"\n", 100),
	} {
		clock := &ticking{}
		l := Limits{Now: clock.now, RegexTime: 3 * time.Second}.withDefaults()
		err := Grep{Pattern: pattern, Regex: true}.write(t.Context(), io.Discard, newMemory(data, 1<<16), l)
		if !errors.Is(err, ErrTime) || clock.calls > 6 {
			t.Errorf("%s: %v after looking at the clock %d times", name, err, clock.calls)
		}
		if want := "use a simpler pattern or a plain text, or go on with offset="; !strings.HasPrefix(plimsoll.HintOf(err), want) {
			t.Errorf("%s: %q", name, plimsoll.HintOf(err))
		}
	}
}

func TestGrepShowsWhatItFoundBeforeItsTimeWasUp(t *testing.T) {
	t.Parallel()
	clock := &ticking{}
	l := Limits{Now: clock.now, TextTime: 3 * time.Second}.withDefaults()
	var b strings.Builder
	data := "needle\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000)
	if err := (Grep{Ref: "R", Pattern: "needle"}).write(t.Context(), &b, newMemory(data, 1<<16), l); err != nil {
		t.Fatal(err)
	}
	want := "ref:R\n    1  needle\n... (truncated)\nThe search was stopped after 3s, before line "
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGrepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Grep{Pattern: "x"}.write(ctx, io.Discard, newMemory("a\nb", 10), Limits{}.withDefaults())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestGrepShowsAMatchFarInsideALine(t *testing.T) {
	t.Parallel()
	data := "first\n" + strings.Repeat("é", 5000) + "needle" + strings.Repeat("é", 5000)
	var b strings.Builder
	if err := (Grep{Ref: "R", Pattern: "needle"}).write(t.Context(), &b, newMemory(data, 77), Limits{}.withDefaults()); err != nil {
		t.Fatal(err)
	}
	want := "ref:R\n    2  ..." + strings.Repeat("é", 100) + "needle" + strings.Repeat("é", 894) + "...\n" +
		`[line 2 is shown from character 4900 on; to read there: tool_output_cache({"ref_id":"R","offset":1,"char_offset":4900})]`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestO09_AnswersAreBoundedAndSayHowToGoOn(t *testing.T) {
	t.Parallel()
	data := strings.Repeat("needle "+strings.Repeat("x", 300)+"\n", 1000)
	l := Limits{}.withDefaults()
	offset, seen := int64(0), 0
	more := regexp.MustCompile(`\n\.\.\. \(truncated\)\nMore lines match\. To go on: offset=(\d+)$`)
	for {
		var b strings.Builder
		if err := (Grep{Ref: "R", Pattern: "needle", MaxMatches: 900, Offset: offset}).write(t.Context(), &b, newMemory(data, 1<<16), l); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 64<<10 {
			t.Fatalf("%d bytes", b.Len())
		}
		seen += strings.Count(b.String(), "needle")
		next := more.FindStringSubmatch(b.String())
		if next == nil {
			break
		}
		fmt.Sscan(next[1], &offset)
	}
	if seen != 1000 {
		t.Errorf("%d matches in all answers together, want 1000", seen)
	}
}

func TestO09_AMatchThatCannotBeShownSaysSo(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("Y", 3000) + "\n"
	data := strings.Repeat(line, 60) + "needle-" + strings.Repeat("X", 3000) + "\n" + strings.Repeat(line, 60)
	var b strings.Builder
	if err := (Grep{Ref: "R", Pattern: "needle", Before: 80, After: 80}).write(t.Context(), &b, newMemory(data, 1<<16), Limits{}.withDefaults()); err != nil {
		t.Fatal(err)
	}
	want := "MATCH_TOO_LARGE_TO_RENDER: match at line 61 exceeded 65536 bytes.\nref_id=R\n" +
		`Reduce before and after, or read the line itself: tool_output_cache({"ref_id":"R","offset":60,"char_offset":0})`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// patient has no limit of time, for machines that are slow.
var patient = Limits{TextTime: time.Hour, RegexTime: time.Hour}

// endless is content of any size without memory: the same block again and again.
type endless struct {
	block []byte
	left  int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, e.block[:min(e.left, len(e.block))])
	e.left -= n
	return n, nil
}

func (e *endless) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

func (e *endless) Lines(context.Context, int64) iter.Seq2[store.Line, error] {
	return func(yield func(store.Line, error) bool) {
		for n := int64(0); e.left > 0; n++ {
			k := min(e.left, len(e.block))
			e.left -= k
			if !yield(store.Line{Start: n * int64(len(e.block)), Text: e.block[:k], More: e.left > 0}, nil) {
				return
			}
		}
	}
}

func TestO11_SearchingAndReadingTakeConstantMemory(t *testing.T) {
	const size = 32 << 20
	l := patient.withDefaults()
	lines := bytes.Repeat([]byte("all work and no play makes Jack a dull boy\n"), 1500)
	line := bytes.Repeat([]byte("all work and no play makes Jack a dull boy "), 1500)
	for name, run := range map[string]func() error{
		"a text in lines": func() error {
			return Grep{Pattern: "needle"}.write(t.Context(), io.Discard, &endless{lines, size}, l)
		},
		"a text in one line": func() error {
			return Grep{Pattern: "needle", IgnoreCase: true}.write(t.Context(), io.Discard, &endless{line, size}, l)
		},
		"an expression in one line": func() error {
			return Grep{Pattern: "need.e", Regex: true}.write(t.Context(), io.Discard, &endless{line, size / 16}, l)
		},
		"the end of one line": func() error {
			return Read{InLine: true, CharOffset: size/4 - 10}.write(t.Context(), io.Discard, &endless{line, size / 4}, l)
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := run(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if grew := after.TotalAlloc - before.TotalAlloc; grew > 8<<20 {
			t.Errorf("%s: %d bytes were allocated", name, grew)
		}
	}
}
