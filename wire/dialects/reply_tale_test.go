package dialects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// tale is what a model says in one reply, answer by answer.
type tale struct {
	answers []told
	// ids says that calls have ids.
	ids bool
	// left says that the calls of ours in the last answer are not answered.
	left bool
}

// told is one answer.
type told struct {
	pieces []piece
	// tokens that it is billed for.
	prompt, output, hidden int
}

// piece is one thing that an answer says.
type piece struct {
	kind kindOfPiece
	text string
	call plimsoll.ToolCall
	// odd is a call of another kind, where there is one.
	odd bool
}

type kindOfPiece string

const (
	saysText    kindOfPiece = "text"
	saysThought kindOfPiece = "thought"
	callsOurs   kindOfPiece = "ours"
	callsTheirs kindOfPiece = "theirs"
)

// ourTool is the name that must never be seen by a client.
const ourTool = "hidden_tool"

func isOurTool(name string) bool { return name == ourTool }

// teller writes as a server of one dialect does, and reads as a client does.
type teller interface {
	dialect() plimsoll.Dialect
	// request makes a body of elements of the list of messages.
	request(elements ...string) []byte
	user(text string) string
	// outputs answers calls of the client's.
	outputs(calls []plimsoll.ToolCall) []string
	streamed(n int, a told) []byte
	whole(n int, a told) []byte
	// view returns the reply as elements of the next request, after it has checked that
	// it is one that a client can read.
	view(t rapid.TB, reply []byte, streamed bool) []string
}

func drawTale(rt *rapid.T, v teller) tale {
	story := tale{ids: v.dialect() != plimsoll.Gemini || rapid.Bool().Draw(rt, "ids"), left: rapid.Bool().Draw(rt, "left")}
	rounds := rapid.IntRange(1, 3).Draw(rt, "answers")
	call := 0
	for i := range rounds {
		last := i == rounds-1
		a := told{
			prompt: rapid.IntRange(1, 1000).Draw(rt, "prompt"),
			output: rapid.IntRange(1, 100).Draw(rt, "output"), hidden: rapid.IntRange(0, 50).Draw(rt, "hidden"),
		}
		kinds := []kindOfPiece{saysText, saysThought, callsOurs}
		if last {
			kinds = append(kinds, callsTheirs)
		}
		for range rapid.IntRange(0, 5).Draw(rt, "pieces") {
			a.pieces = append(a.pieces, drawPiece(rt, rapid.SampledFrom(kinds).Draw(rt, "kind"), &call, story.ids))
		}
		switch n := len(a.pieces); {
		case !last && !a.calls(callsOurs):
			a.pieces = append(a.pieces, drawPiece(rt, callsOurs, &call, story.ids))
		case n == 0 || a.pieces[n-1].kind == saysThought:
			a.pieces = append(a.pieces, drawPiece(rt, saysText, &call, story.ids))
		}
		story.answers = append(story.answers, a)
	}
	return story
}

func drawPiece(rt *rapid.T, kind kindOfPiece, call *int, ids bool) piece {
	p := piece{kind: kind, text: rapid.StringMatching(`[a-z"\\\n é満]{0,30}[a-z]`).Draw(rt, "text")}
	if kind != callsOurs && kind != callsTheirs {
		return p
	}
	*call++
	p.call = plimsoll.ToolCall{Name: ourTool, Arguments: fmt.Sprintf(`{"n":%d}`, *call)}
	if kind == callsTheirs {
		p.call.Name = fmt.Sprintf("their_tool_%d", *call)
		p.odd = rapid.Bool().Draw(rt, "odd")
	}
	if ids {
		p.call.ID = fmt.Sprintf("call_%d", *call)
	}
	return p
}

func (a told) calls(kind kindOfPiece) bool {
	return slices.ContainsFunc(a.pieces, func(p piece) bool { return p.kind == kind })
}

func (a told) of(kind kindOfPiece) (calls []plimsoll.ToolCall) {
	for _, p := range a.pieces {
		if p.kind == kind {
			calls = append(calls, p.call)
		}
	}
	return calls
}

