// Package replytest checks the replies of codecs: answers of several rounds that a client
// sees as one. A [Server] writes what a model says in the form of one API. The package
// knows what must hold for every API, and no API.
package replytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// ModelReply is what a model says in one reply, answer by answer.
type ModelReply struct {
	Answers []ModelAnswer
	// ids says that calls have ids.
	ids bool
	// left says that the hidden calls in the last answer are not answered.
	left bool
}

// ModelAnswer is one answer.
type ModelAnswer struct {
	Pieces []Piece
	// Prompt, Output and Hidden are tokens that it is billed for; Hidden are those of
	// reasoning.
	Prompt, Output, Hidden int
}

// Piece is one thing that an answer says.
type Piece struct {
	Kind PieceKind
	Text string
	Call plimsoll.ToolCall
	// Odd asks for a call of another kind, where the API has one.
	Odd bool
}

// PieceKind is what a piece is.
type PieceKind string

// The kinds of pieces.
const (
	SaysText    PieceKind = "text"
	SaysThought PieceKind = "thought"
	CallsHidden PieceKind = "hidden"
	CallsTheirs PieceKind = "theirs"
)

// HiddenTool is a name that a client must never see.
const HiddenTool = "hidden_tool"

// IsHiddenTool tells the hidden tool from others.
func IsHiddenTool(name string) bool { return name == HiddenTool }

// Rules are what APIs differ by.
type Rules struct {
	// CallIDs says that every call has an id.
	CallIDs bool
	// JoinsTexts says that an answer has one text, so that those of two answers have
	// white space between them.
	JoinsTexts bool
	// HidesThoughts says that the client does not see thoughts that led to hidden calls.
	HidesThoughts bool
	// BillsReasoning says that the usage names the tokens of reasoning.
	BillsReasoning bool
	// Frames says that streams come in Amazon's frames, Lines that they come in lines.
	Frames, Lines bool
}

// ContentType returns that of the API's answers.
func (r Rules) ContentType(streamed bool) string {
	switch {
	case !streamed:
		return "application/json"
	case r.Frames:
		return "application/vnd.amazon.eventstream"
	case r.Lines:
		return "application/x-ndjson"
	}
	return "text/event-stream"
}

// Server writes as a server of one API does, and reads as a client does.
type Server interface {
	Codec() wire.Codec
	// Rules says how the API differs from others.
	Rules() Rules
	// Request makes a body of elements of the list of messages.
	Request(elements ...string) []byte
	// User makes an element of the user's.
	User(text string) string
	// Outputs answers calls of the client.
	Outputs(calls []plimsoll.ToolCall) []string
	// Beside puts elements with results of hidden calls behind those of the client.
	Beside(theirs, hidden []string) []string
	// Streamed and Whole render answer n of a reply.
	Streamed(n int, a ModelAnswer) []byte
	Whole(n int, a ModelAnswer) []byte
	// View returns the reply as elements of the next request, after it has checked that
	// it is one that a client can read.
	View(t rapid.TB, reply []byte, streamed bool) []string
}

// DrawReply draws what a model says.
func DrawReply(rt *rapid.T, v Server) ModelReply {
	story := ModelReply{ids: v.Rules().CallIDs || rapid.Bool().Draw(rt, "ids"), left: rapid.Bool().Draw(rt, "left")}
	rounds := rapid.IntRange(1, 3).Draw(rt, "answers")
	call := 0
	for i := range rounds {
		last := i == rounds-1
		a := ModelAnswer{
			Prompt: rapid.IntRange(1, 1000).Draw(rt, "prompt"),
			Output: rapid.IntRange(1, 100).Draw(rt, "output"), Hidden: rapid.IntRange(0, 50).Draw(rt, "hidden"),
		}
		kinds := []PieceKind{SaysText, SaysThought, CallsHidden}
		if last {
			kinds = append(kinds, CallsTheirs)
		}
		for range rapid.IntRange(0, 5).Draw(rt, "pieces") {
			a.Pieces = append(a.Pieces, drawPiece(rt, rapid.SampledFrom(kinds).Draw(rt, "kind"), &call, story.ids))
		}
		switch n := len(a.Pieces); {
		case !last && !a.calls(CallsHidden):
			a.Pieces = append(a.Pieces, drawPiece(rt, CallsHidden, &call, story.ids))
		case n == 0 || a.Pieces[n-1].Kind == SaysThought:
			a.Pieces = append(a.Pieces, drawPiece(rt, SaysText, &call, story.ids))
		}
		story.Answers = append(story.Answers, a)
	}
	return story
}

func drawPiece(rt *rapid.T, kind PieceKind, call *int, ids bool) Piece {
	p := Piece{Kind: kind, Text: rapid.StringMatching(`[a-z"\\\n é満🚢]{0,30}[a-z]`).Draw(rt, "text")}
	if kind != CallsHidden && kind != CallsTheirs {
		return p
	}
	*call++
	p.Call = plimsoll.ToolCall{Name: HiddenTool, Arguments: fmt.Sprintf(`{"n":%d,"f":1.50,"s":"a \"b\" é"}`, *call)}
	if kind == CallsTheirs {
		p.Call.Name = fmt.Sprintf("their_tool_%d", *call)
		p.Odd = rapid.Bool().Draw(rt, "odd")
	}
	if ids {
		p.Call.ID = fmt.Sprintf("call_%d", *call)
	}
	return p
}

