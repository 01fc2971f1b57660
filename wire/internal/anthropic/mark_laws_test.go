package anthropic_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
)

// long makes the texts of a history worth a summary, and ends it with a question.
func long(c plimsoll.Conversation) plimsoll.Conversation {
	var messages []plimsoll.Message
	for _, m := range c.Messages.All() {
		parts := m.Parts.Slice()
		for i, p := range parts {
			if t, ok := p.(plimsoll.Text); ok && m.Role != plimsoll.System {
				parts[i] = plimsoll.Text{Text: "x" + strings.Repeat(t.Text+" and so on. ", 60)}
			}
		}
		messages = append(messages, plimsoll.NewMessage(m.Role, parts...))
	}
	messages = append(messages, plimsoll.Say(plimsoll.Assistant, "done"), plimsoll.Say(plimsoll.User, "next"))
	c.Messages = plimsoll.ListOf(messages...)
	return c
}

// compacted returns a draft with a checkpoint, as the rung makes it.
func compacted(t *rapid.T, req *wire.Request) *plimsoll.Draft {
	k, err := fit.New(&fit.Options{
		Meter: token.NewMeter(nil), Model: "gpt-4o", Window: 1_000_000, Reserve: new(0),
		Rungs: []fit.Rung{&rung.Compact{
			Layout:    rapid.SampledFrom([]rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer}).Draw(t, "layout"),
			KeepTurns: rapid.IntRange(0, 2).Draw(t, "turns"),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := k.Compact(t.Context(), fit.Task{Conversation: req.Conversation(), Raw: req.Raw, Chain: req.Chain}, fit.CompactOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	return made.Plan.Draft
}

// TestTheClientsMarksSurviveEveryDraft draws histories, marks and drafts, checkpoints
// among them, and asks of the edited request that its marks are legal, that those on
// instructions and tools have their bytes, that nothing behind the last edit moved,
// and that a mark that went came back where it was if something took its place.
func TestTheClientsMarksSurviveEveryDraft(t *testing.T) {
	t.Parallel()
	checkpoints := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		g := renderer{r: r, spare: 3, hours: r.IntN(4), anywhere: true}
		body := g.render(long(wiretest.Conversation(r)))
		req := decode(rt, string(body))
		var d *plimsoll.Draft
		if rapid.Bool().Draw(rt, "checkpoint") {
			d = compacted(rt, req)
			if len(d.Inserted()) > 0 {
				checkpoints++
			}
		} else {
			d = plimsoll.NewDraft(req.Conversation(), nil)
			wiretest.Edit(d, r)
		}
		out, err := req.Encode(d)
		if err != nil {
			rt.Fatal(err)
		}
		after := decode(rt, string(out))
		if v := wire.CheckEdited(req, after); len(v) > 0 {
			rt.Fatalf("%v\n in %s\nout %s", v, body, out)
		}
		if n := bytes.Count(out, []byte(`"cache_control"`)); n > 4 || n > bytes.Count(body, []byte(`"cache_control"`)) {
			rt.Fatalf("%d marks\nout %s", n, out)
		}
		sameBase(rt, body, out)
		sameBehind(rt, req, after, d)
		replaced(rt, req, after, d)
	})
	if checkpoints == 0 {
		t.Error("no history was compacted")
	}
}

// sameBase asks that the elements of system and tools have their bytes.
func sameBase(t *rapid.T, before, after []byte) {
	type base struct {
		System json.RawMessage
		Tools  []json.RawMessage
	}
	var was, is base
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
		t.Fatal("no request")
	}
	var had, has []json.RawMessage
	if json.Unmarshal(was.System, &had) == nil && json.Unmarshal(is.System, &has) != nil {
		t.Fatalf("system is no list any more: %s", is.System)
	}
	for _, lists := range [][2][]json.RawMessage{{had, has}, {was.Tools, is.Tools}} {
		for i, raw := range lists[0] {
			if !bytes.Equal(raw, lists[1][i]) {
				t.Fatalf("%s became %s", raw, lists[1][i])
			}
		}
	}
}

// sameBehind asks that all behind the last edit has its bytes, marks too.
func sameBehind(t *rapid.T, before, after *wire.Request, d *plimsoll.Draft) {
	last := -1
	for _, e := range d.Edits() {
		switch e.Kind {
		case plimsoll.EditInsert, plimsoll.EditWithdraw:
			last = max(last, e.Message-1)
		default:
			last = max(last, e.Message)
		}
	}
	n, m := before.Conversation().Messages.Len(), after.Conversation().Messages.Len()
	for back := 1; n-back > last; back++ {
		if was, is := before.Raw(n-back), after.Raw(m-back); !bytes.Equal(was, is) {
			t.Fatalf("behind the last edit\n%s became\n%s", was, is)
		}
	}
}

// replaced asks that what was inserted in the place of a dropped message with a mark
// has one, or something behind it in the same place.
func replaced(t *rapid.T, before, after *wire.Request, d *plimsoll.Draft) {
	lost, at := false, 0
	var inserted []int
	settle := func() {
		if lost && len(inserted) > 0 && !hasMark(after, inserted[len(inserted)-1]) {
			t.Fatalf("message %d took the place of a mark and has none:\n%s", inserted[len(inserted)-1], after.Body())
		}
		lost, inserted = false, nil
	}
	next := 0
	for p := range d.Placed() {
		end := p.Original
		if end < 0 {
			inserted = append(inserted, at)
			at++
			continue
		}
		for ; next < end; next++ {
			lost = lost || hasMark(before, next)
		}
		settle()
		next = end + 1
		at++
	}
}

func hasMark(r *wire.Request, i int) bool { return bytes.Contains(r.Raw(i), []byte(`"cache_control"`)) }
