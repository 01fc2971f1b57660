package wire

import "github.com/plimsoll/plimsoll"

// words are short texts that were read, each in a place that its letters choose, so
// that ten thousand times "ok" is in memory once. A text in the place of another takes
// it.
type words [64]plimsoll.Part

// maxWord is how long a text may be that is shared, with its quotes.
const maxWord = 10

// word returns a text that takes some bytes if it is not there yet.
func (s *Scanner) word(text string, bytes int) plimsoll.Part {
	if s.words == nil {
		s.words = new(words)
	}
	hash := uint32(len(text))
	for i := range len(text) {
		hash = hash*31 + uint32(text[i])
	}
	place := &s.words[hash%uint32(len(s.words))]
	if known, ok := (*place).(plimsoll.Text); ok && known.Text == text {
		return *place
	}
	s.Spend(bytes)
	*place = plimsoll.Text{Text: text}
	return *place
}