// woven is a tale as a client got it.
type woven struct {
	reply   wire.Reply
	view    []byte
	results [][]wire.Result
	// seen is what the model had seen in the end, without what the client sent then.
	seen []string
	// last is what the last answer said.
	last wire.Round
}

// perform plays a tale as a proxy does, in chunks of some size.
func perform(t rapid.TB, v teller, story tale, streamed bool, chunk int) woven {
	w := woven{reply: dialects.Codec(v.dialect()).NewReply(streamed, isOurTool)}
	codec := dialects.Codec(v.dialect())
	sent := decodedBody(t, codec, v.request(v.user("hello")))
	for i, a := range story.answers {
		data := v.whole(i, a)
		if streamed {
			data = v.streamed(i, a)
		}
		w.view = append(w.view, drip(w.reply, data, chunk)...)
		w.last = w.reply.End()
		checkRound(t, w.last, a)
		if len(w.last.Calls) > 0 && !(story.left && i == len(story.answers)-1) {
			w.results = append(w.results, answersTo(w.last.Calls))
		}
		if i == len(story.answers)-1 {
			break
		}
		body, err := wire.Continue(codec, sent, w.last.Said, w.results[i])
		if err != nil {
			t.Fatal(err)
		}
		sent = decodedBody(t, codec, body)
		if found := wire.Check(sent); len(found) > 0 {
			t.Fatalf("continued with %s: %v", body, found)
		}
		w.reply.Again()
	}
	for i := range sent.Layout().Len() {
		w.seen = append(w.seen, string(sent.Raw(i)))
	}
	w.view = append(w.view, w.reply.Finish()...)
	return w
}

func decodedBody(t rapid.TB, codec wire.Codec, body []byte) *wire.Request {
	r, err := codec.Decode(body)
	if err != nil {
		t.Fatalf("decode %s: %v", body, err)
	}
	return r
}

// drip writes data in chunks from a buffer that is used again for each.
func drip(r wire.Reply, data []byte, chunk int) (out []byte) {
	buffer := make([]byte, chunk)
	for len(data) > 0 {
		n := copy(buffer, data)
		out = append(out, r.Write(buffer[:n])...)
		copy(buffer, bytes.Repeat([]byte("#"), chunk))
		data = data[n:]
	}
	return out
}

func answersTo(calls []plimsoll.ToolCall) (results []wire.Result) {
	for _, c := range calls {
		results = append(results, wire.Result{Call: c, Text: "answer to " + c.Arguments})
	}
	return results
}

func checkRound(t rapid.TB, got wire.Round, a told) {
	if diff := cmp.Diff(a.of(callsOurs), got.Calls); diff != "" {
		t.Fatalf("calls of ours (-told +got):\n%s", diff)
	}
	if got.Foreign != a.calls(callsTheirs) || got.Broken {
		t.Fatalf("foreign %v, broken %v of %+v", got.Foreign, got.Broken, a)
	}
}

// checkTale holds for every tale: the client sees what is its own in one valid reply,
// and the model later sees all of it.
func checkTale(t rapid.TB, v teller, story tale, streamed bool, chunk int) {
	w := perform(t, v, story, streamed, chunk)
	if bytes.Contains(w.view, []byte(ourTool)) {
		t.Fatalf("the client sees our tool:\n%s", w.view)
	}
	checkView(t, v, story, streamed, w.view)
	elements := v.view(t, w.view, streamed)
	record, ok := w.reply.Record(w.results)
	hidden := slices.ContainsFunc(story.answers, func(a told) bool { return a.calls(callsOurs) })
	if ok != hidden && !story.left {
		t.Fatalf("record: %v, want %v", ok, hidden)
	}
	if !ok || len(elements) == 0 {
		return // a client that was shown nothing has nothing to send back
	}
	checkRestored(t, v, story, w, elements, record)
}

