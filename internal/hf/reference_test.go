package hf_test

import (
	"strings"
	"unicode/utf8"
)

// reference encodes by the rules, one by one and without any care for speed.
type reference struct {
	ids       map[string]uint32
	ranks     map[[2]string]int
	added     []added
	normalize func(text string) string
	// pieces cuts normalised text; first says that it stands at the start of the input.
	pieces func(text string, first bool) []string
	// symbols spells a piece in tokens.
	symbols func(piece string) []string
	// whole looks up pieces before merging.
	whole bool
}

// added is an added token as it stands in the file.
type added struct {
	ID         uint32 `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// encode takes added tokens as in a file in which either all of them or none are normalised, and
// none asks for stripping or word boundaries.
func (r *reference) encode(text string, special bool) []uint32 {
	ids := []uint32{}
	start := 0
	flush := func(end int) {
		if end > start {
			ids = append(ids, r.plain(text[start:end], start == 0)...)
		}
	}
	for at := 0; at < len(text); {
		a := r.longestAt(text[at:])
		if a == nil {
			at++
			continue
		}
		if special || !a.Special {
			flush(at)
			ids = append(ids, a.ID)
			start = at + len(a.Content)
		}
		at += len(a.Content)
	}
	flush(len(text))
	return ids
}

func (r *reference) longestAt(text string) *added {
	var best *added
	for i, a := range r.added {
		if strings.HasPrefix(text, a.Content) && (best == nil || len(a.Content) > len(best.Content)) {
			best = &r.added[i]
		}
	}
	return best
}

func (r *reference) plain(text string, first bool) []uint32 {
	var ids []uint32
	for _, piece := range r.pieces(r.normalize(text), first) {
		if r.whole {
			if id, ok := r.ids[strings.Join(r.symbols(piece), "")]; ok {
				ids = append(ids, id)
				continue
			}
		}
		for _, token := range r.merge(r.symbols(piece)) {
			ids = append(ids, r.ids[token])
		}
	}
	return ids
}

// merge joins the pair of the lowest rank, the leftmost of these, until there is none.
func (r *reference) merge(symbols []string) []string {
	ranks := make([]int, len(symbols)) // of each symbol and the next; -1 for none
	look := func(i int) {
		ranks[i] = -1
		if i+1 < len(symbols) {
			if rank, ok := r.ranks[[2]string{symbols[i], symbols[i+1]}]; ok {
				ranks[i] = rank
			}
		}
	}
	for i := range symbols {
		look(i)
	}
	for {
		at := -1
		for i, rank := range ranks {
			if rank >= 0 && (at < 0 || rank < ranks[at]) {
				at = i
			}
		}
		if at < 0 {
			return symbols
		}
		symbols[at] += symbols[at+1]
		symbols = append(symbols[:at+1], symbols[at+2:]...)
		ranks = append(ranks[:at+1], ranks[at+2:]...)
		look(at)
		if at > 0 {
			look(at - 1)
		}
	}
}

// byteChars spells bytes as GPT-2 does.
func byteChars(piece string) []string {
	var out []string
	for i := range len(piece) {
		out = append(out, byteChar(piece[i]))
	}
	return out
}

// byteChar counts: 33 bytes up to the space are hidden, then 34 from DEL on, then the soft hyphen.
// Hidden bytes are numbered from U+0100, the others are themselves.
func byteChar(b byte) string {
	switch {
	case b <= 32:
		return string(0x100 + rune(b))
	case b >= 127 && b <= 160:
		return string(0x121 + rune(b-127))
	case b == 173:
		return "\u0143"
	}
	return string(rune(b))
}

// speller spells characters: known ones as themselves, others by rule.
type speller struct {
	known    map[string]uint32
	fallback bool
	unknown  string // empty: drop
	fuse     bool
}

func (s speller) symbols(piece string) []string {
	var out []string
	fusing := false
	for len(piece) > 0 {
		r, n := utf8.DecodeRuneInString(piece)
		char := piece[:n]
		piece = piece[n:]
		_, ok := s.known[char]
		broken := r == utf8.RuneError && n == 1
		switch {
		case ok && !broken:
			out = append(out, char)
			fusing = false
		case s.fallback:
			for i := range len(char) {
				out = append(out, string(fallbackToken(char[i])))
			}
			fusing = false
		case s.unknown != "" && !(s.fuse && fusing):
			out = append(out, s.unknown)
			fusing = true
		default:
			fusing = true
		}
	}
	return out
}

func fallbackToken(b byte) string {
	const hex = "0123456789ABCDEF"
	return "<0x" + string(hex[b/16]) + string(hex[b%16]) + ">"
}
