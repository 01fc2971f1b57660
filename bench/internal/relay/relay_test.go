package relay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

func code(t *testing.T) *maker {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "\tx%d := \"<%d>\" // a line\n", i, i*i)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := newMaker(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bodyOf(t *testing.T, c *conversation, n int) []byte {
	t.Helper()
	r, size := c.body(n)
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != size {
		t.Errorf("%d bytes, announced %d", len(data), size)
	}
	return data
}

func TestEachBodyOfAHistoryIsTheOneBeforeWithARoundMore(t *testing.T) {
	t.Parallel()
	c := code(t).history(40<<10, 3)
	before := 0
	for n := range 4 {
		data := bodyOf(t, c, n)
		var request struct {
			Messages []struct {
				Role   string `json:"role"`
				CallID string `json:"tool_call_id"`
				Calls  []struct {
					ID string `json:"id"`
				} `json:"tool_calls"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(data, &request); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			if got := len(request.Messages) - before; got != 2 {
				t.Errorf("body %d has %d messages more, want 2", n, got)
			}
			if last := bodyOf(t, c, n-1); !bytes.HasPrefix(data, bytes.TrimSuffix(last, []byte(tail))) {
				t.Errorf("body %d does not begin with body %d", n, n-1)
			}
		}
		before = len(request.Messages)
		call, result := request.Messages[before-2], request.Messages[before-1]
		if len(call.Calls) != 1 || call.Calls[0].ID != result.CallID {
			t.Errorf("body %d ends with %+v and %+v, want a call and its result", n, call, result)
		}
	}
	if size := c.size(); size < 40<<10 || size > 42<<10 {
		t.Errorf("%d bytes, want about 40 KiB", size)
	}
}

func TestShortConversationsDifferAndHaveTheSizeThatIsAskedFor(t *testing.T) {
	t.Parallel()
	m := code(t)
	a, b := bodyOf(t, m.short(4<<10, false), 0), bodyOf(t, m.short(4<<10, true), 0)
	if bytes.Equal(a, b) {
		t.Error("two conversations are the same")
	}
	for _, body := range [][]byte{a, b} {
		if !json.Valid(body) || len(body) < 3600 || len(body) > 4800 {
			t.Errorf("%d bytes, valid %v; want about 4 KiB of JSON", len(body), json.Valid(body))
		}
	}
	if bytes.Contains(a, []byte(`"stream":true`)) || !bytes.Contains(b, []byte(`"stream":true`)) {
		t.Error("only the second is to be streamed")
	}
}

func TestEventsThatComeInOnePieceAreCounted(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	event := func(before time.Duration) string {
		return fmt.Sprintf("data: {\"content\":\"sent-%d \"}\n\n", now.Add(-before).UnixNano())
	}
	s := &events{}
	s.take([]byte(event(2*ms)), now)
	s.take([]byte(event(5*ms)+event(1*ms)+event(0)), now)
	if want := []time.Duration{2 * ms, 5 * ms, ms, 0}; fmt.Sprint(s.delays) != fmt.Sprint(want) || s.coalesced != 2 {
		t.Errorf("delays %v, %d coalesced; want %v, 2", s.delays, s.coalesced, want)
	}
}

func TestAChangedByteOfAStreamIsSeen(t *testing.T) {
	t.Parallel()
	const body = "data: {\"a\":1}\n\n"
	whole := fmt.Sprintf("%s: sum %x\n\ndata: [DONE]\n\n", body, sha256.Sum256([]byte(body)))
	for name, test := range map[string]struct {
		stream string
		want   bool
	}{
		"as it was sent":        {whole, true},
		"another space":         {strings.Replace(whole, `:1`, `: 1`, 1), false},
		"without its end":       {strings.TrimSuffix(whole, "data: [DONE]\n\n"), false},
		"without its sum":       {body + "data: [DONE]\n\n", false},
		"with something behind": {whole + "\n", false},
	} {
		if got := (&events{all: []byte(test.stream)}).intact(); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestDifferencesAreTakenRoundByRound(t *testing.T) {
	t.Parallel()
	// The machine was three times as slow in the second round, and in the third the
	// floor alone was hit.
	floor := Latency{Rounds: []Round{{P50: 10 * ms}, {P50: 30 * ms}, {P50: 80 * ms}}}
	us := Latency{Rounds: []Round{{P50: 12 * ms}, {P50: 36 * ms}, {P50: 13 * ms}}}
	if got := us.Over(floor).P50; got != 2*ms {
		t.Errorf("got %v, want the median of 2, 6 and -67 ms", got)
	}
	rates, base := Throughput{Rates: []float64{50, 10, 90}}, Throughput{Rates: []float64{100, 40, 100}}
	if got := rates.Of(base); got != 0.5 {
		t.Errorf("got %v, want the median of 0.5, 0.25 and 0.9", got)
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(99-i)*ms)
	}
	if p50, p99 := quantile(times, 0.5), quantile(times, 0.99); p50 != 50*ms || p99 != 99*ms {
		t.Errorf("got %v and %v, want 50 and 99 ms", p50, p99)
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("nothing: got %v", got)
	}
}

func TestGaugesAreValuesWithoutLabels(t *testing.T) {
	t.Parallel()
	got, err := readGauges(strings.NewReader("# HELP go_goroutines Number.\n# TYPE go_goroutines gauge\ngo_goroutines 12\nx{a=\"b c\"} 3\ny 1.5e+07\n"))
	if err != nil || len(got) != 2 || got["go_goroutines"] != 12 || got["y"] != 1.5e7 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := readGauges(strings.NewReader("y many\n")); err == nil {
		t.Error("no error for a value that is no number")
	}
}

func TestMemoryOfAProcess(t *testing.T) {
	t.Parallel()
	got, err := statusValue(strings.NewReader("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n"), "VmRSS")
	if err != nil || got != 1<<20 {
		t.Errorf("got %d, %v; want 1 MiB", got, err)
	}
	if _, err := statusValue(strings.NewReader("Name:\tx\n"), "VmRSS"); err == nil {
		t.Error("no error without the value")
	}
}

func TestServerThatEndsSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := start(Command{Args: []string{"sh", "-c", "echo first; echo no such flag >&2; exit 2"}, Health: "/"}, "", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("got %v, want the last line of its log", err)
	}
}
