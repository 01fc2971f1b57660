package measure

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

func TestTheBestRoundCountsAndTheWorstIsKept(t *testing.T) {
	t.Parallel()
	var r Result
	for _, cpu := range []time.Duration{30, 10, 20} {
		r.add(Sample{Kind: Count, Encoding: "e", Peer: "p", Text: "t", CPU: cpu, Wall: cpu + 5})
	}
	r.add(Sample{Kind: Count, Encoding: "e", Peer: "other", Text: "t", CPU: 5})
	s, ok := r.Find(Count, "e", "p", "t")
	if !ok || s.CPU != 10 || s.Worst != 30 || s.Wall != 15 {
		t.Errorf("got %+v, want best 10, worst 30, wall 15", s)
	}
	if len(r.Samples) != 2 {
		t.Errorf("%d samples, want one for each peer", len(r.Samples))
	}
}

func TestSpeedNeedsEveryText(t *testing.T) {
	t.Parallel()
	var r Result
	r.add(Sample{Kind: Count, Encoding: "e", Peer: "p", Text: "a", Bytes: 1e6, CPU: 10 * time.Millisecond})
	r.add(Sample{Kind: Count, Encoding: "e", Peer: "p", Text: "b", Bytes: 1e6, CPU: 40 * time.Millisecond})
	if got := r.Speed(Count, "e", "p", "a", "b"); math.Abs(got-40) > 1e-9 {
		t.Errorf("got %v, want the harmonic mean 40", got)
	}
	if got := r.Speed(Count, "e", "p", "a", "c"); got != 0 {
		t.Errorf("got %v for a text that was not measured, want 0", got)
	}
}

func TestNoiseIsTheMedianSpread(t *testing.T) {
	t.Parallel()
	r := Result{Samples: []Sample{
		{Kind: Count, CPU: 10, Worst: 30}, {Kind: Count, CPU: 10, Worst: 11}, {Kind: Count, CPU: 10, Worst: 12}, {Kind: Encode, CPU: 10, Worst: 90},
	}}
	if got := r.Noise(); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("got %v, want 0.2", got)
	}
}

func TestCompareShowsTheShortestTextThatDiffers(t *testing.T) {
	t.Parallel()
	all := []string{"same", "longer one", "short"}
	got := compare(all, [][]uint32{{1}, {1, 2}, {7, 8, 9}}, [][]uint32{{1}, {2, 1}, {7}})
	want := Exactness{Texts: 3, Differ: 2, Example: "short", Got: 3, Want: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// scripted is a measuring program in shell whose tokens are as many as asked for.
func scripted(t *testing.T, body string) peers.Peer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peer.sh")
	script := "while IFS='\t' read -r command a b c; do case $command in open|load) echo ok;; " + body + " esac; done\n"
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return peers.Peer{Name: peers.Us, Command: line.Command{Args: []string{"/bin/sh", file}}}
}

func newRun(t *testing.T, all ...peers.Peer) *run {
	t.Helper()
	r := &run{Options: Options{Peers: all, Texts: []texts.Text{{Name: "one", Data: "abcdef"}}, Rounds: 2, Short: 3, Log: io.Discard}, dir: t.TempDir(), clients: map[string]*line.Client{}}
	r.setDefaults()
	t.Cleanup(func() { r.close() })
	return r
}

func TestSpeedsAreMeasuredForEveryEncoding(t *testing.T) {
	t.Parallel()
	r := newRun(t, scripted(t, `count) printf 'ok\t3\t500\t1\n';; encode) printf 'ok\t3\t900\t1\n';;`))
	for _, step := range []func() error{r.writeTexts, r.start, r.speeds} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	for _, encoding := range Encodings {
		count, _ := r.Find(Count, encoding, peers.Us, "one")
		encode, _ := r.Find(Encode, encoding, peers.Us, "one")
		if count.CPU != 500 || count.Bytes != 6 || count.Tokens != 3 || encode.CPU != 900 {
			t.Errorf("%s: got %+v and %+v", encoding, count, encode)
		}
	}
}

func TestAPeerThatFailsIsNamedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	good := scripted(t, `count|encode) printf 'ok\t3\t500\t1\n';;`)
	bad := scripted(t, `count) printf 'error\tout of memory\n';;`)
	bad.Name, bad.Slow = "bad", true
	r := newRun(t, bad, good)
	for _, step := range []func() error{r.writeTexts, r.start, r.speeds} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "bad: count cl100k_base one") || !strings.Contains(r.Failures[0], "out of memory") {
		t.Errorf("failures %q, want one of the bad peer", r.Failures)
	}
	if _, ok := r.Find(Count, Encodings[1], peers.Us, "one"); !ok {
		t.Error("the good peer was not measured")
	}
}

func TestQuadraticPeersAreExtrapolated(t *testing.T) {
	t.Parallel()
	quadratic := scripted(t, `count) n=$(wc -c < "$file"); printf 'ok\t1\t%s\t1\n' $((n * n));;`)
	script, err := os.ReadFile(quadratic.Command.Args[1])
	if err != nil {
		t.Fatal(err)
	}
	remember := strings.Replace(string(script), "open|load) echo ok;;", "open) echo ok;; load) file=$b; echo ok;;", 1)
	if err := os.WriteFile(quadratic.Command.Args[1], []byte(remember), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRun(t, quadratic)
	r.adversarialPeer(Encodings[0], quadratic)
	for _, kind := range texts.Adversarials() {
		s, ok := r.Find(Adversarial, Encodings[0], peers.Us, kind.Name)
		minutes := s.CPU.Minutes()
		if !ok || !s.Estimated || minutes < 15 || minutes > 18 {
			t.Errorf("%s: got %v, estimated %v, want about 16.7 minutes", kind.Name, s.CPU, s.Estimated)
		}
	}
}
