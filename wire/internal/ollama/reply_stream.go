package ollama

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// eventJoiner joins streamed answers. Hidden calls do not pass, those behind them get
// lower numbers, and once there was one, the last record of an answer waits until it is
// known how the reply goes on. Between the texts of two answers stands an empty line.
type eventJoiner struct {
	out    *build.Stream
	hidden func(string) bool
	// joining says that a call was held back, or that this is not the first answer.
	joining bool
	now     answer
	// last is the last record of the answer, as the client may have it.
	last []byte
	// open says that the text which the client has got ends in a word, begun that some of
	// it is of this answer.
	open, begun bool
	before      metrics
}

var _ build.EventJoiner = (*eventJoiner)(nil)

// Event passes to the client what it may have of a record.
func (j *eventJoiner) Event(e sse.Event) {
	r, ok := readRecord(e.Data, j.hidden)
	before := j.now.hidden
	if ok && j.out.Keep(len(e.Data)) {
		j.now.add(r)
	}
	j.joining = j.joining || r.hides()
	switch {
	case !j.joining || !ok || r.failure != nil:
		j.note(r.content)
		j.out.Pass(e.Raw)
		return
	case r.message != nil:
		r.data = rawjson.SetMember(r.data, "message", j.spaced(r.content, r.shown(before)))
	}
	switch {
	case r.done:
		j.last = bytes.Clone(r.data)
	case r.says():
		j.out.Send("", r.data)
	}
}

// spaced puts an empty line before the first text of a later answer.
func (j *eventJoiner) spaced(content, message []byte) []byte {
	if j.open && !j.begun && build.BeginsWord(rawjson.Unquoted(content)) {
		message = rawjson.SetMember(message, "content", rawjson.InQuotes(rawjson.AppendInside([]byte(`\n\n`), content)))
	}
	j.note(content)
	return message
}

// note remembers what the client has got.
func (j *eventJoiner) note(content []byte) {
	if text := rawjson.Unquoted(content); text != "" {
		j.begun, j.open = true, build.EndsWord(text)
	}
}

// Flush has nothing to do: no record waits for another.
func (*eventJoiner) Flush() {}

// Answer implements [build.EventJoiner].
func (j *eventJoiner) Answer() build.Answer { return j.now.round() }

// Again lets the client have what the last record of this answer says, but not that the
// answer ended.
func (j *eventJoiner) Again() {
	if r, ok := readRecord(j.last, nil); ok && r.says() {
		data := rawjson.SetMember(r.data, "done", []byte("false"))
		for _, key := range []string{
			"done_reason", "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
		} {
			data = rawjson.RemoveMember(data, key)
		}
		j.out.Send("", data)
	}
	j.before = j.before.plus(j.last)
	j.now, j.last, j.begun, j.joining = answer{}, nil, false, true
}

// Finish implements [build.EventJoiner].
func (j *eventJoiner) Finish() {
	if j.last != nil {
		j.out.Send("", j.before.add(j.last))
		j.last = nil
	}
}
