package weave

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// geminiChunk is an answer or a piece of one. It shares the bytes that it was read from.
type geminiChunk struct {
	data []byte
	// isAnswer tells it from noise.
	isAnswer   bool
	candidates []geminiCandidate
	usage      []byte
	id         []byte
	// failed says that it reports an error, or that the prompt was refused.
	failed bool
}

// geminiCandidate is what one candidate says in a chunk.
type geminiCandidate struct {
	raw []byte
	// first says that it is the candidate that clients take.
	first  bool
	parts  []geminiPart
	finish string
}

// geminiPart is a part of a candidate's content.
type geminiPart struct {
	raw []byte
	// text is what stands between the quotes of its text.
	text   []byte
	isText bool
	// thought says that the text is thinking, plain that there is nothing beside it.
	thought, plain bool
	signature      []byte
	isCall, ours   bool
	id, name       string
	arguments      string
}

func readGeminiChunk(data []byte, ours func(string) bool) geminiChunk {
	unknown := geminiChunk{data: data}
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		unknown.failed = isRefusal(data)
		return unknown
	}
	c := geminiChunk{data: data, isAnswer: true}
	var candidates []byte
	for key := range s.Members() {
		switch string(key) {
		case "candidates":
			candidates = s.Value().Of(data)
		case "usageMetadata":
			c.usage = s.Value().Of(data)
		case "responseId":
			c.id = s.Value().Of(data)
		case "error":
			c.failed = c.failed || s.Peek() == '{'
		case "promptFeedback":
			c.failed = c.failed || stringOf(s.Value().Of(data), "blockReason") != ""
		}
	}
	if s.End() != nil {
		return unknown
	}
	for _, raw := range itemsOf(candidates) {
		c.candidates = append(c.candidates, readGeminiCandidate(raw, ours))
	}
	return c
}

func readGeminiCandidate(raw []byte, ours func(string) bool) geminiCandidate {
	c := geminiCandidate{raw: raw, first: true}
	s := rawjson.NewScanner(raw)
	if s.Peek() != '{' {
		return c
	}
	for key := range s.Members() {
		switch string(key) {
		case "index":
			n, _ := s.Int()
			c.first = n == 0
		case "finishReason":
			t, _ := s.String()
			c.finish = strings.Clone(t.Decode(raw))
		case "content":
			c.parts = nil
			for _, part := range itemsOf(memberOf(s.Value().Of(raw), "parts")) {
				c.parts = append(c.parts, readGeminiPart(part, ours))
			}
		}
	}
	return c
}

// isRefusal tells an error that comes as a list of one.
func isRefusal(data []byte) bool {
	return slices.ContainsFunc(itemsOf(data), func(piece []byte) bool { return isObject(memberOf(piece, "error")) })
}

func readGeminiPart(raw []byte, ours func(string) bool) geminiPart {
	p := geminiPart{raw: raw, plain: true}
	s := rawjson.NewScanner(raw)
	if s.Peek() != '{' {
		p.plain = false
		return p
	}
	for key := range s.Members() {
		switch string(key) {
		case "text":
			var t rawjson.Text
			if t, p.isText = s.String(); p.isText {
				p.text = t.Raw(raw)
			}
		case "thought":
			p.thought, _ = s.Bool()
		case "functionCall", "function_call":
			call := s.Value().Of(raw)
			p.isCall = isObject(call)
			p.id, p.name = stringOf(call, "id"), stringOf(call, "name")
			p.arguments = cmp.Or(string(memberOf(call, "args")), "{}")
			p.plain = false
		case "thoughtSignature", "thought_signature":
			p.signature = s.Value().Of(raw)
			p.plain = false
		default:
			p.plain = false
		}
	}
	p.plain = p.plain && p.isText
	p.ours = p.isCall && ours(p.name)
	return p
}

// isBlank reports whether a part says nothing, as they do that only end a stream.
func (p *geminiPart) isBlank() bool { return p.plain && len(p.text) == 0 }

// hides reports whether there are calls of ours in the chunk.
func (c *geminiChunk) hides() bool {
	return slices.ContainsFunc(c.candidates, func(c geminiCandidate) bool {
		return slices.ContainsFunc(c.parts, func(p geminiPart) bool { return p.ours })
	})
}

// says reports whether anything is left for the client.
func (c *geminiChunk) says() bool {
	return slices.ContainsFunc(c.candidates, func(c geminiCandidate) bool {
		return slices.ContainsFunc(c.parts, func(p geminiPart) bool { return !p.ours && !p.isBlank() })
	})
}

// ends reports whether the chunk says why the answer ended.
func (c *geminiChunk) ends() bool {
	return slices.ContainsFunc(c.candidates, func(c geminiCandidate) bool { return c.first && c.finish != "" })
}

// shown returns the parts that the client may have.
func (c *geminiCandidate) shown(s *geminiSigner) (parts [][]byte) {
	for _, p := range c.parts {
		if raw := s.sign(p); !p.ours {
			parts = append(parts, raw)
		}
	}
	return parts
}

// geminiSigner gives the signature of a call of ours to the first call of the same
// answer that the client sees. The first call of an answer is the one that is signed,
// and newer models refuse a history in which it is not.
type geminiSigner struct {
	signature []byte
	called    bool
}

// sign returns a part as the client may have it.
func (s *geminiSigner) sign(p geminiPart) []byte {
	switch {
	case !p.isCall || s.called:
	case p.ours && s.signature == nil:
		s.signature = bytes.Clone(p.signature)
	case !p.ours:
		s.called = true
		if p.signature == nil && s.signature != nil {
			return withMember(p.whole(), "thoughtSignature", s.signature)
		}
	}
	return p.whole()
}

// put gives the candidate other parts. There is always one.
func (c *geminiCandidate) put(parts [][]byte) {
	if len(parts) == 0 {
		parts = [][]byte{[]byte(`{"text":""}`)}
	}
	content := memberOf(c.raw, "content")
	if !isObject(content) {
		content = []byte(`{"role":"model"}`)
	}
	c.raw = withMember(c.raw, "content", withMember(content, "parts", listed(parts)))
}

// withoutOurs returns the chunk without our calls.
func (c geminiChunk) withoutOurs(s *geminiSigner) geminiChunk {
	c.candidates = slices.Clone(c.candidates)
	for i := range c.candidates {
		candidate, signer := &c.candidates[i], s
		if !candidate.first {
			signer = &geminiSigner{}
		}
		if slices.ContainsFunc(candidate.parts, func(p geminiPart) bool { return p.isCall }) {
			candidate.put(candidate.shown(signer))
		}
	}
	return c
}

// withoutEnd returns the chunk as one that is followed by others.
func (c geminiChunk) withoutEnd() geminiChunk {
	c.candidates = slices.Clone(c.candidates)
	for i := range c.candidates {
		candidate := &c.candidates[i]
		candidate.raw = withoutMember(withoutMember(candidate.raw, "finishReason"), "finishMessage")
	}
	return c
}

// written returns the chunk with its candidates as they are now.
func (c geminiChunk) written() []byte {
	var raw [][]byte
	for _, candidate := range c.candidates {
		raw = append(raw, candidate.raw)
	}
	if list := listed(raw); len(raw) > 0 && !bytes.Equal(list, memberOf(c.data, "candidates")) {
		return withMember(c.data, "candidates", list)
	}
	return c.data
}
