package summary

import (
	"fmt"
	"strings"
)

// tag is the position of a tag in a text.
type tag struct {
	name       string
	start, end int
	// alone says that the tag closes itself: <retain/>.
	alone bool
}

// maxTag is the most bytes that a tag may have with its attributes.
const maxTag = 300

// findTag finds the first tag of a name, or of "/" and a name, from a position on.
func findTag(text, name string, from int) (tag, bool) {
	return firstOf(text, []string{name}, from)
}

// tagAt reads the tag at a position, if it has the name.
func tagAt(text, name string, at int) (tag, bool) {
	after := at + 1 + len(name)
	if after >= len(text) || !strings.EqualFold(text[at+1:after], name) {
		return tag{}, false
	}
	rest := text[after:min(len(text), at+maxTag)]
	length := strings.IndexByte(rest, '>')
	if length < 0 || !strings.ContainsRune("> \t\r\n/", rune(rest[0])) || strings.Contains(rest[:length], "<") {
		return tag{}, false
	}
	alone := strings.HasSuffix(rest[:length], "/")
	return tag{name, at, after + length + 1, alone}, true
}

// lastClosing returns where the last closing tag of a name begins, or -1.
func lastClosing(text, name string) int {
	last := -1
	for from := 0; ; {
		t, ok := findTag(text, "/"+name, from)
		if !ok {
			return last
		}
		last, from = t.start, t.end
	}
}

// takeTag returns the inside of the first tag of a name, and the text without it. Without
// such a tag, the whole text is the rest.
func takeTag(text, name string) (inside, rest string, err error) {
	open, ok := findTag(text, name, 0)
	if !ok {
		return "", text, nil
	}
	if open.alone {
		return "", text[:open.start] + text[open.end:], nil
	}
	end, ok := findTag(text, "/"+name, open.end)
	if !ok {
		return "", "", notClosed(name)
	}
	return text[open.end:end.start], text[:open.start] + text[end.end:], nil
}

func notClosed(name string) error {
	return fmt.Errorf("%w: <%s> is not closed", errMalformed, name)
}

// withoutThoughts drops the model's thoughts. Thoughts without an end reach to the
// answer, or to the end. Inside the answer, they are text.
func withoutThoughts(reply string, f Format) string {
	answers := []string{snapshotTag}
	if f == Retained {
		answers = []string{retainTag, summaryTag}
	}
	begin := len(reply)
	if answer, ok := firstOf(reply, answers, 0); ok {
		begin = answer.start
	}
	var kept strings.Builder
	done := 0
	for {
		open, ok := firstOf(reply, thoughtTags, done)
		if !ok {
			break
		}
		end, closed := open, open.alone
		if !closed {
			end, closed = findTag(reply, "/"+open.name, open.end)
		}
		switch {
		case closed:
			kept.WriteString(reply[done:open.start])
			done = end.end
			if begin < done {
				begin = answerFrom(reply, answers, done)
			}
			continue
		case open.start < begin:
			kept.WriteString(reply[done:open.start])
			done = answerFrom(reply, answers, open.end)
		}
		break
	}
	kept.WriteString(reply[done:])
	return kept.String()
}

// answerFrom returns where the answer begins, from a position on.
func answerFrom(reply string, answers []string, from int) int {
	if answer, ok := firstOf(reply, answers, from); ok {
		return answer.start
	}
	return len(reply)
}

// firstOf finds the first tag of any of the names.
func firstOf(text string, names []string, from int) (tag, bool) {
	for i := from; ; i++ {
		next := strings.IndexByte(text[i:], '<')
		if next < 0 {
			return tag{}, false
		}
		i += next
		for _, name := range names {
			if t, ok := tagAt(text, name, i); ok {
				return t, true
			}
		}
	}
}
