package gemini

import (
	"bytes"
	"cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// answerParts is one answer of the model, as far as it has come: the first candidate.
type answerParts struct {
	parts  []answerPart
	finish string
	failed bool
	// hides says that there are hidden calls, in whichever candidate.
	hides bool
	// output and thoughts are tokens that were billed.
	output, thoughts int
}

// add adds a chunk. It keeps a copy of what it needs.
func (a *answerParts) add(c chunk) {
	a.failed, a.hides = a.failed || c.failed, a.hides || c.hides()
	if rawjson.IsObject(c.usage) {
		a.output, a.thoughts = rawjson.MemberInt(c.usage, "candidatesTokenCount"), rawjson.MemberInt(c.usage, "thoughtsTokenCount")
	}
	for _, candidate := range c.candidates {
		if !candidate.first {
			continue
		}
		a.finish = cmp.Or(candidate.finish, a.finish)
		for i, p := range candidate.parts {
			a.addPart(p, i == 0)
		}
	}
}

// addPart adds a part. The first of a chunk may go on with the last of the chunk before.
func (a *answerParts) addPart(p answerPart, first bool) {
	if p.isBlank() {
		return
	}
	if n := len(a.parts); n > 0 && first {
		if last := &a.parts[n-1]; last.plain && p.plain && last.thought == p.thought {
			last.text, last.raw = append(last.text, p.text...), nil
			return
		}
	}
	p.raw, p.text, p.signature = bytes.Clone(p.raw), bytes.Clone(p.text), bytes.Clone(p.signature)
	a.parts = append(a.parts, p)
}

// whole returns the part as it may be sent back.
func (p *answerPart) whole() []byte {
	if p.raw != nil {
		return p.raw
	}
	raw := append([]byte(`{"text":`), rawjson.InQuotes(p.text)...)
	if p.thought {
		raw = append(raw, `,"thought":true`...)
	}
	return append(raw, '}')
}

// ended reports whether the answer is complete.
func (a *answerParts) ended() bool { return a.finish != "" && !a.failed }

// round says what the answer was. Hidden calls in one that was cut short are none.
func (a *answerParts) round() (r build.Answer) {
	var all, open [][]byte
	var signer signer
	for _, p := range a.parts {
		all = append(all, p.whole())
		shown := signer.sign(p)
		switch {
		case !p.hidden:
			open = append(open, shown)
			r.Foreign = r.Foreign || p.isCall
		case a.finish == "STOP":
			r.Calls = append(r.Calls, plimsoll.ToolCall{ID: p.id, Name: p.name, Arguments: p.arguments})
		}
	}
	r.Hides, r.Open, r.Shown = a.hides, modelContent(open), a.shown()
	r.Said = r.Open
	if len(r.Calls) > 0 {
		r.Said = modelContent(all)
	}
	return r
}

// modelContent makes a content of the model's, or none of no parts.
func modelContent(parts [][]byte) [][]byte {
	if len(parts) == 0 {
		return nil
	}
	return [][]byte{append(append([]byte(`{"role":"model","parts":`), rawjson.Array(parts)...), '}')}
}

// shown returns what the client is shown of the answer.
func (a *answerParts) shown() (parts []plimsoll.Part) {
	for _, p := range a.parts {
		switch {
		case p.isCall && !p.hidden:
			parts = append(parts, plimsoll.ToolCall{ID: p.id, Name: p.name, Arguments: p.arguments})
		case p.thought:
			parts = append(parts, plimsoll.Reasoning{})
		case p.isText && !p.isCall:
			parts = append(parts, plimsoll.Text{Text: rawjson.Unquoted(rawjson.InQuotes(p.text))})
		}
	}
	return parts
}
