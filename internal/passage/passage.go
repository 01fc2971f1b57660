package passage

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// Passage is one line of what a person or the model said. A block of code is one passage
// of several lines.
type Passage struct {
	// Message is the position of the message that it comes from.
	Message int
	// Date is the header in force, such as "(8 May 2023)"; empty if there is none.
	Date string
	// Speaker is a name that the conversation uses as a label, else "User" or
	// "Assistant".
	Speaker string
	Text    string
}

const (
	user      = "User"
	assistant = "Assistant"
	// maxLine is the most bytes of prose in one passage.
	maxLine = 2000
	// maxLabel is the most characters of a speaker's label.
	maxLabel = 25
)

var (
	dateHeader = regexp.MustCompile(`^[(\[][^)\]]{0,60}\b[12]\d{3}\b[^)\]]{0,60}[)\]]`)
	// programTag begins a block that a program put into a message: a checkpoint, a
	// recollection, a note of the client.
	programTag = regexp.MustCompile(`^<(plimsoll_\w+|state_snapshot|retain|summary|ledger|tool_data|scratchpad|system-reminder|local-command-stdout|command-name|command-message)\b[^<>]*>`)
)

// Of returns the passages of the messages that want accepts, or of all if want is nil. It
// reads the text parts of users and the assistant. It leaves out receipts, checkpoints and
// what programs put into messages.
//
// A line may begin with a date in brackets, which holds until the next one, and with the
// label of a speaker. A label counts if at least three lines and 2 % of all lines have it.
func Of(c plimsoll.Conversation, want func(i int) bool) []Passage {
	r := reader{labels: map[string]int{user: 3, assistant: 3}}
	for i, m := range c.Messages.All() {
		if m.Role != plimsoll.User && m.Role != plimsoll.Assistant || want != nil && !want(i) || plimsoll.IsReceipt(m) {
			continue
		}
		speaker := user
		if m.Role == plimsoll.Assistant {
			speaker = assistant
		}
		r.read(i, speaker, m.Text())
	}
	for i := range r.all {
		p := &r.all[i]
		if label, rest := cutLabel(p.Text); label != "" && r.labels[label] >= max(3, len(r.all)/50) {
			p.Speaker, p.Text = label, rest
		}
	}
	return r.all
}

// reader collects passages. Their texts begin with the labels.
type reader struct {
	all    []Passage
	date   string
	labels map[string]int
}

func (r *reader) read(message int, speaker, text string) {
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSpace(line)
		if date := dateHeader.FindString(line); date != "" && !strings.HasPrefix(line[len(date):], "(") {
			r.date, line = date, strings.TrimSpace(line[len(date):])
		}
		if line == "" || strings.HasPrefix(line, plimsoll.ReceiptOpening) {
			continue
		}
		if tag := programTag.FindStringSubmatch(line); tag != nil {
			end := "</" + tag[1] + ">"
			if !strings.Contains(line, end) {
				_, text, _ = strings.Cut(text, end)
			}
			continue
		}
		label, body := cutLabel(line)
		if label != "" {
			r.labels[label]++
		}
		if marker := fence(body); marker != "" {
			var code string
			code, text = cutFence(text, marker)
			line += "\n" + code
		}
		for _, part := range shortLines(line) {
			r.all = append(r.all, Passage{message, r.date, speaker, part})
		}
	}
}

// cutLabel returns what may be the label of a speaker, and the text after it. The label is
// empty if there is none.
func cutLabel(line string) (label, rest string) {
	at := strings.IndexFunc(line[:min(len(line), (maxLabel+1)*utf8.UTFMax)], func(r rune) bool { return r == ':' || r == '：' })
	if at < 1 || utf8.RuneCountInString(line[:at]) > maxLabel {
		return "", line
	}
	_, mark := utf8.DecodeRuneInString(line[at:])
	rest = strings.TrimLeft(line[at+mark:], " \t\n\f\r")
	if len(rest) == len(line)-at-mark {
		return "", line
	}
	return line[:at], rest
}

// fence returns the marker that opens a block of code, or "".
func fence(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, mark) {
			return line[:n]
		}
	}
	return ""
}

// cutFence returns the code up to the closing marker, and the text after it. Code without
// an end reaches to the end of the text and gets its marker.
func cutFence(text, marker string) (code, rest string) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		end := at + len(line)
		if line = strings.TrimSpace(line); strings.HasPrefix(line, marker) && strings.Trim(line, marker[:1]) == "" {
			return text[:end], strings.TrimPrefix(text[end:], "\n")
		}
		at = end + 1
	}
	return text + "\n" + marker, ""
}

// shortLines splits a long line of prose at its sentences. It clips a sentence that is too
// long by itself.
func shortLines(line string) []string {
	if len(line) <= maxLine || isVerbatim(line) {
		return []string{line}
	}
	var parts []string
	for _, s := range SplitLine(nil, line) {
		if len(s) > maxLine {
			end := maxLine
			for end > maxLine-utf8.UTFMax && !utf8.RuneStart(s[end]) {
				end--
			}
			s = s[:end]
		}
		if last := len(parts) - 1; last >= 0 && len(parts[last])+1+len(s) <= maxLine {
			parts[last] += " " + s
		} else {
			parts = append(parts, s)
		}
	}
	return parts
}

// isVerbatim reports whether a text is code, a row of a table or JSON. Such a text is kept
// whole or not at all.
func isVerbatim(text string) bool {
	if strings.Contains(text, "\n") {
		return true
	}
	for _, opening := range [...]string{"|", "{", "}", "[{", `["`} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return strings.HasPrefix(text, `"`) && strings.Contains(text, `":`)
}