func (a ModelAnswer) calls(kind PieceKind) bool {
	return slices.ContainsFunc(a.Pieces, func(p Piece) bool { return p.Kind == kind })
}

func (a ModelAnswer) of(kind PieceKind) (calls []plimsoll.ToolCall) {
	for _, p := range a.Pieces {
		if p.Kind == kind {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// Performed is a reply as a client got it.
type Performed struct {
	Reply   wire.Reply
	View    []byte
	Results [][]wire.Result
	// seen is what the model had seen in the end, without what the client sent then.
	seen []string
	// last is what the last answer said.
	last wire.Round
}

// Perform plays a reply as a proxy does, in chunks of some size.
func Perform(t rapid.TB, v Server, story ModelReply, streamed bool, chunk int) Performed {
	w := Performed{Reply: v.Codec().NewReply(v.Rules().ContentType(streamed), IsHiddenTool)}
	codec := v.Codec()
	sent := MustDecode(t, codec, v.Request(v.User("hello")))
	for i, a := range story.Answers {
		data := v.Whole(i, a)
		if streamed {
			data = v.Streamed(i, a)
		}
		w.View = append(w.View, Drip(w.Reply, data, chunk)...)
		w.last = w.Reply.End()
		checkRound(t, w.last, a)
		if len(w.last.Calls) > 0 && !(story.left && i == len(story.Answers)-1) {
			w.Results = append(w.Results, ResultsFor(w.last.Calls))
		}
		if i == len(story.Answers)-1 {
			break
		}
		body, err := wire.Continue(codec, sent, w.last.Said, w.Results[i])
		if err != nil {
			t.Fatal(err)
		}
		if kept, want := rawjson.SharedPrefix(sent.Body(), body), sent.Layout().Messages.End-1; kept < want {
			t.Fatalf("only %d of %d bytes are kept:\n%s\n%s", kept, want, sent.Body(), body)
		}
		sent = MustDecode(t, codec, body)
		if found := wire.Check(sent); len(found) > 0 {
			t.Fatalf("continued with %s: %v", body, found)
		}
		w.Reply.Again()
	}
	for i := range sent.Layout().Len() {
		w.seen = append(w.seen, string(sent.Raw(i)))
	}
	w.View = append(w.View, w.Reply.Finish()...)
	return w
}

// MustDecode decodes a body.
func MustDecode(t rapid.TB, codec wire.Codec, body []byte) *wire.Request {
	r, err := codec.Decode(body)
	if err != nil {
		t.Fatalf("decode %s: %v", body, err)
	}
	return r
}

// Drip writes data in chunks from a buffer that is used again for each.
func Drip(r wire.Reply, data []byte, chunk int) (out []byte) {
	buffer := make([]byte, chunk)
	for len(data) > 0 {
		n := copy(buffer, data)
		out = append(out, r.Write(buffer[:n])...)
		copy(buffer, bytes.Repeat([]byte("#"), chunk))
		data = data[n:]
	}
	return out
}

// ResultsFor answers hidden calls.
func ResultsFor(calls []plimsoll.ToolCall) (results []wire.Result) {
	for _, c := range calls {
		results = append(results, wire.Result{Call: c, Text: "answer to " + c.Arguments})
	}
	return results
}

func checkRound(t rapid.TB, got wire.Round, a ModelAnswer) {
	if diff := cmp.Diff(a.of(CallsHidden), got.Calls); diff != "" {
		t.Fatalf("hidden calls (-told +got):\n%s", diff)
	}
	if got.Foreign != a.calls(CallsTheirs) || got.Broken {
		t.Fatalf("foreign %v, broken %v of %+v", got.Foreign, got.Broken, a)
	}
}

// checkReply holds for every reply: the client sees what is its own in one valid reply,
// and the model later sees all of it.
func checkReply(t rapid.TB, v Server, story ModelReply, streamed bool, chunk int) {
	w := Perform(t, v, story, streamed, chunk)
	if bytes.Contains(saidIn(t, w.View, streamed), []byte(HiddenTool)) {
		t.Fatalf("the client sees the hidden tool:\n%s", w.View)
	}
	checkView(t, v, story, streamed, w.View)
	elements := v.View(t, w.View, streamed)
	record, ok := w.Reply.Record(w.Results)
	hidden := slices.ContainsFunc(story.Answers, func(a ModelAnswer) bool { return a.calls(CallsHidden) })
	if ok != hidden && !story.left {
		t.Fatalf("record: %v, want %v", ok, hidden)
	}
	if !ok || len(elements) == 0 {
		return // a client that was shown nothing has nothing to send back
	}
	checkRestored(t, v, story, w, elements, record)
}

// checkView reads the reply with the dialect's own codec.
func checkView(t rapid.TB, v Server, story ModelReply, streamed bool, view []byte) {
	rules := v.Rules()
	got := ReadReply(t, v.Codec(), view, streamed)
	var text, thoughts, wantText, wantThoughts string
	for _, p := range got.Message.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			text += p.Text
		case plimsoll.Reasoning:
			thoughts += p.Text
		}
	}
	var want plimsoll.Usage
	for _, a := range story.Answers {
		for _, p := range a.Pieces {
			switch p.Kind {
			case SaysText:
				wantText += p.Text
			case SaysThought:
				wantThoughts += p.Text
			}
		}
		want.Input = a.Prompt
		want.Output += a.Output + a.Hidden
		if rules.BillsReasoning {
			want.Reasoning += a.Hidden
		}
	}
	if rules.JoinsTexts {
		text, wantText = withoutSpace(text), withoutSpace(wantText)
		thoughts, wantThoughts = withoutSpace(thoughts), withoutSpace(wantThoughts)
	}
	if text != wantText {
		t.Fatalf("text %q, want %q, in\n%s", text, wantText, view)
	}
	if thoughts != wantThoughts && !rules.HidesThoughts {
		t.Fatalf("thoughts %q, want %q, in\n%s", thoughts, wantThoughts, view)
	}
	last := story.Answers[len(story.Answers)-1]
	if diff := cmp.Diff(namesOf(last.of(CallsTheirs)), namesOf(CallsIn(got.Message))); diff != "" {
		t.Fatalf("the client's calls (-told +got):\n%s\n%s", diff, view)
	}
	if got.Usage != want || !got.HasUsage {
		t.Fatalf("usage %+v, want %+v, in\n%s", got.Usage, want, view)
	}
	wantStop := wire.StopEnd
	if last.calls(CallsTheirs) {
		wantStop = wire.StopTools
	}
	if got.Stop != wantStop {
		t.Fatalf("stop %q, want %q, in\n%s", got.Stop, wantStop, view)
	}
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// ReadReply reads a reply.
func ReadReply(t rapid.TB, codec wire.Codec, view []byte, streamed bool) wire.Response {
	if !streamed {
		r, err := codec.ReadResponse(view)
		if err != nil {
			t.Fatalf("%v in\n%s", err, view)
		}
		return r
	}
	a := codec.NewAssembler()
	for _, e := range Events(t, view) {
		a.Event(e.Name, e.Data)
	}
	if !a.Done() {
		t.Fatalf("the stream has no end:\n%s", view)
	}
	return a.Response()
}

// Events reads a stream. Frames begin with a zero byte, since none is so long, and lines of
// JSON with a brace.
func Events(t rapid.TB, stream []byte) (events []sse.Event) {
	framing := sse.Events
	switch {
	case bytes.HasPrefix(stream, []byte{0}):
		framing = sse.Frames
	case bytes.HasPrefix(stream, []byte{'{'}):
		framing = sse.Lines
	}
	s := framing.Splitter(func(e sse.Event, err error) {
		if err != nil {
			t.Fatal(err)
		}
		e.Data, e.Raw = bytes.Clone(e.Data), bytes.Clone(e.Raw)
		events = append(events, e)
	}, nil)
	_, _ = s.Write(stream)
	_ = s.Close()
	return events
}

// saidIn returns an answer, with the data of its events if it is streamed.
func saidIn(t rapid.TB, answer []byte, streamed bool) []byte {
	said := bytes.Clone(answer)
	if streamed {
		for _, e := range Events(t, answer) {
			said = append(said, e.Data...)
		}
	}
	return said
}

// CallsIn returns the calls of a message.
func CallsIn(m plimsoll.Message) (calls []plimsoll.ToolCall) {
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

// Run checks that the client sees what is its own in one valid reply, and that the
// model later sees all of it, for random answers.
func Run(t *testing.T, v Server) {
	for _, streamed := range []bool{true, false} {
		t.Run(fmt.Sprintf("streamed %v", streamed), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				checkReply(rt, v, DrawReply(rt, v), streamed, rapid.IntRange(1, 3000).Draw(rt, "chunk"))
			})
		})
	}
}

// PassesUnchanged holds for every answer without hidden calls: the client gets its bytes.
func PassesUnchanged(t *testing.T, v Server) {
	for _, streamed := range []bool{true, false} {
		t.Run(fmt.Sprintf("streamed %v", streamed), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				story := DrawReply(rt, v)
				a := story.Answers[len(story.Answers)-1]
				a.Pieces = slices.DeleteFunc(a.Pieces, func(p Piece) bool { return p.Kind == CallsHidden })
				data := v.Whole(0, a)
				if streamed {
					data = v.Streamed(0, a)
				}
				if rapid.Bool().Draw(rt, "cut") {
					data = data[:rapid.IntRange(0, len(data)).Draw(rt, "length")]
				}
				r := v.Codec().NewReply(v.Rules().ContentType(streamed), IsHiddenTool)
				got := Drip(r, data, rapid.IntRange(1, 3000).Draw(rt, "chunk"))
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
