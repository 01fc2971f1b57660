package openai

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// eventJoiner joins streamed answers. Hidden calls do not pass, those behind them
// get other numbers, and once there was one, the reason why the answer ended, the usage
// and the mark at the end wait for Finish. Chunks of later answers carry the id of the
// first, without which clients do not take them for one, and between the texts of two
// answers stands an empty line.
type eventJoiner struct {
	out *build.Stream
	// joining says that a call was held back, or that this is not the first answer.
	joining bool
	// head are the members that all chunks of an answer share, as the first had them.
	head []rawMember
	// role says that the client has got the role, open that the text which it has got
	// does not end in white space.
	role, open bool
	// waiting are chunks that cannot pass before the name of a call has come.
	waiting []chunk
	now     streamedAnswer
	before  output
}

// streamedAnswer is the answer that is being read.
type streamedAnswer struct {
	answerMessage
	// finish and usage are the chunks that end it, told is the newest usage.
	finish, usage, told []byte
	done                bool
	failed              bool
	// several says that there are other choices than the first. Then the reply cannot go on.
	several bool
	begun   bool // some text of it was shown
}

// chunk is an event with what is known of it.
type chunk struct {
	name      string
	raw, data []byte
	// choice is the first, if it stands alone; other says that it does not.
	choice choice
	other  bool
	usage  []byte
	calls  []*answerCall
}

// Event reads a chunk and passes it once it is known whether its calls are hidden.
func (r *eventJoiner) Event(e sse.Event) {
	c := chunk{name: e.Name, raw: e.Raw, data: e.Data}
	r.read(&c)
	if len(r.waiting) == 0 && !r.undecided(c) {
		r.hand(c)
		return
	}
	if !r.out.Keep(len(c.raw) + len(c.data)) {
		r.Flush()
		r.hand(c)
		return
	}
	r.waiting = append(r.waiting, c.clone())
	if r.now.finish != nil || r.now.done || r.now.failed {
		r.Flush()
	}
	for len(r.waiting) > 0 && !r.undecided(r.waiting[0]) {
		r.hand(r.waiting[0])
		r.waiting = r.waiting[1:]
	}
}

// undecided says whether a chunk has a call whose name has not come yet.
func (r *eventJoiner) undecided(c chunk) bool {
	for _, call := range c.calls {
		if call.name == "" {
			return r.now.finish == nil && !r.now.done
		}
	}
	return false
}

// Flush passes what waits: no names will come.
func (r *eventJoiner) Flush() {
	for _, c := range r.waiting {
		r.hand(c)
	}
	r.waiting = nil
}

func (c chunk) clone() chunk {
	c.raw, c.data = bytes.Clone(c.raw), bytes.Clone(c.data)
	if a, err := readAnswer(c.data, "delta"); err == nil {
		c.usage = a.usage
		if !c.choice.at.IsZero() {
			c.choice = a.choices[0]
		}
	}
	return c
}

// read finds out what a chunk says, and takes it in.
func (r *eventJoiner) read(c *chunk) {
	if isDone(c.data) {
		r.now.done = true
		return
	}
	a, err := readAnswer(c.data, "delta")
	if err != nil {
		c.data = nil
		return
	}
	r.now.failed = r.now.failed || a.failure != nil
	r.takeHead(a)
	c.usage = a.usage
	if told := a.billed(); told != nil && (r.now.told == nil || !isZero(told)) {
		r.now.told = bytes.Clone(told)
	}
	r.takeChoice(c, a.choices)
}

// takeHead keeps what the first chunk that has an id shares with the others. Some servers
// send one before that is about the request.
func (r *eventJoiner) takeHead(a answer) {
	if r.head != nil || len(a.member("id")) <= len(`""`) {
		return
	}
	for _, m := range a.head {
		r.head = append(r.head, rawMember{m.key, bytes.Clone(m.value)})
	}
}

// takeChoice takes in the first choice, if it stands alone.
func (r *eventJoiner) takeChoice(c *chunk, choices []choice) {
	if len(choices) == 0 {
		return
	}
	if len(choices) > 1 || choices[0].index != 0 {
		r.now.several, c.other = true, true
		return
	}
	c.choice = choices[0]
	if r.out.Keep(len(c.choice.said)) {
		c.calls = r.now.add(c.choice.said)
	} else { // the answer cannot be continued, so its texts are of no use
		r.now.content, r.now.parts, r.now.prose, r.now.thought, r.now.details = nil, nil, nil, nil, nil
	}
	if c.choice.finish != nil {
		r.now.finish = bytes.Clone(c.data)
	}
	for _, call := range c.calls {
		r.joining = r.joining || call.hidden
	}
}

// hand lets the client have of a chunk what is its own.
func (r *eventJoiner) hand(c chunk) {
	switch {
	case !r.joining:
		r.out.Pass(c.raw)
		r.note(c.choice.said)
		for _, call := range c.calls {
			r.now.calls.number(call)
		}
	case isDone(c.data):
	case r.now.failed, c.data == nil:
		r.out.Pass(c.raw)
	case c.other, c.choice.at.IsZero() && c.usage == nil:
		r.out.Send(c.name, r.headed(c.data))
	default:
		r.handOpen(c)
	}
}

