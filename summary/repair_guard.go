package summary

import (
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll"
)

// guard knows which sentences of a summary only tools said. A model may read an
// instruction in a file and repeat it as a goal of the user. The guard compares
// sentences by their words alone: names, numbers and paths may come from tools.
type guard struct {
	windows map[uint64]*attribution
	short   map[string]*attribution
}

// attribution says who said a sentence.
type attribution struct {
	// tool is the name of a tool that did, or empty.
	tool        string
	user, agent bool
}

// Sentences are compared by windows of so many bytes of letters: five or six English
// words, eight Chinese characters. Shorter ones are compared whole.
const (
	guardWindow = 24
	guardLeast  = 12
)

// trust says who must have said a sentence so that a section may have it.
type trust int

const (
	// trustUser: only what the user or the instructions said.
	trustUser trust = iota
	// trustAgent: what the agent said too.
	trustAgent
	// trustData: as before, and short sentences are let through. It is for sections
	// that tell what happened.
	trustData
)

// newGuard returns a guard for the sentences of a summary.
func newGuard(r *Request, sentences []string) *guard {
	g := &guard{map[uint64]*attribution{}, map[string]*attribution{}}
	for _, s := range sentences {
		letters := lettersOf(unmarked(s))
		switch {
		case len(letters) >= guardWindow:
			eachWindow(letters, guardWindow, func(hash uint64) { g.windows[hash] = &attribution{} })
		case len(letters) >= guardLeast:
			g.short[letters] = &attribution{}
		}
	}
	if len(g.windows)+len(g.short) > 0 {
		g.readConversation(r)
	}
	return g
}

// readConversation finds out who said the sentences.
func (g *guard) readConversation(r *Request) {
	for _, p := range r.Conversation.System.All() {
		if t, ok := p.(plimsoll.Text); ok {
			g.attribute(t.Text, byUser)
		}
	}
	origins := toolNames(r.Conversation, r.Old)
	for i, m := range r.Conversation.Messages.All() {
		for j, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				g.attributeText(m.Role, p.Text)
			case plimsoll.ToolCall:
				g.attribute(p.Arguments, byAgent)
			case plimsoll.ToolResult:
				if r.Old.Contains(i) {
					g.attribute(plimsoll.TextOf(p.Content), byTool(origins[plimsoll.PartRef{Message: i, Part: j}]))
				}
			}
		}
	}
	g.attributeText(plimsoll.User, r.Previous.Retain)
	g.attributeText(plimsoll.User, r.Previous.Text)
}

// attributeText finds the sentences in a text of a role. A summary was guarded when it was
// made: its fences hold words of tools, and the rest counts as the user's.
func (g *guard) attributeText(role plimsoll.Role, text string) {
	switch role {
	case plimsoll.Assistant:
		g.attribute(text, byAgent)
	case plimsoll.ToolRole:
		g.attribute(text, byTool("tool"))
	default:
		b := body{text: text}.split()
		g.attribute(b.text, byUser)
		for _, f := range b.data {
			g.attribute(f.text, byTool(f.origin))
		}
	}
}

func byUser(w *attribution)  { w.user = true }
func byAgent(w *attribution) { w.agent = true }

func byTool(name string) func(*attribution) {
	return func(w *attribution) {
		if w.tool == "" {
			w.tool = name
		}
	}
}

// attribute notes who said the sentences that a text has.
func (g *guard) attribute(text string, note func(*attribution)) {
	letters := lettersOf(text)
	eachWindow(letters, guardWindow, func(hash uint64) {
		if w, ok := g.windows[hash]; ok {
			note(w)
		}
	})
	for s, w := range g.short {
		if strings.Contains(letters, s) {
			note(w)
		}
	}
}

// toolOf returns the tool that said a sentence, and reports whether no trusted speaker
// said it too.
func (g *guard) toolOf(sentence string, t trust) (string, bool) {
	letters := lettersOf(unmarked(sentence))
	if w, ok := g.short[letters]; ok && t != trustData && w.only(t) {
		return w.tool, true
	}
	var tool string
	eachWindow(letters, guardWindow, func(hash uint64) {
		if w, ok := g.windows[hash]; ok && tool == "" && w.only(t) {
			tool = w.tool
		}
	})
	return tool, tool != ""
}

// only reports that a tool said it and no trusted speaker did.
func (w *attribution) only(t trust) bool {
	return w.tool != "" && !w.user && (t == trustUser || !w.agent)
}

// unmarked returns a line without its bullet and the state of a plan's step.
func unmarked(line string) string {
	line = strings.TrimLeft(line, "-*•0123456789. \t")
	if state, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(state, "[") && len(state) <= len("[IN PROGRESS") {
		return rest
	}
	return line
}

// lettersOf returns the words of a text in lower case, one behind the other. Words
// with digits, marks or capitals inside are names and left out.
func lettersOf(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(escape(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_./-", r)
	}) {
		word = strings.Trim(word, "_./-")
		if !isNameLike(word) {
			b.WriteString(strings.ToLower(word))
		}
	}
	return b.String()
}

func isNameLike(word string) bool {
	lower := false
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || lower && unicode.IsUpper(r) {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// pieces cuts a line into sentences. Together they are the line.
func pieces(line string) []string {
	var all []string
	start, ended := 0, false
	for i, r := range line {
		if ended && r != '.' && r != '!' && r != '?' {
			if unicode.IsSpace(r) {
				continue
			}
			all, start, ended = append(all, line[start:i]), i, false
		}
		switch r {
		case '。', '！', '？':
			ended = true
		case '.', '!', '?':
			ended = i+1 < len(line) && strings.ContainsRune(" \t.!?", rune(line[i+1]))
		}
	}
	return append(all, line[start:])
}
