package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// still answers at once, so that only our own work is measured. Its bill grows as the count of
// Plimsoll does, so that no anchor is written.
type still struct{}

func (still) RoundTrip(req *http.Request) (*http.Response, error) {
	n, _ := io.Copy(io.Discard, req.Body)
	body := fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":2}}`, 530+n*331/1000)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// grown is a request of about so many bytes and i more rounds. A %d in it names the
// conversation.
func grown(size, i int) string {
	var b strings.Builder
	b.WriteString(`{"model":"claude-sonnet-4-5","max_tokens":1000,"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"read %d"}`)
	round := func(n, bytes int) {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"read","input":{"path":"f%d"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"`, n, n, n)
		for line := 0; bytes > 0; line++ {
			was := b.Len()
			fmt.Fprintf(&b, `%d: the quick brown fox %d jumps over\n`, line, n*line)
			bytes -= b.Len() - was
		}
		b.WriteString(`"}]}`)
	}
	each := min(8000, size/3)
	for n := 0; b.Len() < size; n++ {
		round(n, each)
	}
	for n := range i {
		round(1_000_000+n, 600)
	}
	b.WriteString(`]}`)
	return b.String()
}

// BenchmarkNext is the third request of a conversation: under its line, and cut. Later ones
// may be cut by the policy.
func BenchmarkNext(b *testing.B) {
	for _, c := range []struct {
		name         string
		size, window int
	}{
		{"4KB", 4 << 10, 200_000},
		{"300KB", 300 << 10, 200_000},
		{"300KB cut", 300 << 10, 40_000},
		{"4MiB", 4 << 20, 4_000_000},
		{"4MiB cut", 4 << 20, 400_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			backend, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"), nil)
			if err != nil {
				b.Fatal(err)
			}
			s, err := store.New(b.Context(), backend, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			managed, err := transport.New(&transport.Options{Base: still{}, Store: s, Window: c.window})
			if err != nil {
				b.Fatal(err)
			}
			defer managed.Close()
			ask := func(body string) {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://model/v1/messages", strings.NewReader(body))
				resp, err := managed.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				answer, _ := io.ReadAll(resp.Body)
				if resp.StatusCode != http.StatusOK {
					b.Fatalf("%d %s", resp.StatusCode, answer)
				}
				_ = resp.Body.Close()
			}
			first, second, third := grown(c.size, 0), grown(c.size, 1), grown(c.size, 2)
			b.SetBytes(int64(len(third)))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				b.StopTimer()
				i++
				ask(fmt.Sprintf(first, i))
				ask(fmt.Sprintf(second, i))
				next := fmt.Sprintf(third, i)
				b.StartTimer()
				ask(next)
			}
		})
	}
}
