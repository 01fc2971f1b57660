package demo

import (
	"maps"
	"regexp"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// seenSession is what the model saw of the session.
type seenSession struct {
	// cut are the results that are not as they were, by the id of their call, with the
	// reference in what stands there; it may be empty.
	cut map[string]string
	// gone are the calls that were sent and are not there.
	gone map[string]bool
	// refs are all references, in the order in which they stand.
	refs []string
}

// reference is what placeholders and receipts have.
var reference = regexp.MustCompile(`\bref[=:] ?"?([0-9a-z]{26})\b`)

// look compares what the model got with the first messages of the recording, which
// were sent.
func (s *session) look(c plimsoll.Conversation, upTo int) seenSession {
	v := seenSession{cut: map[string]string{}, gone: map[string]bool{}}
	met := map[string]bool{}
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.ToolResult:
				met[p.CallID] = true
				original, ours := s.results[p.CallID]
				if text := plimsoll.TextOf(p.Content); ours && text != original {
					v.cut[p.CallID] = v.note(text)
				}
			case plimsoll.Text:
				if !s.said[p.Text] {
					v.note(p.Text)
				}
			}
		}
	}
	for _, m := range s.messages[:upTo] {
		for _, c := range callsOf(m) {
			if !met[c.ID] {
				v.gone[c.ID] = true
			}
		}
	}
	return v
}

// note keeps the references of a text and returns the last, which is the one of a
// placeholder as a whole.
func (v *seenSession) note(text string) string {
	last := ""
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		last = found[1]
		if !slices.Contains(v.refs, last) {
			v.refs = append(v.refs, last)
		}
	}
	return last
}

// longest returns the references, those of the longest outputs first.
func (v seenSession) longest(s *session) []string {
	length := map[string]int{}
	for id, ref := range v.cut {
		length[ref] = len(s.results[id])
	}
	refs := slices.Clone(v.refs)
	slices.SortStableFunc(refs, func(a, b string) int { return length[b] - length[a] })
	return refs
}

// behind names what a reference stands for.
func (v seenSession) behind(ref string, s *session) string {
	for id, r := range v.cut {
		if r == ref {
			return describeCall(s.calls[id])
		}
	}
	return "earlier messages"
}

// Piece is something that was cut.
type Piece struct {
	// What was cut, such as "read_file keeper.go".
	What  string `json:"what"`
	Bytes int    `json:"bytes"`
	// Ref leads to it; empty if it was dropped with the messages around it.
	Ref string `json:"ref,omitempty"`
	// Message says that the message went with it.
	Message bool `json:"message,omitempty"`
}

// since returns what was cut that had not been in an earlier view, in the order in
// which it was recorded.
func (v seenSession) since(before seenSession, s *session) []Piece {
	var pieces []Piece
	for _, m := range s.messages {
		for _, c := range callsOf(m) {
			ref, cut := v.cut[c.ID]
			_, was := before.cut[c.ID]
			gone := v.gone[c.ID] && !before.gone[c.ID]
			if cut && !was || gone {
				pieces = append(pieces, Piece{What: describeCall(c), Bytes: len(s.results[c.ID]), Ref: ref, Message: gone})
			}
		}
	}
	return pieces
}

// known gathers references across requests.
type known struct{ refs map[string]bool }

func (k *known) add(v seenSession) (fresh []string) {
	for _, r := range v.refs {
		if !k.refs[r] {
			k.refs[r] = true
			fresh = append(fresh, r)
		}
	}
	return fresh
}

func (k *known) all() []string { return slices.Sorted(maps.Keys(k.refs)) }
