package ollama

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// record is a complete answer, or a line of a streamed one. It shares the bytes of data.
type record struct {
	data, model []byte
	// message is what was said, with its texts still quoted and its calls.
	message, content, thinking []byte
	calls                      []answerCall
	done                       bool
	reason                     string
	failure                    []byte
}

// answerCall is a call of an answer. Calls come whole.
type answerCall struct {
	raw []byte
	plimsoll.ToolCall
	hidden bool
}

// readRecord reads a record. It reports false for anything else. Hidden says which tools
// are hidden; nil hides none.
func readRecord(data []byte, hidden func(string) bool) (r record, ok bool) {
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return r, false
	}
	r.data = data
	for key := range s.Members() {
		switch string(key) {
		case "model":
			r.model = s.Value().Of(data)
		case "message":
			if s.Peek() == '{' {
				r.message = s.Value().Of(data)
			}
		case "done":
			r.done, _ = s.Bool()
		case "done_reason":
			r.reason = rawjson.Unquoted(s.Value().Of(data))
		case "error":
			if value := s.Value().Of(data); string(value) != "null" {
				r.failure = value
			}
		}
	}
	if s.End() != nil {
		return record{}, false
	}
	r.content, r.thinking = rawjson.Member(r.message, "content"), rawjson.Member(r.message, "thinking")
	for _, raw := range rawjson.Items(rawjson.Member(r.message, "tool_calls")) {
		r.calls = append(r.calls, readCall(raw, hidden))
	}
	return r, true
}

func readCall(raw []byte, hidden func(string) bool) answerCall {
	function := rawjson.Member(raw, "function")
	c := answerCall{raw: raw, ToolCall: plimsoll.ToolCall{
		ID: rawjson.MemberText(raw, "id"), Name: rawjson.MemberText(function, "name"),
		Arguments: cmp.Or(string(rawjson.Member(function, "arguments")), "{}"),
	}}
	c.hidden = hidden != nil && hidden(c.Name)
	return c
}

// hides reports whether there are hidden calls in the record.
func (r *record) hides() bool {
	for _, c := range r.calls {
		if c.hidden {
			return true
		}
	}
	return false
}

// says reports whether anything is left for the client.
func (r *record) says() bool {
	for _, c := range r.calls {
		if !c.hidden {
			return true
		}
	}
	return rawjson.Unquoted(r.content) != "" || rawjson.Unquoted(r.thinking) != ""
}

// shown returns the message without hidden calls. Before says how many of them the answer
// had before, by which the numbers of the client's calls are lower.
func (r *record) shown(before int) []byte {
	if len(r.calls) == 0 || !r.hides() && before == 0 {
		return r.message
	}
	var left [][]byte
	for _, c := range r.calls {
		if c.hidden {
			before++
			continue
		}
		function := rawjson.AddInt(rawjson.Member(c.raw, "function"), "index", -before)
		left = append(left, rawjson.SetMember(c.raw, "function", function))
	}
	if len(left) == 0 {
		return rawjson.RemoveMember(r.message, "tool_calls")
	}
	return rawjson.SetMember(r.message, "tool_calls", rawjson.Array(left))
}

// answer is what the model says, as far as it has come.
type answer struct {
	// content and thinking are texts, still escaped.
	content, thinking []byte
	calls             []answerCall
	// hidden counts the hidden calls.
	hidden       int
	done, failed bool
	reason       string
}

// add adds a record. It keeps a copy of what it needs.
func (a *answer) add(r record) {
	a.content = rawjson.AppendInside(a.content, r.content)
	a.thinking = rawjson.AppendInside(a.thinking, r.thinking)
	for _, c := range r.calls {
		c.raw = bytes.Clone(c.raw)
		a.calls = append(a.calls, c)
		if c.hidden {
			a.hidden++
		}
	}
	a.done, a.failed = a.done || r.done, a.failed || r.failure != nil
	a.reason = cmp.Or(strings.Clone(r.reason), a.reason)
}

// parts returns what was said as it would be read from the next request.
func (a *answer) parts() (parts []plimsoll.Part) {
	if len(a.thinking) > 0 {
		parts = append(parts, plimsoll.Reasoning{Text: rawjson.Unquoted(rawjson.InQuotes(a.thinking))})
	}
	if len(a.content) > 0 {
		parts = append(parts, plimsoll.Text{Text: rawjson.Unquoted(rawjson.InQuotes(a.content))})
	}
	for _, c := range a.calls {
		parts = append(parts, c.ToolCall)
	}
	return parts
}

// round says what the answer was.
func (a *answer) round() build.Answer {
	r := build.Answer{Shown: []plimsoll.Part{plimsoll.Text{Text: rawjson.Unquoted(rawjson.InQuotes(a.content))}}}
	var all, open [][]byte
	for _, c := range a.calls {
		all = append(all, c.raw)
		if c.hidden {
			r.Calls = append(r.Calls, c.ToolCall)
			continue
		}
		r.Foreign = true
		open, r.Shown = append(open, c.raw), append(r.Shown, c.ToolCall)
	}
	r.Hides = len(r.Calls) > 0
	r.Said, r.Open = a.message(all), a.message(open)
	r.Broken = !a.done || a.failed || !r.Sendable(Codec{})
	return r
}

// message returns the answer with some of its calls as it would stand in the next
// request; nothing if it says nothing.
func (a *answer) message(calls [][]byte) [][]byte {
	if len(a.content) == 0 && len(calls) == 0 {
		return nil
	}
	out := append([]byte(`{"role":"assistant","content":`), rawjson.InQuotes(a.content)...)
	if len(a.thinking) > 0 {
		out = append(append(out, `,"thinking":`...), rawjson.InQuotes(a.thinking)...)
	}
	if len(calls) > 0 {
		out = append(append(out, `,"tool_calls":`...), rawjson.Array(calls)...)
	}
	return [][]byte{append(out, '}')}
}

// stop says why the answer ended.
func (a *answer) stop() wire.Stop {
	switch {
	case a.reason == "length":
		return wire.StopLength
	case !a.done:
		return wire.StopUnknown
	case len(a.calls) > 0:
		return wire.StopTools
	}
	return wire.StopEnd
}
