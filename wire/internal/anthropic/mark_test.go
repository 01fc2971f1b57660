package anthropic_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
)

const cacheMark = `"cache_control":{"type":"ephemeral","scope":"x"}`

// marked puts a cache mark into a block, or a message, before its last brace.
func marked(object string) string { return object[:len(object)-1] + "," + cacheMark + "}" }

func TestACacheMarkMovesToTheNearestBlockThatStays(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","text":"a"}`
	const image = `{"type":"image","source":{"type":"file","file_id":"f"}}`
	drop := func(start, end int) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { return d.Drop(span(start, end), because) }
	}
	remove := func(i, j int) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { return d.RemovePart(part(i, j), because) }
	}
	replace := func(i, j int) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { return d.ReplaceResult(part(i, j), textOf("gone"), because) }
	}
	swap := func(start, end int, inserted ...plimsoll.Message) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error {
			err := d.Drop(span(start, end), because)
			for _, m := range inserted {
				if err == nil {
					_, err = d.Insert(end, m, because)
				}
			}
			return err
		}
	}
	said := func(role plimsoll.Role, s string) plimsoll.Message { return plimsoll.Say(role, s) }
	inner := `{"type":"tool_result","tool_use_id":"t1","content":[` + marked(text) + `]}`
	gone := `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"gone"}]}`
	type list = []string
	for _, tt := range []struct {
		name   string
		before list
		edit   func(*plimsoll.Draft) error
		after  list
	}{
		{
			"from a dropped message to the last block before it",
			list{says("user", text, text), says("assistant", marked(text)), user},
			drop(1, 2),
			list{says("user", text, marked(text)), user},
		},
		{
			"to a bare string, which becomes a list",
			list{user, says("assistant", marked(text)), user},
			drop(1, 2),
			list{says("user", marked(`{"type":"text","text":"hi"}`)), user},
		},
		{
			"past thinking",
			list{user, says("assistant", text, thinking), says("user", marked(text)), user},
			drop(2, 3),
			list{user, says("assistant", marked(text), thinking), user},
		},
		{
			"past a system turn",
			list{user, systemTurn, says("assistant", marked(text)), user},
			drop(2, 3),
			list{says("user", marked(`{"type":"text","text":"hi"}`)), systemTurn, user},
		},
		{
			"to a result",
			list{user, call, result, says("assistant", marked(text)), user},
			drop(3, 4),
			list{user, call, says("user", marked(`{"type":"tool_result","tool_use_id":"t1","content":"r"}`)), user},
		},
		{
			"from a removed picture to the block before it",
			list{says("user", text, marked(image), text)},
			remove(0, 1),
			list{says("user", marked(text), text)},
		},
		{
			"from the first block to the message before",
			list{says("user", text), says("user", marked(image), text)},
			remove(1, 0),
			list{says("user", marked(text)), says("user", text)},
		},
		{
			"from the content of a result to the result",
			list{user, call, says("user", inner)},
			replace(2, 0),
			list{user, call, says("user", marked(gone))},
		},
		{
			"from a dropped message to what is inserted for it",
			list{user, says("assistant", marked(text)), user, assistant, user},
			swap(1, 4, said(plimsoll.Assistant, "summary")),
			list{user, says("assistant", marked(`{"type":"text","text":"summary"}`)), user},
		},
		{
			"to the last of several that are inserted",
			list{says("user", marked(text)), assistant, user, assistant, user},
			swap(0, 4, said(plimsoll.User, "s"), said(plimsoll.Assistant, "yes")),
			list{`{"role":"user","content":"s"}`, says("assistant", marked(`{"type":"text","text":"yes"}`)), user},
		},
		{
			"past an inserted message of white space and instructions",
			list{says("user", text), says("assistant", marked(text)), user},
			swap(1, 2, said(plimsoll.System, "be brief"), said(plimsoll.Assistant, " ")),
			list{says("user", marked(text)), `{"role":"system","content":"be brief"}`, `{"role":"assistant","content":" "}`, user},
		},
		{
			"to the block of an inserted message that can carry it",
			list{user, says("assistant", marked(text)), user},
			swap(1, 2, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: "a"}, plimsoll.Reasoning{Text: "", Signature: "s"})),
			list{user, says("assistant", marked(text), thinking), user},
		},
		{
			"once for all marks in what went, as the first of them",
			list{user, says("assistant", text[:len(text)-1]+`,"cache_control":{"type":"ephemeral","ttl":"1h"}}`), says("user", marked(text)), assistant, user},
			swap(1, 4, said(plimsoll.Assistant, "summary")),
			list{user, says("assistant", `{"type":"text","text":"summary","cache_control":{"type":"ephemeral","ttl":"1h"}}`), user},
		},
		{
			"not past a mark that stays on a turn of instructions",
			list{user, says("system", marked(text)), says("assistant", marked(text)), user},
			drop(2, 3),
			list{user, says("system", marked(text)), user},
		},
		{
			"nowhere if the block before has one",
			list{says("user", marked(text)), says("assistant", marked(text)), user},
			drop(1, 2),
			list{says("user", marked(text)), user},
		},
		{
			"nowhere if nothing before it stays",
			list{says("user", marked(text)), assistant, user},
			drop(0, 2),
			list{user},
		},
		{
			"into the place of a mark that is null",
			list{says("user", `{"type":"text","cache_control" : null,"text":"a"}`), says("assistant", marked(text)), user},
			drop(1, 2),
			list{says("user", `{"type":"text",`+cacheMark+`,"text":"a"}`), user},
		},
		{
			"not at all if its block stays",
			list{user, says("assistant", marked(text)), user, assistant, user},
			drop(2, 4),
			list{user, says("assistant", marked(text)), user},
		},
		{
			"not at all if only the result's content goes",
			list{user, call, says("user", marked(`{"type":"tool_result","tool_use_id":"t1","content":"r"}`))},
			replace(2, 0),
			list{user, call, says("user", marked(`{"type":"tool_result","tool_use_id":"t1","content":"gone"}`))},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := func(messages list) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
			if diff := cmp.Diff(body(tt.after), edited(t, body(tt.before), tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A request with more marks than the API takes is refused with or without us; to
// look for a place for each of thousands would only take time.
func TestNoMoreMarksAreMovedThanTheAPITakes(t *testing.T) {
	t.Parallel()
	const turns = 6
	body := `{"messages":[` + strings.Repeat(user+","+says("assistant", marked(`{"type":"text","text":"a"}`))+",", turns) + user + `]}`
	got := edited(t, body, func(d *plimsoll.Draft) error {
		for i := range turns {
			if err := d.Drop(span(2*i+1, 2*i+2), because); err != nil {
				return err
			}
		}
		return nil
	})
	if n := marksIn(decode(t, got)); n != 4 {
		t.Errorf("%d marks: %s", n, got)
	}
}

// TestMarksStayLegalThroughEveryEdit puts marks of both kinds anywhere, edits at
// random and asks the checker, whose own rules are tested by themselves.
func TestMarksStayLegalThroughEveryEdit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		g := renderer{r: r, spare: 3, hours: r.IntN(4), anywhere: true}
		body := g.render(wiretest.Conversation(r))
		req := decode(rt, string(body))
		if v := wire.Check(req); len(v) > 0 {
			rt.Fatalf("the history itself is refused: %v\n%s", v, body)
		}
		d := plimsoll.NewDraft(req.Conversation(), nil)
		wiretest.Edit(d, r)
		out, err := req.Encode(d)
		if err != nil {
			rt.Fatal(err)
		}
		edited := decode(rt, string(out))
		if v := wire.CheckEdited(req, edited); len(v) > 0 {
			rt.Fatalf("%v\n in %s\nout %s", v, body, out)
		}
		before, after := marksIn(req), marksIn(edited)
		_, first := d.Message(0)
		if after > before || first && before > 0 && after == 0 {
			rt.Fatalf("%d marks become %d\n in %s\nout %s", before, after, body, out)
		}
	})
}

// marksIn counts the cache marks of the messages; no generated text looks like
// one.
func marksIn(r *wire.Request) int {
	n := 0
	for i := range r.Conversation().Messages.Len() {
		n += bytes.Count(r.Raw(i), []byte(`"cache_control"`))
	}
	return n
}
