package weave

import (
	"bytes"
	"cmp"

	"github.com/plimsoll/plimsoll"
)

// geminiAnswer is one answer of the model, as far as it has come: the first candidate.
type geminiAnswer struct {
	parts  []geminiPart
	finish string
	failed bool
	// hides says that there are calls of ours, in whichever candidate.
	hides bool
	// output and thoughts are tokens that were billed.
	output, thoughts int
}

// add adds a chunk. It keeps a copy of what it needs.
func (a *geminiAnswer) add(c geminiChunk) {
	a.failed, a.hides = a.failed || c.failed, a.hides || c.hides()
	if isObject(c.usage) {
		a.output, a.thoughts = numberOf(c.usage, "candidatesTokenCount"), numberOf(c.usage, "thoughtsTokenCount")
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
func (a *geminiAnswer) addPart(p geminiPart, first bool) {
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
func (p *geminiPart) whole() []byte {
	if p.raw != nil {
		return p.raw
	}
	raw := append([]byte(`{"text":`), quoted(p.text)...)
	if p.thought {
		raw = append(raw, `,"thought":true`...)
	}
	return append(raw, '}')
}

// ended reports whether the answer is complete.
func (a *geminiAnswer) ended() bool { return a.finish != "" && !a.failed }

// round says what the answer was. Calls of ours in one that was cut short are none.
func (a *geminiAnswer) round() (r answered) {
	var all, open [][]byte
	var signer geminiSigner
	for _, p := range a.parts {
		all = append(all, p.whole())
		shown := signer.sign(p)
		switch {
		case !p.ours:
			open = append(open, shown)
			r.Foreign = r.Foreign || p.isCall
		case a.finish == "STOP":
			r.Calls = append(r.Calls, plimsoll.ToolCall{ID: p.id, Name: p.name, Arguments: p.arguments})
		}
	}
	r.hides, r.open = a.hides, geminiContent(open)
	r.Said = r.open
	if len(r.Calls) > 0 {
		r.Said = geminiContent(all)
	}
	return r
}

// geminiContent makes a content of the model's, or none of no parts.
func geminiContent(parts [][]byte) [][]byte {
	if len(parts) == 0 {
		return nil
	}
	return [][]byte{append(append([]byte(`{"role":"model","parts":`), listed(parts)...), '}')}
}

// show notes what the client is shown of the answer.
func (a *geminiAnswer) show(seen *shown) {
	for _, p := range a.parts {
		switch {
		case p.isCall && !p.ours:
			seen.call(plimsoll.ToolCall{ID: p.id, Name: p.name, Arguments: p.arguments})
		case p.thought:
			seen.thought = true
		case p.isText && !p.isCall:
			seen.text(unquoted(quoted(p.text)))
		}
	}
}
