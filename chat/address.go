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

// cutCommand splits a line that is a command. Two slashes begin a message that begins
// with one.
func cutCommand(line string) (name, arguments string, ok bool) {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok || strings.HasPrefix(rest, "/") {
		return "", "", false
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		return rest, "", true
	}
	return rest[:end], strings.TrimSpace(rest[end:]), true
}

// address splits a message from those whom it addresses: names behind at signs in
// front of it. None means that it names nobody.
func address(line string, names []string) (to []string, text string, err error) {
	text = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		return nil, "/" + rest, nil
	}
	for strings.HasPrefix(text, "@") {
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		name := strings.TrimRight(text[1:end], ",:、，：")
		switch {
		case name == everybody:
			to = slices.Clone(names)
		case !slices.Contains(names, name):
			return nil, "", &plimsoll.Error{
				Op: "send", Code: plimsoll.CodeInvalid, Err: mistake{fmt.Errorf("nobody here is called %q", name)},
				Hint: "address " + list(names) + " or @" + everybody + "; /model adds somebody",
			}
		case !slices.Contains(to, name):
			to = append(to, name)
		}
		text = strings.TrimSpace(text[end:])
	}
	return to, text, nil
}

// list writes names as addresses.
func list(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "@"+name)
	}
	return strings.Join(all, ", ")
}
