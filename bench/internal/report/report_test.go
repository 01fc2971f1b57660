package report

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

func TestTablesAlignInATerminal(t *testing.T) {
	t.Parallel()
	table := &table{head: []string{"library", "MB/s", "note"}, text: []int{2}}
	table.add("é", "12", "ok")
	table.add("long name", "3.5")
	want := strings.Join([]string{
		"| library   | MB/s | note |",
		"| --------- | ---: | ---- |",
		"| é         |   12 | ok   |",
		"| long name |  3.5 |      |",
		"",
	}, "\n")
	if got := table.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFiguresShowTheDigitsThatMeanSomething(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want string }{
		{speed(312.4), "312"},
		{speed(2.73), "2.7"},
		{speed(0), "–"},
		{times(300, 100), "3.0×"},
		{times(300, 5), "60×"},
		{times(300, 0), "–"},
		{duration(1500 * time.Nanosecond), "1.5 µs"},
		{duration(35 * time.Microsecond), "35 µs"},
		{duration(3400 * time.Microsecond), "3.4 ms"},
		{duration(412 * time.Millisecond), "412 ms"},
		{duration(50 * time.Second), "50 s"},
		{duration(20 * time.Minute), "20 min"},
		{duration(0), "–"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// sample returns a run in which we take a nanosecond for a byte of the plain
// texts, which is a gigabyte per second, and the best Go peer a hundred.
func sample() *measure.Result {
	r := &measure.Result{Peers: []peers.Peer{
		{Name: peers.Us}, {Name: peers.BestGo, Slow: true}, {Name: peers.Native, Missing: "cargo: not found"},
	}}
	for _, text := range plain {
		r.Texts = append(r.Texts, measure.TextInfo{Name: text, Bytes: 1e6})
		for _, encoding := range measure.Encodings {
			for _, kind := range []measure.Kind{measure.Count, measure.Encode, measure.Cold} {
				r.Samples = append(r.Samples,
					measure.Sample{Kind: kind, Encoding: encoding, Peer: peers.Us, Text: text, Bytes: 1e6, CPU: time.Millisecond},
					measure.Sample{Kind: kind, Encoding: encoding, Peer: peers.BestGo, Text: text, Bytes: 2e5, CPU: 20 * time.Millisecond})
			}
		}
	}
	for _, encoding := range measure.Encodings {
		for _, kind := range texts.Adversarials() {
			r.Samples = append(r.Samples, measure.Sample{Kind: measure.Adversarial, Encoding: encoding, Peer: peers.Us, Text: kind.Name, Bytes: 1e6, CPU: 20 * time.Millisecond})
		}
	}
	return r
}

func goal(t *testing.T, r *measure.Result, what, want string) Goal {
	t.Helper()
	for _, g := range Goals(r) {
		if strings.Contains(g.What, what) && strings.Contains(g.Want, want) {
			return g
		}
	}
	t.Fatalf("no goal %q, %q", what, want)
	return Goal{}
}

func TestGoalsAreReachedByTheFiguresOnly(t *testing.T) {
	t.Parallel()
	r := sample()
	tests := []struct {
		name       string
		what, want string
		got        string
		reached    bool
	}{
		{"a ratio over the goal", "cl100k", "60×", "100×", true},
		{"a peer that is not installed proves nothing", "cl100k", "4× bpe-openai", "–", false},
		{"the fastest peer is the only one there", "fastest", "4× tiktoken-go", "100×", true},
		{"a speed over the goal", "encode", "120", "1000 MB/s", true},
		{"a text that was not measured", "Japanese", "80", "– MB/s", false},
		{"exactly at the limit", "adversarial", "20 ms", "20 ms (letter a, cl100k_base)", true},
		{"ids that nobody compared", "ids", "every text", "0 of 0 differ", false},
	}
	for _, test := range tests {
		g := goal(t, r, test.what, test.want)
		if g.Got != test.got || g.Reached != test.reached {
			t.Errorf("%s: got %q, reached %v, want %q, %v", test.name, g.Got, g.Reached, test.got, test.reached)
		}
	}
}

func TestOneSlowAdversarialTextSpoilsTheGoal(t *testing.T) {
	t.Parallel()
	r := sample()
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Encoding == o200k && s.Text == "spaces" {
			s.CPU = 21 * time.Millisecond
		}
	}
	g := goal(t, r, "adversarial", "20 ms")
	if want := "21 ms (spaces, o200k_base)"; g.Reached || g.Got != want {
		t.Errorf("got %q, reached %v, want %q and not reached", g.Got, g.Reached, want)
	}
}

func TestAppendingMayNotCostMoreThanAFifthOfARecount(t *testing.T) {
	t.Parallel()
	for known, want := range map[time.Duration]bool{19 * time.Microsecond: true, 21 * time.Microsecond: false} {
		r := sample()
		r.Samples = append(r.Samples,
			measure.Sample{Kind: measure.Append, Peer: peers.Us, Text: "recount 200000", CPU: 100 * time.Microsecond},
			measure.Sample{Kind: measure.Append, Peer: peers.Us, Text: "digest 200000", CPU: known})
		if got := goal(t, r, "append", "recount").Reached; got != want {
			t.Errorf("%v instead of 100 µs: reached %v, want %v", known, got, want)
		}
	}
}

func TestReportNamesEveryPeerAlsoTheMissing(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Exact = []measure.Exactness{{Peer: peers.BestGo, Encoding: cl100k, Reference: peers.Reference, Texts: 9, Differ: 2, Example: "a|\n`", Got: 4, Want: 3}}
	got := Markdown(r)
	for _, want := range []string{
		"not measured", "tiktoken-go/tokenizer ¹", "bpe-openai (not installed)", "no (2)", "`\"a\\|\\n'\"`", "100×", "### Goals",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("report lacks %q:\n%s", want, got)
		}
	}
}

func TestFasterPeersStandAboveSlowerOnes(t *testing.T) {
	t.Parallel()
	got := ranked(sample(), cl100k)
	if got[0].Name != peers.Us || got[1].Name != peers.BestGo || got[2].Name != peers.Native {
		t.Errorf("got %v", got)
	}
}

func TestSpliceReplacesOnlyWhatIsBetweenTheMarkers(t *testing.T) {
	t.Parallel()
	page := "# Title\n" + begin + "old\n" + end + "tail\n"
	got, err := splice(page, begin, end, "new\n")
	if want := "# Title\n" + begin + "\nnew\n\n" + end + "tail\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	again, err := splice(got, begin, end, "new\n")
	if err != nil || again != got {
		t.Errorf("second time: got %q, %v, want the same page", again, err)
	}
	for _, broken := range []string{"", begin, end + begin} {
		if _, err := splice(broken, begin, end, "new"); err == nil {
			t.Errorf("no error for %q", broken)
		}
	}
}
