package preset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

var cacheTools = []plimsoll.Tool{
	{Name: "tool_output_cache", Description: "Reads what was taken out.", Schema: `{"type":"object","properties":{"ref_id":{"type":"string"}}}`},
	{Name: "grep_tool_output_cache", Description: "Searches what was taken out.", Schema: `{"type":"object","properties":{"pattern":{"type":"string"}}}`},
}

// counted is a meter that all processes share, so that nothing is counted twice.
var counted = token.NewMeter(nil)

// process is one that shares a store with others.
func process(t testing.TB, tenant *store.Tenant, window int, now *time.Time) *fit.Keeper {
	t.Helper()
	o, err := preset.Auto(&preset.Options{Window: window, Meter: counted, Archive: tenant, Memory: tenant.Memory()})
	if err != nil {
		t.Fatal(err)
	}
	o.Now = func() time.Time { return *now }
	k, err := fit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestSamePrefixSameBytesWithToolsThatAreOffered grows a conversation in every dialect
// with the preset auto. Tools are there from the first cut on and never before; they,
// and every message in front of what is new, keep their bytes; another process that
// has only the store sends the same; and each request is valid for its API.
func TestSamePrefixSameBytesWithToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			tenant, n := shelf(t), 0
			rapid.Check(t, func(r *rapid.T) {
				n++
				grow := growth{
					codec: dialects.Codec(d), window: rapid.IntRange(4_000, 16_000).Draw(r, "window"), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC),
					own: rapid.Bool().Draw(r, "own tools"),
				}
				k := process(t, tenant, grow.window, &grow.now)
				outputs := []string{fmt.Sprintf("conversation %d", n)} // one that no other has begun
				for i := range rapid.IntRange(5, 16).Draw(r, "rounds") {
					lines := rapid.IntRange(1, 150).Draw(r, "lines")
					outputs = append(outputs, strings.Repeat(fmt.Sprintf("line %d of the log, with words\n", i), lines))
					grow.now = grow.now.Add(time.Duration(rapid.IntRange(1, 600).Draw(r, "seconds")) * time.Second)
					grow.step(t, r, k, tenant, outputs)
				}
			})
		})
	}
}

// growth is a conversation request by request.
type growth struct {
	codec   wire.Codec
	window  int
	now     time.Time
	own     bool
	offered bool
	last    *wire.Request
}

func (g *growth) step(t *testing.T, r *rapid.T, k *fit.Keeper, tenant *store.Tenant, outputs []string) {
	c := toolRounds(outputs...)
	if g.own {
		c.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "run", Description: "Runs.", Schema: `{"type":"object","properties":{}}`})
	}
	body, err := wiretest.Rewrite(g.codec, c)
	if err != nil {
		r.Fatal(err)
	}
	request := wiretest.Decode(t, g.codec, string(body))
	p, sent := g.fit(t, r, k, request)
	if !p.Changed() && !bytes.Equal(sent, body) {
		r.Fatal("what was not cut has other bytes")
	}
	if fresh := len(p.Rungs) > 0 && !p.Rungs[0].Replayed; fresh || len(outputs)%4 == 0 {
		if _, other := g.fit(t, r, process(t, tenant, g.window, &g.now), request); !bytes.Equal(sent, other) {
			r.Fatalf("another process sends something else:\n%s\n%s", sent, other)
		}
	}
	edited := wiretest.Decode(t, g.codec, string(sent))
	offered := bytes.Count(sent, []byte(`"grep_tool_output_cache"`)) == 1
	if offered != p.Changed() || g.offered && !offered {
		r.Fatalf("offered before: %v, now: %v, edits: %d", g.offered, offered, len(p.Edits))
	}
	if p.After.Exceeds(p.Line) {
		r.Fatalf("%d tokens over a line of %d", p.After.Total, p.Line.Limit())
	}
	if len(p.Rungs) == 0 || len(p.Rungs) == 1 && p.Rungs[0].Replayed {
		g.same(r, edited)
	}
	g.offered, g.last = offered, edited
}

func (g *growth) fit(t *testing.T, r *rapid.T, k *fit.Keeper, request *wire.Request) (*plimsoll.Plan, []byte) {
	task := preset.Task(request, preset.Client{})
	task.Offer = cacheTools
	p, err := k.Fit(t.Context(), task)
	if err != nil {
		r.Fatal(err)
	}
	if err := dialects.Verify(request, p.Body); err != nil {
		r.Fatal(err)
	}
	sent, err := request.Encode(p.Draft)
	if err != nil {
		r.Fatal(err)
	}
	return p, sent
}

// same holds a request that was cut as the one before against it.
func (g *growth) same(r *rapid.T, now *wire.Request) {
	if g.last == nil {
		return
	}
	if g.last.Layout().ToolsIdentity != now.Layout().ToolsIdentity {
		r.Fatal("the tools have changed")
	}
	for i := range g.last.Conversation().Messages.Len() {
		if was, is := g.last.Raw(i), now.Raw(i); !bytes.Equal(was, is) {
			r.Fatalf("message %d was\n%s\nand is\n%s", i, was, is)
		}
	}
}

// BenchmarkNextRequest compares the next request of a conversation that was cut with
// one that was given tools, too.
func BenchmarkNextRequest(b *testing.B) {
	for name, offer := range map[string][]plimsoll.Tool{"cut": nil, "cut and given tools": cacheTools} {
		b.Run(name, func(b *testing.B) {
			now := time.Now()
			k := process(b, shelf(b), 100_000, &now)
			task := func(rounds int) fit.Task {
				t := preset.Task(agent(b, rounds), preset.Client{})
				t.Offer = offer
				return t
			}
			first, next := task(430), task(431)
			if _, err := k.Fit(b.Context(), first); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p, err := k.Fit(b.Context(), next)
				if err != nil || !p.Changed() || p.Draft.AddedTools().Len() != len(offer) {
					b.Fatal(err, len(p.Edits))
				}
			}
		})
	}
}
