package anthropic_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
)

// agentBody is what a coding agent sends: marks on system and the last block, a
// client's own fields, thinking without text, system turns, parallel results in
// another order than the calls.
const agentBody = `{"model":"claude-opus-4-8","max_tokens":32000,"thinking":{"type":"adaptive"},"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},
"metadata":{"user_id":"{\"session_id\":\"1\"}"},"output_config":{"effort":"high"},"stream":true,
"system":[{"type":"text","text":"x-anthropic-billing-header: cch=11111;"},{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral","ttl":"1h"}}],
"tools":[{"name":"read","input_schema":{"type":"object"},"defer_loading":true}],
"messages":[
 {"role":"user","content":[{"type":"text","text":"fix it"}]},
 {"role":"system","content":"<reminder>1</reminder>"},
 {"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Eq1=="},{"type":"tool_use","id":"a","name":"read","input":{"n":1.0}},{"type":"tool_use","id":"b","name":"read","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"B"},{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"A"}]}]},
 {"role":"system","content":"<reminder>2</reminder>"},
 {"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Eq2=="},{"type":"tool_use","id":"c","name":"read","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"C","cache_control":{"type":"ephemeral"}}]},
 {"role":"system","content":"<reminder>3</reminder>"}]}`

func rolesOf(c plimsoll.Conversation) string {
	var roles []string
	for _, m := range c.Messages.All() {
		roles = append(roles, string(m.Role))
	}
	return strings.Join(roles, " ")
}

func TestSystemTurnsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	r := decode(t, agentBody)
	if v := wire.Check(r); len(v) > 0 {
		t.Fatalf("found %v", v)
	}
	for _, tt := range []struct {
		name string
		edit func(*plimsoll.Draft) error
		want string
	}{
		{"unedited, with one at the end", func(*plimsoll.Draft) error { return nil }, "user system assistant user system assistant user system"},
		{"a dropped round takes its own along", func(d *plimsoll.Draft) error {
			return d.Drop(d.Outline().Turns[0].Rounds[0].Span, because)
		}, "user system assistant user system"},
		{"a summary inside the turn goes before one, not behind", func(d *plimsoll.Draft) error {
			_, err := d.Insert(5, plimsoll.Say(plimsoll.User, "so far"), because)
			return err
		}, "user system assistant user user system assistant user system"},
		{"a summary in the place of a round", func(d *plimsoll.Draft) error {
			if _, err := d.Insert(5, plimsoll.Say(plimsoll.User, "so far"), because); err != nil {
				return err
			}
			return d.Drop(span(2, 5), because)
		}, "user user system assistant user system"},
		{"a summary and an answer to it", func(d *plimsoll.Draft) error {
			if _, err := d.Insert(5, plimsoll.Say(plimsoll.User, "so far"), because); err != nil {
				return err
			}
			_, err := d.Insert(5, plimsoll.Say(plimsoll.Assistant, "I see"), because)
			return err
		}, "user system assistant user user system assistant assistant user system"},
		{"a note of a tool, which is the user's", func(d *plimsoll.Draft) error {
			_, err := d.Insert(5, plimsoll.Say(plimsoll.ToolRole, "so far"), because)
			return err
		}, "user system assistant user user system assistant user system"},
		{"a question at the end", func(d *plimsoll.Draft) error {
			_, err := d.Insert(8, plimsoll.Say(plimsoll.User, "go on"), because)
			return err
		}, "user system assistant user system assistant user user system"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			edited := decode(t, edited(t, agentBody, tt.edit))
			if got := rolesOf(edited.Conversation()); got != tt.want {
				t.Errorf("roles\n got %s\nwant %s", got, tt.want)
			}
			if v := wire.CheckEdited(r, edited); len(v) > 0 {
				t.Errorf("found %v", v)
			}
		})
	}
}

// TestSystemTurnsStayLegalThroughEveryEdit puts a system turn behind every user's
// message, as an agent does, edits at random, and compacts inside the last turn.
func TestSystemTurnsStayLegalThroughEveryEdit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		c := normalize(wiretest.Conversation(r))
		var messages []plimsoll.Message
		for _, m := range c.Messages.All() {
			messages = append(messages, m)
			if m.Role == plimsoll.User && r.IntN(3) > 0 {
				messages = append(messages, plimsoll.Say("system-turn", "be brief"))
			}
		}
		c.Messages = plimsoll.ListOf(messages...)
		body := strings.ReplaceAll(string(render(c, r)), "system-turn", "system")
		req := decode(rt, body)
		d := plimsoll.NewDraft(req.Conversation(), nil)
		wiretest.Edit(d, r)
		compactInside(d, r)
		out, err := req.Encode(d)
		if err != nil {
			rt.Fatal(err)
		}
		if v := wire.CheckEdited(req, decode(rt, string(out))); len(v) > 0 {
			rt.Fatalf("%v\n in %s\nout %s", v, body, out)
		}
	})
}

