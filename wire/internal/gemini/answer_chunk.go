package gemini

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// chunk is an answer or a piece of one. It shares the bytes that it was read from.
type chunk struct {
	data []byte
	// isAnswer tells it from noise.
	isAnswer   bool
	candidates []chunkCandidate
	usage      []byte
	id         []byte
	// failure is the error that it reports; blocked says that the prompt was refused.
	failure []byte
	blocked bool
	// failed says that it ends the answer by either, or that it is a list with an error.
	failed bool
}

// chunkCandidate is what one candidate says in a chunk.
type chunkCandidate struct {
	raw []byte
	// first says that it is the candidate that clients take.
	first bool
	// content has the parts.
	content []byte
	parts   []answerPart
	finish  string
}

// answerPart is a part of a candidate's content.
type answerPart struct {
	raw []byte
	// text is what stands between the quotes of its text.
	text   []byte
	isText bool
	// thought says that the text is thinking, plain that there is nothing beside it.
	thought, plain bool
	signature      []byte
	isCall, hidden bool
	id, name       string
	arguments      string
}

func readChunk(data []byte, hidden func(string) bool) chunk {
	unknown := chunk{data: data}
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		unknown.failed = isRefusal(data)
		return unknown
	}
	c := chunk{data: data, isAnswer: true}
	var candidates []byte
	for key := range s.Members() {
		switch string(key) {
		case "candidates":
			kind := s.Peek()
			candidates = s.Value().Of(data)
			if kind != '[' && kind != 'n' {
				return unknown
			}
		case "usageMetadata":
			c.usage = s.Value().Of(data)
		case "responseId":
			c.id = s.Value().Of(data)
		case "error":
			if s.Peek() == '{' {
				c.failure = s.Value().Of(data)
			}
		case "promptFeedback":
			feedback := s.Value().Of(data)
			c.blocked = rawjson.MemberText(feedback, "blockReason") != "" || rawjson.MemberInt(feedback, "blockReason") > 0
		}
	}
	if s.End() != nil {
		return unknown
	}
	c.failed = c.failure != nil || c.blocked
	for _, raw := range rawjson.Items(candidates) {
		c.candidates = append(c.candidates, readCandidate(raw, hidden))
	}
	return c
}

func readCandidate(raw []byte, hidden func(string) bool) chunkCandidate {
	c := chunkCandidate{raw: raw, first: true}
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
			if value := s.Value().Of(raw); rawjson.IsString(value) {
				c.finish = strings.Clone(rawjson.Unquoted(value))
			} else if n, ok := rawjson.NewScanner(value).Int(); ok {
				c.finish = reasonName(n)
			}
		case "content":
			c.content, c.parts = s.Value().Of(raw), nil
			for _, part := range rawjson.Items(rawjson.Member(c.content, "parts")) {
				c.parts = append(c.parts, readPart(part, hidden))
			}
		}
	}
	return c
}

// reasons are the names of the reasons to end an answer, which Google's generated clients
// ask for as numbers. From 6 to 8, the Gemini API and Vertex number filters differently.
var reasons = []string{"", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST", "BLOCKLIST", "BLOCKLIST"}

func reasonName(n int) string {
	if n < 0 || n >= len(reasons) {
		return "OTHER"
	}
	return reasons[n]
}

// isRefusal tells an error that comes as a list of one.
func isRefusal(data []byte) bool {
	return slices.ContainsFunc(rawjson.Items(data), func(piece []byte) bool { return rawjson.IsObject(rawjson.Member(piece, "error")) })
}

func readPart(raw []byte, hidden func(string) bool) answerPart {
	p := answerPart{raw: raw, plain: true}
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
			p.isCall = rawjson.IsObject(call)
			p.id, p.name = rawjson.MemberText(call, "id"), rawjson.MemberText(call, "name")
			p.arguments = cmp.Or(string(rawjson.Member(call, "args")), "{}")
			p.plain = false
		case "thoughtSignature", "thought_signature":
			p.signature = s.Value().Of(raw)
			p.plain = false
		default:
			p.plain = false
		}
	}
	p.plain = p.plain && p.isText
	p.hidden = p.isCall && hidden != nil && hidden(p.name)
	return p
}

