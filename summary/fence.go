package summary

import (
	"strings"
	"unicode/utf8"
)

// fenceTag is the tag that fence writes.
const fenceTag = "tool_data"

// maxOrigin is the most bytes of an origin that a fence shows.
const maxOrigin = 120

// fence returns text that came from a tool as data, between tags that name the tool.
// Nothing in the text or the origin can close the fence or open another tag. The same
// text always gives the same fence, so that prompts stay cacheable. Fencing a fenced text
// does not escape it again.
func fence(origin, text string) string {
	origin = strings.Join(strings.Fields(strings.ReplaceAll(escape(origin), `"`, "'")), " ")
	return "<" + fenceTag + ` origin="` + clip(origin, maxOrigin) + "\">\n" +
		strings.Trim(escape(text), "\n") + "\n</" + fenceTag + ">"
}

// escape makes text that holds no tags: angle brackets become entities, and
// characters that hide or reorder what a reader sees are dropped. An ampersand stays
// as it is, so that escaping twice is escaping once.
func escape(text string) string {
	if !strings.ContainsFunc(text, special) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/16)
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case !special(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// special reports whether escape changes a character.
func special(r rune) bool {
	switch {
	case r == '<', r == '>', r == utf8.RuneError, r == 0x7f:
		return true
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x202a:
		return false
	}
	reorders := r <= 0x202e || r >= 0x2066 && r <= 0x2069
	hides := r >= 0xe0000 && r <= 0xe007f
	return reorders || hides
}

// clip shortens a text to at most n bytes, at the border of a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:max(n, 0)] + "…"
}
