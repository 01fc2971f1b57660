package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// completion is a word that may stand where the cursor is.
type completion struct {
	// text is what is inserted, help what is shown behind it.
	text, help string
	// open says that the word may go on, such as a directory.
	open bool
}

// menu is what Tab offers. It is shown while a command is being typed, too; then
// nothing is chosen.
type menu struct {
	candidates []completion
	chosen     int
	// word is what was typed; it is replaced by what is chosen.
	word string
	// inserted is how many characters of a choice are in the input.
	inserted int
}

const nothingChosen = -1

// words is where candidates come from.
type words struct {
	participants func() []chat.Participant
	sessions     func() []string
	refs         func() []string
	dir          string
}

// complete finds the candidates for the text in front of the cursor. First says that
// it is the first row of the input.
func (w words) complete(left string, first bool) menu {
	word := left[strings.LastIndexAny(left, " \t")+1:]
	name, rest, isCommand := cutCommand(left, first)
	var all []completion
	switch {
	case isCommand && rest == "" && !strings.HasSuffix(left, " "):
		all = commandCandidates()
	case isCommand:
		all = w.arguments(name, word)
	case strings.HasPrefix(word, "@"):
		all = w.addresses()
	case strings.ContainsAny(word, "/.~"):
		all = w.files(word)
	}
	m := menu{word: word, chosen: nothingChosen}
	for _, c := range all {
		if strings.HasPrefix(c.text, word) && c.text != word {
			m.candidates = append(m.candidates, c)
		}
	}
	return m
}

// cutCommand splits "/name rest".
func cutCommand(left string, first bool) (name, rest string, ok bool) {
	if !first || !strings.HasPrefix(left, "/") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(left[1:], " ")
	return name, rest, true
}

func commandCandidates() []completion {
	var all []completion
	for _, c := range chat.Commands() {
		all = append(all, completion{text: "/" + c.Name, help: strings.TrimSpace(c.Arguments + "  " + c.Help)})
	}
	return all
}

// addresses are the names that a message can begin with.
func (w words) addresses() []completion {
	all := []completion{{text: "@all", help: "everybody"}}
	for _, p := range w.participants() {
		all = append(all, completion{text: "@" + p.Name, help: p.Model})
	}
	return all
}

// arguments are what may follow a command.
func (w words) arguments(name, word string) []completion {
	kind := chat.CompletesNothing
	for _, c := range chat.Commands() {
		if c.Name == name {
			kind = c.Completes
		}
	}
	var texts []string
	switch kind {
	case chat.CompletesFile:
		return w.files(word)
	case chat.CompletesSession:
		if w.sessions != nil {
			texts = w.sessions()
		}
		return append(asCandidates(texts), w.files(word)...)
	case chat.CompletesOff:
		texts = []string{"off"}
	case chat.CompletesMethod:
		texts = chat.Methods
	case chat.CompletesRef:
		texts = w.refs()
	case chat.CompletesParticipant:
		for _, p := range w.participants() {
			texts = append(texts, p.Name)
		}
	case chat.CompletesCommand:
		for _, c := range chat.Commands() {
			texts = append(texts, c.Name)
		}
	}
	return asCandidates(texts)
}

func asCandidates(texts []string) []completion {
	all := make([]completion, len(texts))
	for i, t := range texts {
		all[i] = completion{text: t}
	}
	return all
}

// files lists what a path may go on with. Hidden files are offered to those who
// begin with a dot.
func (w words) files(word string) []completion {
	dir, begun := "", word
	if at := strings.LastIndexByte(word, '/'); at >= 0 {
		dir, begun = word[:at+1], word[at+1:]
	}
	where := dir
	if home, ok := strings.CutPrefix(dir, "~/"); ok {
		if base, err := os.UserHomeDir(); err == nil {
			where = filepath.Join(base, home)
		}
	} else if !filepath.IsAbs(dir) {
		where = filepath.Join(w.dir, dir)
	}
	if where == "" {
		where = "."
	}
	listed, err := os.ReadDir(where)
	if err != nil {
		return nil
	}
	var all []completion
	for _, f := range listed {
		name := f.Name()
		if !strings.HasPrefix(name, begun) || strings.HasPrefix(name, ".") && !strings.HasPrefix(begun, ".") || strings.ContainsFunc(name, isBlankOrControl) {
			continue
		}
		c := completion{text: dir + name}
		if f.IsDir() {
			c.text, c.open = c.text+"/", true
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b completion) int { return strings.Compare(a.text, b.text) })
	return all
}

// isBlankOrControl reports characters that a name cannot have where it is typed
// between blanks.
func isBlankOrControl(r rune) bool { return r <= ' ' || r == 0x7f || line(string(r)) != string(r) }

// isOpen reports whether something was chosen by Tab.
func (m menu) isOpen() bool { return m.chosen != nothingChosen }

// endsWord reports whether what was chosen is a whole word.
func (m menu) endsWord() bool { return !m.candidates[m.chosen].open }

// step inserts what is next: the only candidate, what all have in common, or one
// after the other.
func (m *menu) step(in *input, by int) {
	n := len(m.candidates)
	if n == 0 {
		return
	}
	if !m.isOpen() {
		m.inserted = utf8.RuneCountInString(m.word)
		if common := m.common(); n > 1 && by > 0 && common != m.word {
			in.replaceLeft(m.inserted, common)
			m.word = common
			return
		}
		if by < 0 {
			m.chosen = n
		}
	}
	m.chosen = ((m.chosen+by)%n + n) % n
	c := m.candidates[m.chosen]
	text := c.text
	if n == 1 && !c.open {
		text += " "
	}
	in.replaceLeft(m.inserted, text)
	m.inserted = utf8.RuneCountInString(text)
	if n == 1 {
		*m = menu{chosen: nothingChosen}
	}
}

// common is the longest beginning of all candidates.
func (m menu) common() string {
	common := m.candidates[0].text
	for _, c := range m.candidates[1:] {
		for !strings.HasPrefix(c.text, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	return common
}

// draw shows some of the candidates around the chosen one.
func (m menu) draw(width, height int, t *theme) []string {
	n := len(m.candidates)
	height = min(height, n)
	if height < 1 {
		return nil
	}
	widest := 0
	for _, c := range m.candidates {
		widest = max(widest, ansi.StringWidth(line(c.text)))
	}
	widest = min(widest, width/2)
	from := max(0, min(m.chosen-height/2, n-height))
	var lines []string
	for i := from; i < from+height; i++ {
		c := m.candidates[i]
		text := ansi.Truncate(line(c.text), widest, "…")
		style := lipgloss.NewStyle()
		if i == m.chosen {
			style = t.chosen
		}
		row := "  " + style.Render(text) + strings.Repeat(" ", widest-ansi.StringWidth(text)+2) + t.faint.Render(line(t.lang.Lines(c.help)))
		more := ""
		if i == from+height-1 && n > height {
			more = t.lang.Say("  (" + grouped(n) + " in all)")
		}
		row = ansi.Truncate(row, max(0, width-ansi.StringWidth(more)), "…") + t.faint.Render(more)
		lines = append(lines, ansi.Truncate(row, width, ""))
	}
	return lines
}