// checkView reads the reply with the dialect's own codec.
func checkView(t rapid.TB, v teller, story tale, streamed bool, view []byte) {
	codec := dialects.Codec(v.dialect())
	got := assembled(t, codec, view, streamed)
	var text strings.Builder
	for _, p := range got.Message.Parts.All() {
		if p, ok := p.(plimsoll.Text); ok {
			text.WriteString(p.Text)
		}
	}
	want := wire.Response{Usage: plimsoll.Usage{}}
	var wantText strings.Builder
	for _, a := range story.answers {
		for _, p := range a.pieces {
			if p.kind == saysText {
				wantText.WriteString(p.text)
			}
		}
		want.Usage.Input = a.prompt
		want.Usage.Output += a.output + a.hidden
		want.Usage.Reasoning += a.hidden
	}
	if text.String() != wantText.String() {
		t.Fatalf("text %q, want %q, in\n%s", text.String(), wantText.String(), view)
	}
	last := story.answers[len(story.answers)-1]
	if diff := cmp.Diff(namesOf(last.of(callsTheirs)), namesOf(callsIn(got.Message))); diff != "" {
		t.Fatalf("the client's calls (-told +got):\n%s\n%s", diff, view)
	}
	if got.Usage != want.Usage || !got.HasUsage {
		t.Fatalf("usage %+v, want %+v, in\n%s", got.Usage, want.Usage, view)
	}
	wantStop := wire.StopEnd
	if last.calls(callsTheirs) {
		wantStop = wire.StopTools
	}
	if got.Stop != wantStop {
		t.Fatalf("stop %q, want %q, in\n%s", got.Stop, wantStop, view)
	}
}

// assembled reads a reply.
func assembled(t rapid.TB, codec wire.Codec, view []byte, streamed bool) wire.Response {
	if !streamed {
		r, err := codec.ReadResponse(view)
		if err != nil {
			t.Fatalf("%v in\n%s", err, view)
		}
		return r
	}
	a := codec.NewAssembler()
	for _, e := range eventsOf(t, view) {
		a.Event(e.Name, e.Data)
	}
	if !a.Done() {
		t.Fatalf("the stream has no end:\n%s", view)
	}
	return a.Response()
}

