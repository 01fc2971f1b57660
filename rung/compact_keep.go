package rung

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/refname"
	"github.com/plimsoll/plimsoll/summary"
)

// keep decides which messages of the old part stay: protected ones and instructions, and
// for [Full] the user's messages within a third of the size. Of these the first and the
// newest always stay, as an excerpt if they are too long.
func (m *maker) keep() error {
	users := m.users()
	stays := map[int]bool{}
	for i := m.cp.Old.Start; i < m.cp.Old.End; i++ {
		if m.work.Protected(i) || m.message(i).Role.Instructs() {
			stays[i] = true
		}
	}
	if m.Layout == Full && m.size > 0 { // the notes of a chat have what the user said
		if err := m.keepUsers(users, stays); err != nil {
			return err
		}
	}
	for i := range stays {
		m.cp.Kept = append(m.cp.Kept, i)
	}
	slices.Sort(m.cp.Kept)
	m.cp.User = m.said(users, stays)
	return nil
}

// said returns the user's messages and excerpts in the new history, in order.
func (m *maker) said(users []int, stays map[int]bool) string {
	var said []string
	for _, i := range users {
		if stays[i] {
			said = append(said, m.message(i).Text())
		}
		for _, e := range m.excerpts {
			if e.Before == i {
				said = append(said, e.Text)
			}
		}
	}
	return strings.Join(said, "\n\n")
}

// users lists the messages of the old part in which the user speaks.
func (m *maker) users() []int {
	var users []int
	for i := m.cp.Old.Start; i < m.cp.Old.End; i++ {
		msg := m.message(i)
		uses := plimsoll.Has[plimsoll.ToolCall](msg) || plimsoll.Has[plimsoll.ToolResult](msg)
		if msg.Role == plimsoll.User && !uses && !plimsoll.IsReceipt(msg) && !summary.CheckpointAt(m.work.Draft().Original(), i) {
			users = append(users, i)
		}
	}
	return users
}

func (m *maker) keepUsers(users []int, stays map[int]bool) error {
	if len(users) == 0 {
		return nil
	}
	budget := m.size / 3
	for _, i := range users {
		if stays[i] {
			budget -= m.weight(i)
		}
	}
	first, last := users[0], users[len(users)-1]
	for _, i := range []int{first, last} {
		if stays[i] {
			continue
		}
		n := m.weight(i)
		if n > m.size/3 {
			if err := m.excerpt(i, m.size/6); err != nil {
				return err
			}
			n = m.size / 6
		} else {
			stays[i] = true
		}
		budget -= n
	}
	for k := len(users) - 1; k >= 0; k-- {
		i := users[k]
		if n := m.weight(i); !stays[i] && i != first && i != last && n <= budget {
			stays[i] = true
			budget -= n
		}
	}
	return nil
}

// excerpt replaces a message by its beginning and its end.
func (m *maker) excerpt(i, budget int) error {
	text := m.message(i).Text()
	if text == "" {
		return nil
	}
	ref, err := m.stow(plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text}))
	if err != nil {
		return err
	}
	note := "\n" + shortened + "]\n"
	if ref != "" {
		note = "\n" + shortened + wholeRef + refname.Ref + ref + "]\n"
	}
	short := shorten(text, note, budget, m.work.Count)
	m.excerpts = append(m.excerpts, summary.CheckpointMessage{Before: i, Role: plimsoll.User, Text: short})
	return nil
}

// The note in an excerpt.
const (
	shortened = "[plimsoll: shortened"
	wholeRef  = "; the whole message is "
)

// shorten keeps as much of both ends of a text as the budget allows, three quarters
// of it at the beginning.
func shorten(text, note string, budget int, count func(string) int) string {
	at := func(n int) string {
		head, tail := n*3/4, len(text)-n/4
		for head > 0 && !utf8.RuneStart(text[head]) {
			head--
		}
		for tail < len(text) && !utf8.RuneStart(text[tail]) {
			tail++
		}
		return text[:head] + note + text[tail:]
	}
	low, high := 0, len(text)-1
	for low < high {
		if n := (low + high + 1) / 2; count(at(n)) <= budget {
			low = n
		} else {
			high = n - 1
		}
	}
	return at(low)
}

func (m *maker) message(i int) plimsoll.Message { return m.work.Draft().Original().Messages.At(i) }

func (m *maker) weight(i int) int { return m.work.Before().Messages[i].Tokens }

// stow archives content and returns the id of its reference, or "" without an archive.
func (m *maker) stow(content plimsoll.List[plimsoll.Part]) (string, error) {
	ref, err := m.work.Archive(m.ctx, content)
	if err != nil || ref == nil {
		return "", err
	}
	return ref.ID, nil
}

