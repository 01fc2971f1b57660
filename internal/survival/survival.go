// Package survival measures what a compaction loses: which identifiers that the agent
// used in its next calls are still named by what replaced the old text. It reads
// recorded sessions in which a compaction took place. It is for tests, benchmarks and
// the lab, and knows nothing of how summaries are made: it has its own idea of what an
// identifier is, so that it can judge them.
package survival

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// The definition of the measure.
const (
	// horizon is how many assistant messages count as what came next.
	horizon = 60
	// minAfter is how many there must be.
	minAfter = 10
	// minBefore is how large the old text must be, by [Estimate].
	minBefore = 50_000
	// minNeeded is how many identifiers must be needed.
	minNeeded = 5
	// everywhere is the share of calls from which on an identifier is no test, such
	// as the working directory.
	everywhere = 0.4
	// keptTail is how much of the newest messages a cut keeps whole, and step how much
	// a session grows between two cuts, by [Estimate].
	keptTail = 20_000
	step     = 20_000
)

// Event is a compaction, recorded or assumed.
type Event struct {
	// Session names the session that it is of, for an assumed one.
	Session string
	// Before is the conversation up to the compaction.
	Before plimsoll.Conversation
	// Old is the part that is replaced. A recorded compaction replaces everything.
	Old plimsoll.Span
	// Summary is what a model wrote in its place.
	Summary string
	// Needed are the identifiers of the old text that the agent used afterwards,
	// before anything named them again.
	Needed []string
}

// Kept counts the needed identifiers that a text names: exactly, and by the base name
// of a path.
func (e Event) Kept(text string) (exact, lenient int) { return e.KeptOf(Atoms(text)) }

// KeptOf is Kept for a set of identifiers.
func (e Event) KeptOf(have map[string]bool) (exact, lenient int) {
	names := map[string]bool{}
	for a := range have {
		names[base(a)] = true
	}
	for _, a := range e.Needed {
		if have[a] {
			exact++
		}
		if have[a] || names[base(a)] {
			lenient++
		}
	}
	return exact, lenient
}

// Reading says how arguments of calls are read.
type Reading int

const (
	// AsWritten reads arguments as the JSON that they are, as the research does. A
	// name behind an escape has its letter before it.
	AsWritten Reading = iota
	// Decoded reads the texts inside the JSON.
	Decoded
)

// Events reads the compactions out of a file of sessions.
func Events(file string, reading Reading) ([]Event, error) {
	data, err := unzip(file)
	if err != nil {
		return nil, err
	}
	var all []Event
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		s, err := parseSession(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, s.events(reading, seen)...)
	}
	return all, nil
}

func unzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	data, err := io.ReadAll(bufio.NewReader(z))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

// session is a conversation with the places where it was compacted.
type session struct {
	conversation plimsoll.Conversation
	cuts         []int
}

func parseSession(line []byte) (session, error) {
	var notes struct {
		Messages []struct {
			Summary bool `json:"compact_summary"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(line, &notes); err != nil {
		return session{}, err
	}
	var s session
	for i, m := range notes.Messages {
		if m.Summary {
			s.cuts = append(s.cuts, i)
		}
	}
	if len(s.cuts) == 0 {
		return s, nil
	}
	parsed, err := transcript.Parse(line, transcript.JSON)
	if err != nil {
		return session{}, err
	}
	s.conversation = parsed.Conversations[0]
	if n := s.conversation.Messages.Len(); n != len(notes.Messages) {
		return session{}, fmt.Errorf("%d messages were read of %d", n, len(notes.Messages))
	}
	return s, nil
}

func (s session) events(reading Reading, seen map[string]bool) []Event {
	var all []Event
	messages := s.conversation.Messages.Slice()
	for n, cut := range s.cuts {
		end := len(messages)
		if n+1 < len(s.cuts) {
			end = s.cuts[n+1]
		}
		after := messages[cut+1 : end]
		summary := Text(messages[cut], AsWritten)
		key := string([]rune(summary)[:min(300, len([]rune(summary)))])
		if seen[key] || countAssistant(after) < minAfter {
			continue
		}
		seen[key] = true
		if sizeOf(messages[:cut], reading) < minBefore {
			continue
		}
		e := Event{Before: s.conversation, Summary: summary, Old: plimsoll.Span{End: cut}}
		e.Before.Messages = plimsoll.ListOf(messages[:cut]...)
		if e.Needed = needed(messages[:cut], nil, after, reading); len(e.Needed) >= minNeeded {
			all = append(all, e)
		}
	}
	return all
}

func countAssistant(messages []plimsoll.Message) int {
	n := 0
	for _, m := range messages {
		if m.Role == plimsoll.Assistant {
			n++
		}
	}
	return n
}

func sizeOf(messages []plimsoll.Message, reading Reading) int {
	size := 0
	for _, m := range messages {
		size += Estimate(Text(m, reading))
	}
	return size
}

// needed returns what was needed after a compaction that keeps a tail.
func needed(old, tail, after []plimsoll.Message, reading Reading) []string {
	known := map[string]bool{}
	used := map[string]int{}
	found, shown := map[string]bool{}, map[string]bool{}
	for i, m := range slices.Concat(old, tail) {
		for a := range Atoms(Text(m, reading)) {
			if i < len(old) {
				known[a] = true
			} else {
				shown[a] = true
			}
		}
		for _, call := range Calls(m, reading) {
			for a := range Atoms(call) {
				used[a]++
			}
		}
	}
	limit := everywhere * float64(countAssistant(old)+countAssistant(tail))
	var need []string
	calls := 0
	for _, m := range after {
		if m.Role == plimsoll.Assistant {
			if calls++; calls > horizon {
				break
			}
			for _, call := range Calls(m, reading) {
				for a := range Atoms(call) {
					if known[a] && !shown[a] && !found[a] && float64(used[a]) < limit {
						found[a] = true
						need = append(need, a)
					}
				}
			}
		}
		for a := range Atoms(Text(m, reading)) {
			shown[a] = true
		}
	}
	slices.Sort(need)
	return need
}

// Calls returns the calls of an assistant's message as texts.
func Calls(m plimsoll.Message, reading Reading) []string {
	var calls []string
	for _, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok && m.Role == plimsoll.Assistant {
			calls = append(calls, c.Name+" "+argumentsOf(c, reading))
		}
	}
	return calls
}

// Text returns what a message says: texts, calls and results, no thinking.
func Text(m plimsoll.Message, reading Reading) string {
	var texts []string
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			texts = append(texts, p.Text)
		case plimsoll.ToolCall:
			texts = append(texts, p.Name+" "+argumentsOf(p, reading))
		case plimsoll.ToolResult:
			texts = append(texts, plimsoll.TextOf(p.Content))
		}
	}
	return strings.Join(texts, "\n")
}

func argumentsOf(c plimsoll.ToolCall, reading Reading) string {
	var value any
	if json.Unmarshal([]byte(c.Arguments), &value) != nil {
		return c.Arguments
	}
	var b strings.Builder
	if reading == Decoded {
		writeTexts(&b, value)
		return b.String()
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return c.Arguments
	}
	return b.String()
}

// writeTexts writes the keys and texts of a JSON value, one to a line.
func writeTexts(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, item := range v {
			writeTexts(b, item)
		}
	case map[string]any:
		for key, item := range v {
			b.WriteString(key + "\n")
			writeTexts(b, item)
		}
	}
}
