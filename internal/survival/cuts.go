package survival

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// Cuts reads a file of sessions and assumes compactions in each: one whenever it has
// grown by 20,000 tokens, from 50,000 on. Each keeps the newest 20,000 tokens. What the
// tail shows is not needed. Summaries of recorded compactions are left out.
func Cuts(file string, reading Reading) ([]Event, error) {
	data, err := unzip(file)
	if err != nil {
		return nil, err
	}
	var all []Event
	number := 0
	add := func(session []byte) error {
		number++
		messages, err := parseMessages(session)
		if err != nil {
			return fmt.Errorf("%s: session %d: %w", file, number, err)
		}
		all = append(all, cuts(fmt.Sprintf("%d", number), messages, reading)...)
		return nil
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.Contains(first, []byte(`"messages"`)) { // the whole file is one session
		return all, add(data)
	}
	for line := range bytes.Lines(data) {
		if err := add(line); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parseMessages(session []byte) ([]plimsoll.Message, error) {
	parsed, err := transcript.Parse(session, transcript.Auto)
	if err != nil {
		return nil, err
	}
	var notes struct {
		Messages []struct {
			Summary bool `json:"compact_summary"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(session, &notes) // lines of a log have no such notes
	var messages []plimsoll.Message
	for i, m := range parsed.Conversations[0].Messages.All() {
		if i >= len(notes.Messages) || !notes.Messages[i].Summary {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

func cuts(session string, messages []plimsoll.Message, reading Reading) []Event {
	var all []Event
	sizes := make([]int, len(messages))
	size, next := 0, minBefore
	for i, m := range messages {
		if m.Role == plimsoll.Assistant && size >= next {
			next = size + step
			after := messages[i:]
			if countAssistant(after) < minAfter {
				break
			}
			old := oldPart(messages[:i], sizes)
			e := Event{Session: session, Old: plimsoll.Span{End: old}}
			e.Before.Messages = plimsoll.ListOf(messages[:i]...)
			if e.Needed = needed(messages[:old], messages[old:i], after, reading); len(e.Needed) >= minNeeded {
				all = append(all, e)
			}
		}
		sizes[i] = Estimate(Text(m, AsWritten))
		size += sizes[i]
	}
	return all
}

// oldPart returns how many messages a cut replaces. No result is kept without its call.
func oldPart(messages []plimsoll.Message, sizes []int) int {
	old, left := len(messages), keptTail
	for old > 0 && sizes[old-1] <= left {
		old--
		left -= sizes[old]
	}
	for old < len(messages) && plimsoll.Has[plimsoll.ToolResult](messages[old]) {
		old++
	}
	return old
}