// placeholderRef finds the reference at the end of an output that was cut before.
var placeholderRef = regexp.MustCompile(namedRef.String() + `\W*$`)

// namedRef finds references, but not the parameter of an address (?ref=…). In the user's
// messages only the notes of excerpts count.
var (
	anyMark    = refname.Mark + `([A-Za-z0-9_-]{8,64})`
	namedRef   = regexp.MustCompile(`(?:^|[\s(\[,;])` + anyMark)
	excerptRef = regexp.MustCompile(regexp.QuoteMeta(shortened+wholeRef) + anyMark + `\]`)
)

// refer lists the references that the checkpoint names, so that the archive keeps them
// as long as the checkpoint.
func (m *maker) refer() {
	m.named(excerptRef, m.cp.User)
	m.named(namedRef, m.cp.Ledger)
	m.named(namedRef, m.cp.Retain)
	m.named(namedRef, m.cp.Summary)
}

func (m *maker) named(kind *regexp.Regexp, text string) {
	for _, found := range kind.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(m.cp.Refs, found[1]) {
			m.cp.Refs = append(m.cp.Refs, found[1])
		}
	}
}

// refOf returns a function that finds the reference of a tool result, or nil without an
// archive.
func (m *maker) refOf() func(plimsoll.PartRef) (string, bool) {
	if !m.work.HasArchive() {
		return nil
	}
	return func(at plimsoll.PartRef) (string, bool) {
		result, ok := m.message(at.Message).Parts.At(at.Part).(plimsoll.ToolResult)
		if !ok || result.Content.Len() == 0 {
			return "", false
		}
		if result.Ref != nil {
			return result.Ref.ID, true
		}
		text := plimsoll.TextOf(result.Content)
		if found := placeholderRef.FindStringSubmatch(text[max(0, len(text)-200):]); found != nil {
			return found[1], true
		}
		id, err := m.stow(result.Content)
		return id, err == nil && id != ""
	}
}

// earlier is the content of an earlier checkpoint, and the end of its span. Notes are
// those of checkpoints among the messages: of any other, the messages are still there.
type earlier struct {
	end     int
	ledger  string
	notes   string
	summary summary.Summary
}

// earlierOf returns the checkpoint of an earlier request, or the last one among the old
// messages.
func (c *Compact) earlierOf(w *fit.Work, old plimsoll.Span) earlier {
	var e earlier
	whole := w.Draft().Original()
	messages := whole.Messages
	for i := old.Start; i < old.End; i++ {
		if !summary.CheckpointAt(whole, i) {
			continue
		}
		e.read(messages.At(i).Text())
		e.end = i + 1
	}
	if cp := w.Checkpoint(); cp != nil {
		e.end, e.ledger, e.summary = cp.Old.End, cp.Ledger, summary.Summary{Retain: cp.Retain, Text: cp.Summary, By: cp.By}
	}
	for e.end > 0 && e.end < old.End && afterCheckpoint(messages.At(e.end)) {
		e.end++
	}
	return e
}

func afterCheckpoint(m plimsoll.Message) bool {
	return m.Role == plimsoll.User && plimsoll.IsReceipt(m) || m.Role == plimsoll.Assistant && m.Text() == summary.SnapshotAnswer
}

// read reads one message of a checkpoint.
func (e *earlier) read(text string) {
	if ledger, ok := between(text, ledgerTag); ok && strings.HasPrefix(text, summary.CheckpointTag) {
		e.ledger = ledger
	}
	if notes, ok := between(text, notesTag); ok && strings.HasPrefix(text, summary.CheckpointTag) {
		e.notes = notes
	}
	if inside, ok := between(text, summary.RetainTag); ok {
		e.summary.Retain = inside
		return
	}
	if inside, ok := between(text, summary.SummaryTag); ok {
		e.summary.Text = inside
		return
	}
	start, end := strings.Index(text, summary.SnapshotTag), strings.LastIndex(text, closing(summary.SnapshotTag))
	if start >= 0 && end > start {
		e.summary.Text = text[start : end+len(closing(summary.SnapshotTag))]
	}
}

// between returns the text between a tag and the last tag that closes it.
func between(text, tag string) (string, bool) {
	start, end := strings.Index(text, tag), strings.LastIndex(text, closing(tag))
	if start < 0 || end < start {
		return "", false
	}
	return strings.Trim(text[start+len(tag):end], "\n"), true
}

func closing(tag string) string { return "</" + tag[1:] }
