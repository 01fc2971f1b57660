package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// ourTool is what the proxy offers in these tests.
const ourTool = "tool_output_cache"

func isOurs(name string) bool { return name == ourTool }

// voice is an upstream that speaks one dialect.
type voice struct {
	codec wire.Codec
	// stream and whole render an answer.
	stream, whole func(testAnswer) []byte
	// order puts the parts of an answer into an order in which the dialect can say them.
	order func([]plimsoll.Part) []plimsoll.Part
	// beside puts the results of a mixed round into the order in which they stand.
	beside func(ours, theirs []plimsoll.Part) []plimsoll.Part
	// resultRole is whose messages results stand in.
	resultRole plimsoll.Role
	// orderly says what is wrong with a stream that a client gets; "" if nothing.
	orderly func(events []sse.Event) string
}

// testAnswer is an answer of the model.
type testAnswer struct {
	n     int
	parts []plimsoll.Part
	// piece is how many characters a delta has.
	piece int
	// odd makes the stream unusual in ways that real servers know.
	odd bool
}

func (a testAnswer) output() int { return 10*a.n + 7 }

func (a testAnswer) stops() bool {
	return !slices.ContainsFunc(a.parts, func(p plimsoll.Part) bool { _, ok := p.(plimsoll.ToolCall); return ok })
}

// calls returns those of the hidden tool, or the others.
func (a testAnswer) calls(ours bool) []plimsoll.ToolCall {
	var all []plimsoll.ToolCall
	for _, p := range a.parts {
		if c, ok := p.(plimsoll.ToolCall); ok && isOurs(c.Name) == ours {
			all = append(all, c)
		}
	}
	return all
}

// pieces cuts a text for deltas.
func (a testAnswer) pieces(text string) []string {
	var all []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(max(1, a.piece), len(runes))
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return all
}

// object renders JSON.
func object(members map[string]any) []byte {
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return raw
}

type members = map[string]any

// request renders a request with messages.
func (v voice) request(t rapid.TB, messages ...plimsoll.Message) []byte {
	t.Helper()
	var elements [][]byte
	for _, m := range messages {
		r := v.decode(t, fmt.Appendf(nil, `{"model":"",%q:[]}`, v.codec.Traits().Messages))
		d := plimsoll.NewDraft(r.Conversation(), nil)
		if _, err := d.Insert(0, m, plimsoll.Why{}); err != nil {
			t.Fatal(err)
		}
		body, err := r.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		r = v.decode(t, body)
		for i := range r.Layout().Len() {
			elements = append(elements, r.Raw(i))
		}
	}
	return fmt.Appendf(nil, `{"model":"m","max_tokens":10,%q:%s,"stream":true}`, v.codec.Traits().Messages, rawjson.Array(elements))
}

func (v voice) decode(t rapid.TB, body []byte) *wire.Request {
	t.Helper()
	r, err := v.codec.Decode(body)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return r
}

// valid fails if the API would refuse the body.
func (v voice) valid(t rapid.TB, body []byte) *wire.Request {
	t.Helper()
	r := v.decode(t, body)
	for _, violation := range wire.Check(r) {
		t.Fatalf("%s in %s", violation, body)
	}
	return r
}

// flat lists what messages say, part by part.
func flat(r *wire.Request) []string {
	var all []string
	for _, m := range r.Conversation().Messages.All() {
		all = append(all, flatMessage(m)...)
	}
	return all
}

func flatMessage(m plimsoll.Message) []string {
	var all []string
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolResult:
			all = append(all, fmt.Sprintf("result %s%s: %s", p.CallID, p.Name, plimsoll.TextOf(p.Content)))
		default:
			all = append(all, fmt.Sprintf("%s %T%v", m.Role, p, p))
		}
	}
	return all
}

// events reads a stream.
func events(t rapid.TB, stream []byte) []sse.Event {
	t.Helper()
	var all []sse.Event
	r := sse.NewReader(bytes.NewReader(stream), nil)
	for {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Data, e.Raw = bytes.Clone(e.Data), bytes.Clone(e.Raw)
		all = append(all, e)
	}
}

// view reads what a client gets.
func (v voice) view(t rapid.TB, got []byte, streamed bool) wire.Response {
	t.Helper()
	if !streamed {
		r, err := v.codec.ReadResponse(got)
		if err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		return r
	}
	all := events(t, got)
	if wrong := v.orderly(all); wrong != "" {
		t.Fatalf("%s in\n%s", wrong, got)
	}
	a := v.codec.NewAssembler()
	for _, e := range all {
		a.Event(e.Name, e.Data)
	}
	if !a.Done() {
		t.Fatalf("the stream has no end:\n%s", got)
	}
	return a.Response()
}

// played is what came of answers that went through a reply.
type played struct {
	view    []byte
	rounds  []wire.Round
	results [][]wire.Result
	// sent is the last request that the model got.
	sent   *wire.Request
	record wire.Record
	hidden bool
}

// play lets a model answer: results are given to all rounds but the last, and to that
// one if answerLast is set.
func (v voice) play(t rapid.TB, body []byte, answers []testAnswer, streamed, answerLast bool, cut func(n int) int) played {
	t.Helper()
	p := played{sent: v.decode(t, body)}
	reply := v.codec.NewReply(streamed, isOurs)
	for i, a := range answers {
		raw := v.whole(a)
		if streamed {
			raw = v.stream(a)
		}
		for len(raw) > 0 {
			n := cut(len(raw))
			chunk := bytes.Clone(raw[:n])
			p.view = append(p.view, reply.Write(chunk)...)
			clear(chunk) // it belongs to the caller
			raw = raw[n:]
		}
		round := reply.End()
		p.rounds = append(p.rounds, round)
		last := i == len(answers)-1
		if last && !answerLast {
			break
		}
		p.results = append(p.results, resultsOf(round.Calls))
		if last {
			break
		}
		next, err := wire.Continue(v.codec, p.sent, round.Said, p.results[i])
		if err != nil {
			t.Fatal(err)
		}
		if got := rawjson.SharedPrefix(p.sent.Body(), next); got < p.sent.Layout().Messages.End-1 {
			t.Fatalf("only %d bytes of the request are kept:\n%s\n%s", got, p.sent.Body(), next)
		}
		p.sent = v.valid(t, next)
		reply.Again()
	}
	p.view = append(p.view, reply.Finish()...)
	p.record, p.hidden = reply.Record(p.results)
	return p
}

func resultsOf(calls []plimsoll.ToolCall) []wire.Result {
	var all []wire.Result
	for _, c := range calls {
		all = append(all, wire.Result{Call: c, Text: "what " + c.ID + " asked <for>"})
	}
	return all
}

// clientResults are what the client answers its calls with.
func clientResults(calls []plimsoll.ToolCall) []plimsoll.Part {
	var all []plimsoll.Part
	for _, c := range calls {
		all = append(all, plimsoll.ToolResult{CallID: c.ID, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "client's " + c.ID})})
	}
	return all
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
