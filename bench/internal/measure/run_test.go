package measure

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// TestMain lets the test binary be the measuring programs of its own tests.
func TestMain(m *testing.M) {
	if kind := os.Getenv("BENCH_TEST_PEER"); kind != "" {
		p := &line.Program{
			Open:   func(string) (line.Tokenizer, error) { return byteTokens{odd: kind == "odd"}, nil },
			Append: func(n int) (string, error) { return fmt.Sprintf("ok\t%d\trecount\t900\tdigest\t9", n), nil },
		}
		p.Main()
		return
	}
	os.Exit(m.Run())
}

// byteTokens makes a token of every byte; odd ones leave out tabs.
type byteTokens struct{ odd bool }

func (b byteTokens) Count(text string) (int, error) {
	ids, err := b.Encode(text)
	return len(ids), err
}

func (b byteTokens) Encode(text string) ([]uint32, error) {
	var ids []uint32
	for _, c := range []byte(text) {
		if c != '\t' || !b.odd {
			ids = append(ids, uint32(c))
		}
	}
	return ids, nil
}

func self(t *testing.T, name, kind string) peers.Peer {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return peers.Peer{Name: name, Command: line.Command{Args: []string{program}, Env: []string{"BENCH_TEST_PEER=" + kind}}}
}

func TestRunMeasuresEveryKindAndFindsWhoIsNotExact(t *testing.T) {
	t.Parallel()
	odd := self(t, "odd", "odd")
	odd.Slow = true
	result, err := Run(Options{
		Peers:  []peers.Peer{self(t, peers.Us, "exact"), self(t, peers.Reference, "exact"), odd, {Name: "absent", Missing: "not on this machine"}},
		Texts:  []texts.Text{{Name: "tabs", Data: "a\tb\tc"}},
		Rounds: 1, Sample: time.Nanosecond, Short: 3, Large: 4000,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Failures) > 0 {
		t.Errorf("failures: %q", result.Failures)
	}
	for _, encoding := range Encodings {
		for _, kind := range []Kind{Count, Encode, Cold} {
			if s, ok := result.Find(kind, encoding, peers.Us, "tabs"); !ok || s.Tokens != 5 || s.Bytes != 5 {
				t.Errorf("%s %s: got %+v, want 5 tokens of 5 bytes", kind, encoding, s)
			}
		}
		if s, ok := result.Find(Count, encoding, "odd", "tabs"); !ok || s.Bytes != 3 || s.Tokens != 2 {
			t.Errorf("slow peer: got %+v, want 2 tokens of the first 3 bytes", s)
		}
		if s, ok := result.Find(First, encoding, peers.Us, ""); !ok || s.Wall == 0 {
			t.Errorf("first count: got %+v", s)
		}
		if s, ok := result.Find(Adversarial, encoding, peers.Us, "digits"); !ok || s.Estimated || s.Bytes < 3900 {
			t.Errorf("adversarial: got %+v, want a measured pass over 4000 bytes", s)
		}
	}
	if s, ok := result.Find(Append, "", peers.Us, "digest 200000"); !ok || s.CPU != 9 {
		t.Errorf("append: got %+v, want 9 ns", s)
	}
	checkExact(t, result.Exact)
}

func checkExact(t *testing.T, all []Exactness) {
	t.Helper()
	if len(all) != 2*len(Encodings) {
		t.Fatalf("%d comparisons, want us and the odd one in each encoding", len(all))
	}
	for _, e := range all {
		if (e.Differ == 0) != (e.Peer == peers.Us) {
			t.Errorf("%s: %d of %d texts differ", e.Peer, e.Differ, e.Texts)
		}
		if e.Differ > 0 && (e.Example != "\t" || e.Got != 0 || e.Want != 1) {
			t.Errorf("%s: example %q with %d tokens instead of %d, want a tab", e.Peer, e.Example, e.Got, e.Want)
		}
	}
}

func TestRunNeedsAtLeastOurselves(t *testing.T) {
	t.Parallel()
	_, err := Run(Options{Peers: []peers.Peer{{Name: peers.Us, Missing: "does not compile"}}})
	if err == nil || !strings.Contains(err.Error(), "plimsoll") {
		t.Errorf("got %v, want an error that names us", err)
	}
}
