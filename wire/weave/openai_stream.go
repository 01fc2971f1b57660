package weave

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
)

// openaiStream weaves streamed answers. Calls of ours do not pass, those behind them
// get other numbers, and once there was one, the reason why the answer ended, the usage
// and the mark at the end wait for Finish. Chunks of later answers carry the id of the
// first, without which clients do not take them for one, and between the texts of two
// answers stands an empty line.
type openaiStream struct {
	stream
	history
	ours func(string) bool
	// woven says that a call was held back, or that this is not the first answer.
	woven bool
	// head are the members that all chunks of an answer share, as the first had them.
	head []openaiMember
	// role says that the client was told who speaks, open that the text which it was
	// told did not end in white space.
	role, open bool
	// waiting are chunks that cannot pass before the name of a call has come.
	waiting []openaiChunk
	now     openaiReading
	before  openaiOutput
}

// openaiReading is the answer that is being read.
type openaiReading struct {
	openaiAnswer
	// finish and usage are the chunks that end it, told the usage of any chunk.
	finish, usage, told []byte
	done                bool
	failed              bool
	// several says that there are other choices than the first. Then nobody can go on.
	several bool
	begun   bool // some text of it was shown
}

// openaiChunk is an event with what is known of it.
type openaiChunk struct {
	name      string
	raw, data []byte
	choice    rawjson.Span
	// other says that it is of another choice than the first.
	other  bool
	delta  []byte
	finish []byte
	usage  []byte
	calls  []*openaiCall
}

func newOpenaiStream(l loom, ours func(string) bool) *openaiStream {
	r := &openaiStream{history: newHistory(l), ours: ours}
	r.now.ours = ours
	r.each, r.spill = r.event, r.decide
	return r
}

// Write implements [Reply].
func (r *openaiStream) Write(p []byte) []byte {
	r.write(p)
	return r.taken()
}

// event reads a chunk and hands it on when it is known whose its calls are.
func (r *openaiStream) event(e sse.Event) {
	c := openaiChunk{name: e.Name, raw: e.Raw, data: e.Data}
	r.read(&c)
	if len(r.waiting) == 0 && !r.undecided(c) {
		r.hand(c)
		return
	}
	if !r.keep(len(c.raw) + len(c.data)) {
		r.decide()
		r.hand(c)
		return
	}
	r.waiting = append(r.waiting, c.clone())
	if r.now.finish != nil || r.now.done || r.now.failed {
		r.decide()
	}
	for len(r.waiting) > 0 && !r.undecided(r.waiting[0]) {
		r.hand(r.waiting[0])
		r.waiting = r.waiting[1:]
	}
}

// undecided says whether a chunk has a call of which nobody knows yet whose it is.
func (r *openaiStream) undecided(c openaiChunk) bool {
	for _, call := range c.calls {
		if call.name == "" {
			return r.now.finish == nil && !r.now.done
		}
	}
	return false
}

// decide lets go what waits: no names will come.
func (r *openaiStream) decide() {
	for _, c := range r.waiting {
		r.hand(c)
	}
	r.waiting = nil
}

func (c openaiChunk) clone() openaiChunk {
	c.raw, c.data = bytes.Clone(c.raw), bytes.Clone(c.data)
	if !c.choice.IsZero() {
		c.readChoice()
	}
	if c.usage != nil {
		c.usage = memberOf(c.data, "usage")
	}
	return c
}

// read finds out what a chunk says, and takes it in.
func (r *openaiStream) read(c *openaiChunk) {
	if string(bytes.TrimSpace(c.data)) == "[DONE]" {
		r.now.done = true
		return
	}
	s := rawjson.NewScanner(c.data)
	if s.Peek() != '{' {
		c.data = nil
		return
	}
	var head []openaiMember
	var choices rawjson.List
	for key := range s.Members() {
		switch string(key) {
		case "id", "created", "model", "system_fingerprint":
			if r.head == nil {
				head = append(head, openaiMember{string(key), s.Value().Of(c.data)})
			}
		case "choices":
			choices = s.List()
		case "usage":
			if v := s.Value().Of(c.data); isObject(v) {
				c.usage = v
			}
		case "error":
			r.now.failed = r.now.failed || s.Peek() != 'n'
		}
	}
	if s.End() != nil {
		*c = openaiChunk{name: c.name, raw: c.raw}
		return
	}
	r.takeHead(head)
	if c.usage != nil {
		r.now.told = bytes.Clone(c.usage)
	}
	r.takeChoice(c, choices)
}

// takeHead keeps what the first chunk that has an id shares with the others. Some servers
// send one before that is about the request.
func (r *openaiStream) takeHead(head []openaiMember) {
	named := slices.ContainsFunc(head, func(m openaiMember) bool { return m.key == "id" && len(m.value) > len(`""`) })
	if !named {
		return
	}
	for _, m := range head {
		r.head = append(r.head, openaiMember{m.key, bytes.Clone(m.value)})
	}
}

// takeChoice takes in the first choice, if it stands alone.
func (r *openaiStream) takeChoice(c *openaiChunk, choices rawjson.List) {
	if len(choices.Items) == 0 {
		return
	}
	c.choice = choices.Items[0]
	if len(choices.Items) > 1 || numberOf(c.choice.Of(c.data), "index") != 0 {
		r.now.several, c.other = true, true
		c.choice = rawjson.Span{}
		return
	}
	c.readChoice()
	if r.keep(len(c.delta)) {
		c.calls = r.now.add(c.delta)
	}
	if c.finish != nil {
		r.now.finish = bytes.Clone(c.data)
	}
	for _, call := range c.calls {
		r.woven = r.woven || call.ours
	}
}