// compactInside puts a summary in the place of the first rounds of the last turn.
func compactInside(d *plimsoll.Draft, r *rand.Rand) {
	turns := d.Outline().Turns
	rounds := turns[len(turns)-1].Rounds
	if len(rounds) < 2 {
		return
	}
	end := rounds[1+r.IntN(len(rounds)-1)].Start
	if d.Drop(span(rounds[0].Start, end), because) == nil {
		_, _ = d.Insert(end, plimsoll.Say(plimsoll.User, "so far: nothing"), because)
	}
}

func TestResultsInAnotherOrderThanTheirCallsArePairs(t *testing.T) {
	t.Parallel()
	o := decode(t, agentBody).Conversation().Outline()
	want := []plimsoll.Pair{
		{Call: part(2, 2), Result: part(3, 0)},
		{Call: part(2, 1), Result: part(3, 1)},
		{Call: part(5, 1), Result: part(6, 0)},
	}
	if diff := cmp.Diff(want, o.Pairs); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	if len(o.Turns) != 1 || len(o.Turns[0].Rounds) != 2 || o.Head != 0 {
		t.Errorf("outline %+v", o)
	}
}

func TestThinkingGoesThroughByteForByte(t *testing.T) {
	t.Parallel()
	got := edited(t, agentBody, func(d *plimsoll.Draft) error {
		if err := d.ReplaceResult(part(3, 0), textOf("gone"), because); err != nil {
			return err
		}
		return d.ReplaceResult(part(6, 0), textOf("gone"), because)
	})
	want := strings.NewReplacer(`"content":"B"`, `"content":"gone"`, `"content":"C"`, `"content":"gone"`).Replace(agentBody)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	const body = `{"system":"be brief","tools":[{"name":"f"}],"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},{"type":"text","text":"t"}]}]}`
	const all = 4
	base := decode(t, body)
	const mark = `,"cache_control":{"type":"ephemeral"}`
	for _, tt := range []struct {
		name string
		swap []string
		same int
	}{
		{"nothing", nil, all},
		{"a text as a list with a cache mark", []string{`"content":"hi"`, `"content":[{"type":"text","text":"hi"` + mark + `}]`}, all},
		{"a result as a list with a cache mark", []string{`"content":"r"`, `"content":[{"text":"r","type":"text"` + mark + `}]`}, all},
		{"a system prompt as a list", []string{`"be brief"`, `[{"type":"text","text":"be brief"` + mark + `}]`}, all},
		{"a system prompt with a checksum", []string{`"be brief"`, `[{"type":"text","text":"x-anthropic-billing-header: cch=2;"},{"type":"text","text":"be brief"}]`}, all},
		{"a mark on a tool", []string{`{"name":"f"}`, `{"name":"f"` + mark + `}`}, all},
		{"members that are null", []string{`"content":"hi"`, `"content":"hi","x":null`, `"text":"t"`, `"text":"t","citations":null`, `{"name":"f"}`, `{"name":"f","strict":null}`}, all},
		{"an error that is none", []string{`"content":"r"`, `"content":"r","is_error":false`}, all},
		{"other parameters", []string{`{"system"`, `{"temperature":0,"stream":true,"system"`}, all},
		{"another system prompt", []string{"be brief", "be long"}, 0},
		{"a block of tomorrow in the system prompt", []string{`"be brief"`, `[{"type":"text","text":"be brief"},{"type":"hologram"}]`}, 0},
		{"other tools", []string{`[{"name":"f"}]`, `[{"name":"g"}]`}, 0},
		{"a tool as two", []string{`[{"name":"f"}]`, `[{"name":"f"},{}]`}, 0},
		{"another question", []string{`"hi"`, `"hi!"`}, 1},
		{"another call", []string{`"input":{}`, `"input":{"a":1}`}, 2},
		{"a result that failed", []string{`"content":"r"`, `"content":"r","is_error":true`}, 3},
		{"a text that moves into the result", []string{`"content":"r"},{"type":"text","text":"t"}`, `"content":[{"type":"text","text":"r"},{"type":"text","text":"t"}]}`}, 3},
		{"two texts in the place of one", []string{`"text":"t"}`, `"text":"t"},{"type":"text","text":""}`}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same := wiretest.SharedLinks(base, decode(t, strings.NewReplacer(tt.swap...).Replace(body)))
			if same != tt.same {
				t.Errorf("%d links are equal, want %d", same, tt.same)
			}
		})
	}
}

func TestADigestIsOfTheRawBytes(t *testing.T) {
	t.Parallel()
	c := decode(t, `{"messages":[`+user+`,`+assistant+`, `+user+`,{"role":"user","content": "hi"}]}`).Conversation()
	digest := func(i int) plimsoll.Digest { return c.Messages.At(i).Digest }
	if digest(0) != digest(2) || digest(0) == digest(1) || digest(0) == digest(3) || digest(0) == (plimsoll.Digest{}) {
		t.Errorf("digests %x %x %x %x", digest(0), digest(1), digest(2), digest(3))
	}
}
