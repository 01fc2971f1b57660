package anthropic_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

// hostile are bodies made to hurt a reader.
func hostile() map[string][]byte {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"member %07d":%d,`, i, i%10)
		}
		return b.String()
	}
	in := func(block string) []byte {
		return []byte(`{"messages":[{"role":"user","content":[` + block + `]}]}`)
	}
	deep := strings.Repeat("[", 1_000_000)
	return map[string][]byte{
		"a million members of the request":   []byte("{" + keys(1_000_000) + `"messages":[]}`),
		"many members of a message":          []byte(`{"messages":[{` + keys(200_000) + `"role":"user"}]}`),
		"many members of a block":            in(`{` + keys(200_000) + `"type":"x"}`),
		"many members of an input":           in(`{"type":"tool_use","input":{` + keys(200_000) + `"x":1}}`),
		"brackets in the place of messages":  []byte(`{"messages":` + deep),
		"brackets in the place of a content": []byte(`{"messages":[{"role":"user","content":` + deep),
		"brackets in the place of a result":  in(`{"type":"tool_result","content":` + deep),
		"results inside results":             in(strings.Repeat(`{"type":"tool_result","content":[`, 200_000)),
		"a string without an end":            []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("a", 4<<20)),
		"escapes without an end":             in(`{"type":"text","text":"` + strings.Repeat(`\u0020`, 1<<20)),
		"bytes that are no UTF-8":            in(`{"type":"text","text":"` + strings.Repeat("\xff\xc0", 1<<20) + `"}`),
		"halves of pairs":                    in(`{"type":"text","text":"` + strings.Repeat(`\ud800`, 1<<19) + `"}`),
		"white space in escapes":             in(`{"type":"text","text":"` + strings.Repeat(`\u2028\n`, 1<<18) + `"}`),
		"bytes that are nothing":             in(`{"type":"text","text":"` + strings.Repeat("\x00", 1<<20) + `"}`),
		"a large picture":                    in(`{"type":"image","source":{"type":"base64","data":"` + strings.Repeat("A", 8<<20) + `"}}`),
	}
}

func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			before := bytes.Clone(body)
			var start, end runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&start)
			r, err := anthropic.Codec{}.Decode(body)
			runtime.GC()
			runtime.ReadMemStats(&end)
			if used := int(end.HeapAlloc) - int(start.HeapAlloc); used > 4*len(body) {
				t.Errorf("%d bytes for a body of %d", used, len(body))
			}
			if err == nil {
				wire.Check(r)
				if out, err := r.Encode(plimsoll.NewDraft(r.Conversation(), nil)); err != nil || !bytes.Equal(out, before) {
					t.Errorf("the body comes out changed (%v)", err)
				}
			}
			runtime.KeepAlive(r)
		})
	}
}

// TestWorkGrowsWithTheBody counts allocations, which no other load disturbs.
func TestWorkGrowsWithTheBody(t *testing.T) {
	const n = 200
	cost := func(rounds int) float64 {
		body := []byte(longSession(rounds, 200))
		return testing.AllocsPerRun(3, func() {
			r, err := anthropic.Codec{}.Decode(body)
			if err != nil {
				t.Fatal(err)
			}
			r.Chain()
			d := plimsoll.NewDraft(r.Conversation(), nil)
			for i := range rounds {
				if err := d.ReplaceResult(part(2*i+2, 0), textOf("gone"), because); err != nil {
					t.Fatal(err)
				}
			}
			wire.Check(r)
			if _, err := r.Encode(d); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := cost(n), cost(4*n); large > 5*small {
		t.Errorf("%d rounds take %.0f allocations, four times as many %.0f", n, small, large)
	}
}

// longSession is a body of one turn with many rounds.
func longSession(rounds, size int) string {
	line := "\tif err := check(\"line\", i); err != nil { return fmt.Errorf(\"check %d: %w\", i, err) }\n"
	output := text(strings.Repeat(line, 1+size/len(line)))
	messages := []string{user}
	for i := range rounds {
		messages = append(messages,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"Reading."},{"type":"tool_use","id":"toolu_%d","name":"read","input":{"path":"file_%d.go"}}]}`, i, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%s}]}`, i, output))
	}
	return `{"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[` + strings.Join(messages, ",") + `]}`
}