func (c *openaiChunk) readChoice() {
	choice := c.choice.Of(c.data)
	c.delta = memberOf(choice, "delta")
	if reason := memberOf(choice, "finish_reason"); isString(reason) {
		c.finish = reason
	}
}

// hand lets the client have of a chunk what is its own.
func (r *openaiStream) hand(c openaiChunk) {
	switch {
	case !r.woven:
		r.out = append(r.out, c.raw...)
		r.note(c.delta)
		for _, call := range c.calls {
			r.now.calls.number(call)
		}
	case string(bytes.TrimSpace(c.data)) == "[DONE]":
	case r.now.failed, c.data == nil:
		r.out = append(r.out, c.raw...)
	case c.other, c.choice.IsZero() && c.usage == nil:
		r.send(c.name, r.headed(c.data))
	default:
		r.weave(c)
	}
}

// weave hands on a chunk without what is ours, or keeps it for the end.
func (r *openaiStream) weave(c openaiChunk) {
	delta := r.shownDelta(c)
	shows := r.shows(delta)
	switch {
	case c.usage != nil && c.finish == nil && (!shows || r.now.finish != nil):
		r.now.usage = bytes.Clone(c.data)
		return
	case !shows:
		return
	}
	r.note(delta)
	choice := withMember(c.choice.Of(c.data), "delta", delta)
	data := c.data
	if c.finish != nil {
		choice = withMember(choice, "finish_reason", []byte("null"))
	}
	data = splice(data, c.choice, choice)
	if c.finish != nil {
		data = withoutMember(data, "usage")
	}
	r.send(c.name, r.headed(data))
}

// headed gives a chunk what the first one had.
func (r *openaiStream) headed(data []byte) []byte {
	if len(r.rounds) == 0 {
		return data
	}
	for _, m := range r.head {
		if memberOf(data, m.key) != nil {
			data = withMember(data, m.key, m.value)
		}
	}
	return data
}

// shownDelta returns a delta without our calls and without what was said before.
func (r *openaiStream) shownDelta(c openaiChunk) []byte {
	delta := c.delta
	if calls := itemsOf(memberOf(delta, "tool_calls")); len(calls) == len(c.calls) && len(calls) > 0 {
		delta = r.withCalls(delta, calls, c.calls)
	}
	if r.role {
		delta = withoutMember(delta, "role")
	}
	content := memberOf(delta, "content")
	if r.open && !r.now.begun && len(r.rounds) > 0 && beginsWord(unquoted(content)) {
		delta = withMember(delta, "content", quoted(appendInside([]byte(`\n\n`), content)))
	}
	return delta
}

func (r *openaiStream) withCalls(delta []byte, pieces [][]byte, calls []*openaiCall) []byte {
	var left [][]byte
	for i, piece := range pieces {
		if calls[i].ours {
			continue
		}
		p := readPiece(piece)
		if number := r.now.calls.number(calls[i]); p.index != nil && *p.index != number {
			piece = withNumber(piece, "index", number)
		}
		left = append(left, piece)
	}
	if len(left) == 0 {
		return withoutMember(delta, "tool_calls")
	}
	return withMember(delta, "tool_calls", listed(left))
}

// shows says whether there is anything in a delta.
func (r *openaiStream) shows(delta []byte) bool {
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
func (r *openaiStream) note(delta []byte) {
	if len(delta) == 0 {
		return
	}
	r.role = r.role || memberOf(delta, "role") != nil
	if text := unquoted(memberOf(delta, "content")); text != "" {
		r.now.begun = true
		r.open = endsWord(text)
	}
}

// End implements [Reply].
func (r *openaiStream) End() Round {
	r.end()
	r.decide()
	a := r.now.round()
	a.Broken = r.now.failed || r.lost || r.now.finish == nil && !r.now.done
	if r.now.several {
		a.Calls = nil
	}
	r.now.see(r.seen)
	r.rounds = append(r.rounds, a)
	return a.Round
}

// Again implements [Reply].
func (r *openaiStream) Again() {
	r.before = r.before.plus(r.now.told)
	r.now = openaiReading{openaiAnswer: openaiAnswer{ours: r.ours}}
	r.woven = true
}

// Finish implements [Reply].
func (r *openaiStream) Finish() []byte {
	if !r.woven {
		return r.taken()
	}
	if r.now.finish != nil {
		r.send("", r.headed(r.lastChunk()))
	}
	if r.now.usage != nil {
		r.send("", r.headed(withMember(r.now.usage, "usage", openaiUsage(memberOf(r.now.usage, "usage"), r.before))))
	}
	if r.now.done {
		r.send("", []byte("[DONE]"))
	}
	return r.taken()
}

// lastChunk says why the reply ended.
func (r *openaiStream) lastChunk() []byte {
	data := r.now.finish
	choice := itemsOf(memberOf(data, "choices"))[0]
	reason := memberOf(choice, "finish_reason")
	if len(r.rounds) > 0 {
		reason = openaiStop(reason, r.rounds[len(r.rounds)-1])
	}
	choice = withMember(withMember(choice, "delta", []byte("{}")), "finish_reason", reason)
	data = withMember(data, "choices", listed([][]byte{choice}))
	if usage := memberOf(data, "usage"); isObject(usage) {
		data = withMember(data, "usage", openaiUsage(usage, r.before))
	}
	return data
}

// Record implements [Reply].
func (r *openaiStream) Record(results [][]Result) (Record, bool) { return r.record(results) }