// isBlank reports whether a part says nothing, as they do that only end a stream.
func (p *answerPart) isBlank() bool { return p.plain && len(p.text) == 0 }

// hides reports whether there are hidden calls in the chunk.
func (c *chunk) hides() bool {
	return slices.ContainsFunc(c.candidates, func(c chunkCandidate) bool {
		return slices.ContainsFunc(c.parts, func(p answerPart) bool { return p.hidden })
	})
}

// says reports whether anything is left for the client.
func (c *chunk) says() bool {
	return slices.ContainsFunc(c.candidates, func(c chunkCandidate) bool {
		return slices.ContainsFunc(c.parts, func(p answerPart) bool { return !p.hidden && !p.isBlank() })
	})
}

// ends reports whether the chunk says why the answer ended.
func (c *chunk) ends() bool {
	return slices.ContainsFunc(c.candidates, func(c chunkCandidate) bool { return c.first && c.finish != "" })
}

// shown returns the parts that the client may have.
func (c *chunkCandidate) shown(s *signer) (parts [][]byte) {
	for _, p := range c.parts {
		if raw := s.sign(p); !p.hidden {
			parts = append(parts, raw)
		}
	}
	return parts
}

// signer gives the signature of a hidden call to the first call of the same
// answer that the client sees. The first call of an answer is the one that is signed,
// and newer models refuse a history in which it is not.
type signer struct {
	signature []byte
	called    bool
}

// sign returns a part as the client may have it.
func (s *signer) sign(p answerPart) []byte {
	switch {
	case !p.isCall || s.called:
	case p.hidden && s.signature == nil:
		s.signature = bytes.Clone(p.signature)
	case !p.hidden:
		s.called = true
		if p.signature == nil && s.signature != nil {
			return rawjson.SetMember(p.whole(), "thoughtSignature", s.signature)
		}
	}
	return p.whole()
}

// put gives the candidate other parts. There is always one.
func (c *chunkCandidate) put(parts [][]byte) {
	if len(parts) == 0 {
		parts = [][]byte{[]byte(`{"text":""}`)}
	}
	content := rawjson.Member(c.raw, "content")
	if !rawjson.IsObject(content) {
		content = []byte(`{"role":"model"}`)
	}
	c.raw = rawjson.SetMember(c.raw, "content", rawjson.SetMember(content, "parts", rawjson.Array(parts)))
}

// withoutHidden returns the chunk without hidden calls.
func (c chunk) withoutHidden(s *signer) chunk {
	c.candidates = slices.Clone(c.candidates)
	for i := range c.candidates {
		candidate, by := &c.candidates[i], s
		if !candidate.first {
			by = &signer{}
		}
		if slices.ContainsFunc(candidate.parts, func(p answerPart) bool { return p.isCall }) {
			candidate.put(candidate.shown(by))
		}
	}
	return c
}

// withoutEnd returns the chunk as one that is followed by others.
func (c chunk) withoutEnd() chunk {
	c.candidates = slices.Clone(c.candidates)
	for i := range c.candidates {
		candidate := &c.candidates[i]
		candidate.raw = rawjson.RemoveMember(rawjson.RemoveMember(candidate.raw, "finishReason"), "finishMessage")
	}
	return c
}

// written returns the chunk with its candidates as they are now.
func (c chunk) written() []byte {
	var raw [][]byte
	for _, candidate := range c.candidates {
		raw = append(raw, candidate.raw)
	}
	if list := rawjson.Array(raw); len(raw) > 0 && !bytes.Equal(list, rawjson.Member(c.data, "candidates")) {
		return rawjson.SetMember(c.data, "candidates", list)
	}
	return c.data
}
