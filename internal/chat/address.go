package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll"
)

// everybody is the name of all participants together.
const everybody = "all"

// The signs that begin commands and addresses, as keys and as input methods write them.
var (
	slashes = []string{"/", "／"}
	ats     = []string{"@", "＠"}
)

// cutSign takes one of the signs off the front.
func cutSign(text string, signs []string) (rest string, ok bool) {
	for _, sign := range signs {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return rest, true
		}
	}
	return text, false
}

// CutCommand splits a line that is a command. Two slashes begin a message that begins
// with one.
func CutCommand(line string) (name, arguments string, ok bool) {
	rest, ok := cutSign(line, slashes)
	if _, twice := cutSign(rest, slashes); !ok || twice {
		return "", "", false
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		return rest, "", true
	}
	return rest[:end], strings.TrimSpace(rest[end:]), true
}

// address splits a message from those whom it addresses: names behind at signs in
// front of it. None means that it names no participant.
func address(line string, names []string) (to []string, text string, err error) {
	text = strings.TrimSpace(line)
	if rest, ok := cutSign(text, slashes); ok {
		if _, twice := cutSign(rest, slashes); twice {
			return nil, rest, nil
		}
	}
	for {
		rest, ok := cutSign(text, ats)
		if !ok {
			return to, text, nil
		}
		name := nameIn(rest, names)
		switch {
		case name == everybody:
			to = slices.Clone(names)
		case !slices.Contains(names, name):
			return nil, "", &plimsoll.Error{
				Op: "send", Code: plimsoll.CodeInvalid, Err: mistake{fmt.Errorf("no participant is called %q", name)},
				Hint: "address " + list(names) + " or @" + everybody + "; /model adds one",
			}
		case !slices.Contains(to, name):
			to = append(to, name)
		}
		text = strings.TrimSpace(strings.TrimLeft(rest[len(name):], ",:、，："))
	}
}

// nameIn is the name at the beginning of a text. Blanks and most signs end it, so that
// "@name、" needs no blank behind it; a full stop does if no name ends in one.
func nameIn(text string, names []string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("._-", r)
	})
	if end < 0 {
		end = len(text)
	}
	name := text[:end]
	if !slices.Contains(names, name) {
		name = strings.TrimRight(name, "._-")
	}
	return name
}

// list writes names as addresses.
func list(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "@"+name)
	}
	return strings.Join(all, ", ")
}