func eventsOf(t rapid.TB, stream []byte) (events []sse.Event) {
	r := sse.NewReader(bytes.NewReader(stream), nil)
	for {
		e, err := r.Next()
		if err == io.EOF {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Data, e.Raw = bytes.Clone(e.Data), bytes.Clone(e.Raw)
		events = append(events, e)
	}
}

func callsIn(m plimsoll.Message) (calls []plimsoll.ToolCall) {
	for _, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

func namesOf(calls []plimsoll.ToolCall) (names []string) {
	for _, c := range calls {
		names = append(names, c.ID+" "+c.Name+" "+c.Arguments)
	}
	return names
}

// checkRestored sends the reply back as a client does and looks at what the model gets.
func checkRestored(t rapid.TB, v teller, story tale, w woven, elements []string, record wire.Record) {
	stored, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	record = wire.Record{}
	if err := json.Unmarshal(stored, &record); err != nil {
		t.Fatal(err)
	}
	theirs := story.answers[len(story.answers)-1].of(callsTheirs)
	after := v.outputs(theirs)
	if len(theirs) == 0 {
		after = []string{v.user("and now?")}
	}
	next := slices.Concat([]string{v.user("hello")}, elements, after)
	codec := dialects.Codec(v.dialect())
	request := decodedBody(t, codec, v.request(next...))
	records := map[int]wire.Record{1: record}
	body, err := wire.Restore(codec, request, records)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := wire.Restore(codec, request, records); !bytes.Equal(body, again) {
		t.Fatalf("restored twice:\n%s\n%s", body, again)
	}
	restored := decodedBody(t, codec, body)
	if found := wire.Check(restored); len(found) > 0 {
		t.Fatalf("restored request: %v\n%s", found, body)
	}
	if story.left {
		return // what the model said is not all there, and cannot be
	}
	want := conversationOf(t, v, slices.Concat(w.seen, texts(w.last.Said), ownOutputs(t, v, w, theirs, after)))
	if diff := cmp.Diff(want, conversationOf(t, v, rawElements(restored))); diff != "" {
		t.Fatalf("what the model sees (-as it was +restored):\n%s\n%s", diff, body)
	}
}

// ownOutputs returns what follows the last answer: the client's results, with ours.
func ownOutputs(t rapid.TB, v teller, w woven, theirs []plimsoll.ToolCall, after []string) []string {
	if len(w.last.Calls) == 0 {
		return after
	}
	ours := w.results[len(w.results)-1]
	if len(theirs) == 0 {
		return append(besides(t, v, nil, ours), after...)
	}
	return besides(t, v, after, ours)
}

// besides puts results of ours behind the client's in the way of the dialect.
func besides(t rapid.TB, v teller, after []string, ours []wire.Result) []string {
	codec := dialects.Codec(v.dialect())
	body, err := wire.Continue(codec, decodedBody(t, codec, v.request()), nil, ours)
	if err != nil {
		t.Fatal(err)
	}
	rendered := rawElements(decodedBody(t, codec, body))
	if v.dialect() != plimsoll.Gemini || len(after) == 0 {
		return append(slices.Clone(after), rendered...)
	}
	inside := func(content string) string {
		_, rest, _ := strings.Cut(content, `"parts":[`)
		return strings.TrimSuffix(rest, `]}`)
	}
	return []string{strings.TrimSuffix(after[0], `]}`) + "," + inside(rendered[0]) + `]}`}
}

func rawElements(r *wire.Request) (raw []string) {
	for i := range r.Layout().Len() {
		raw = append(raw, string(r.Raw(i)))
	}
	return raw
}

func texts(raw [][]byte) (all []string) {
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

// conversationOf returns what elements say, part by part.
func conversationOf(t rapid.TB, v teller, elements []string) (all []string) {
	codec := dialects.Codec(v.dialect())
	for _, m := range decodedBody(t, codec, v.request(elements...)).Conversation().Messages.All() {
		for _, p := range m.Parts.All() {
			all = append(all, fmt.Sprintf("%s %+v", m.Role, said(p)))
		}
	}
	return all
}

func said(p plimsoll.Part) any {
	if r, ok := p.(plimsoll.ToolResult); ok {
		return fmt.Sprint("result ", r.CallID, r.Name, plimsoll.TextOf(r.Content))
	}
	return p
}

func checkTales(t *testing.T, v teller) {
	for _, streamed := range []bool{true, false} {
		t.Run(fmt.Sprintf("streamed %v", streamed), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				checkTale(rt, v, drawTale(rt, v), streamed, rapid.IntRange(1, 3000).Draw(rt, "chunk"))
			})
		})
	}
}

// checkPasses holds for every answer without calls of ours: the client gets its bytes.
func checkPasses(t *testing.T, v teller) {
	for _, streamed := range []bool{true, false} {
		t.Run(fmt.Sprintf("streamed %v", streamed), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				story := drawTale(rt, v)
				a := story.answers[len(story.answers)-1]
				a.pieces = slices.DeleteFunc(a.pieces, func(p piece) bool { return p.kind == callsOurs })
				data := v.whole(0, a)
				if streamed {
					data = v.streamed(0, a)
				}
				if rapid.Bool().Draw(rt, "cut") {
					data = data[:rapid.IntRange(0, len(data)).Draw(rt, "length")]
				}
				r := dialects.Codec(v.dialect()).NewReply(streamed, isOurTool)
				got := drip(r, data, rapid.IntRange(1, 3000).Draw(rt, "chunk"))
				r.End()
				got = append(got, r.Finish()...)
				if !bytes.Equal(got, data) {
					rt.Fatalf("passed (-sent +got):\n%s", cmp.Diff(string(data), string(got)))
				}
				if _, ok := r.Record(nil); ok {
					rt.Fatal("nothing was hidden, and there is a record")
				}
			})
		})
	}
}