// handOpen passes a chunk without its hidden calls, or keeps it for the end.
func (r *eventJoiner) handOpen(c chunk) {
	delta := r.shownDelta(c)
	shows := r.shows(delta)
	switch {
	case c.usage != nil && c.choice.finish == nil && (!shows || r.now.finish != nil):
		if r.now.usage == nil || !isZero(c.usage) {
			r.now.usage = bytes.Clone(c.data)
		}
		return
	case !shows:
		return
	}
	r.note(delta)
	choice := rawjson.SetMember(c.choice.at.Of(c.data), "delta", delta)
	data := c.data
	if c.choice.finish != nil {
		choice = rawjson.SetMember(choice, "finish_reason", []byte("null"))
	}
	data = rawjson.Replace(data, c.choice.at, choice)
	if c.choice.finish != nil {
		data = rawjson.RemoveMember(data, "usage")
	}
	r.out.Send(c.name, r.headed(data))
}

// headed gives a chunk what the first one had.
func (r *eventJoiner) headed(data []byte) []byte {
	if len(r.out.Rounds) == 0 {
		return data
	}
	for _, m := range r.head {
		if rawjson.Member(data, m.key) != nil {
			data = rawjson.SetMember(data, m.key, m.value)
		}
	}
	return data
}

// shownDelta returns a delta without hidden calls and without what was said before.
func (r *eventJoiner) shownDelta(c chunk) []byte {
	delta := c.choice.said
	if calls := rawjson.Items(rawjson.Member(delta, "tool_calls")); len(calls) == len(c.calls) && len(calls) > 0 {
		delta = r.withCalls(delta, calls, c.calls)
	}
	if r.role {
		delta = rawjson.RemoveMember(delta, "role")
	}
	content := rawjson.Member(delta, "content")
	if r.open && !r.now.begun && len(r.out.Rounds) > 0 && build.BeginsWord(rawjson.Unquoted(content)) {
		delta = rawjson.SetMember(delta, "content", rawjson.InQuotes(rawjson.AppendInside([]byte(`\n\n`), content)))
	}
	return delta
}

func (r *eventJoiner) withCalls(delta []byte, pieces [][]byte, calls []*answerCall) []byte {
	var left [][]byte
	for i, piece := range pieces {
		if calls[i].hidden {
			continue
		}
		p := readPiece(piece)
		if number := r.now.calls.number(calls[i]); p.index != nil && *p.index != number {
			piece = rawjson.SetInt(piece, "index", number)
		}
		left = append(left, piece)
	}
	if len(left) == 0 {
		return rawjson.RemoveMember(delta, "tool_calls")
	}
	return rawjson.SetMember(delta, "tool_calls", rawjson.Array(left))
}

// shows says whether there is anything in a delta.
func (r *eventJoiner) shows(delta []byte) bool {
	s := rawjson.NewScanner(delta)
	if s.Peek() != '{' {
		return false
	}
	shows := false
	for range s.Members() {
		switch string(s.Value().Of(delta)) {
		case "null", `""`, "[]", "{}":
		default:
			shows = true
		}
	}
	return shows
}

// note remembers what the client has been told.
func (r *eventJoiner) note(delta []byte) {
	if len(delta) == 0 {
		return
	}
	r.role = r.role || rawjson.Member(delta, "role") != nil
	if text := rawjson.Unquoted(rawjson.Member(delta, "content")); text != "" {
		r.now.begun = true
		r.open = build.EndsWord(text)
	}
}

// Answer implements [build.EventJoiner].
func (r *eventJoiner) Answer() build.Answer {
	a := r.now.round()
	a.Broken = r.now.failed || r.now.finish == nil && !r.now.done
	if r.now.several {
		a.Calls = nil
	}
	return a
}

// Again implements [build.EventJoiner].
func (r *eventJoiner) Again() {
	r.before = r.before.plus(r.now.told)
	r.now = streamedAnswer{answerMessage: answerMessage{hidden: r.now.hidden}}
	r.joining = true
}

// Finish implements [build.EventJoiner].
func (r *eventJoiner) Finish() {
	if !r.joining {
		return
	}
	if r.now.finish != nil {
		r.out.Send("", r.headed(r.lastChunk()))
	}
	if r.now.usage != nil {
		r.out.Send("", r.headed(rawjson.SetMember(r.now.usage, "usage", billed(rawjson.Member(r.now.usage, "usage"), r.before))))
	}
	if r.now.done {
		r.out.Send("", []byte("[DONE]"))
	}
}

// lastChunk says why the reply ended.
func (r *eventJoiner) lastChunk() []byte {
	data := r.now.finish
	choice := rawjson.Items(rawjson.Member(data, "choices"))[0]
	reason := rawjson.Member(choice, "finish_reason")
	if len(r.out.Rounds) > 0 {
		reason = endReason(reason, r.out.Rounds[len(r.out.Rounds)-1])
	}
	choice = rawjson.SetMember(rawjson.SetMember(choice, "delta", []byte("{}")), "finish_reason", reason)
	data = rawjson.SetMember(data, "choices", rawjson.Array([][]byte{choice}))
	if usage := rawjson.Member(data, "usage"); rawjson.IsObject(usage) {
		data = rawjson.SetMember(data, "usage", billed(usage, r.before))
	}
	groq := rawjson.Member(data, "x_groq")
	if usage := rawjson.Member(groq, "usage"); rawjson.IsObject(usage) {
		data = rawjson.SetMember(data, "x_groq", rawjson.SetMember(groq, "usage", billed(usage, r.before)))
	}
	return data
}
