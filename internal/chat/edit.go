package chat

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// The text that is edited has a heading before each message: a rule, the turn and who
// speaks. What stands in the text and looks like a heading is indented by a space.
const (
	headingMark = "=== "
	editIntro   = "# Shorten what you like and delete what is not needed, with its heading.\n# Headings say turn and speaker. Lines above the first heading do not count.\n\n"
	you         = "you"
)

// edit lets the person shorten the conversation, or one turn, by hand.
func (e *Engine) edit(ctx context.Context, arguments string, tell func(Event)) error {
	s := e.snapshot()
	if len(s.turns) == 0 {
		return wrong("edit", "write a message", "there is nothing to edit")
	}
	first, last := 0, len(s.turns)
	if arguments != "" {
		i, err := turnIndex("edit", arguments, s.turns)
		if err != nil {
			return err
		}
		first, last = i, i+1
	}
	e.mu.Lock()
	open := e.desk.Edit
	e.mu.Unlock()
	if open == nil {
		return wrong("edit", "run the chat in a terminal and set EDITOR", "there is no editor here")
	}
	was := editText(s.turns, first, last)
	text, err := open(ctx, was)
	if err != nil {
		return &plimsoll.Error{Op: "/edit", Err: err, Hint: "set EDITOR to a program that edits a file and then ends"}
	}
	if text == was {
		done(tell, "nothing was changed")
		return nil
	}
	edited, err := parseEdit(text, s.turns, first, last)
	if err != nil {
		return err
	}
	turns := append(append([]Turn{}, s.turns[:first]...), edited...)
	turns = append(turns, s.turns[last:]...)
	if err := e.commit(record{Kind: recordTurns, What: "edit", Turns: turns}); err != nil {
		return err
	}
	done(tell, "edited: %s left; /retry asks again, /undo takes it back", plural(len(turns), "turn"))
	return nil
}

// editText writes turns for an editor.
func editText(turns []Turn, first, last int) string {
	var b strings.Builder
	b.WriteString(editIntro)
	entry := func(turn int, speaker, text string) {
		fmt.Fprintf(&b, "%s%d %s\n", headingMark, turn+1, speaker)
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(strings.TrimLeft(line, " "), strings.TrimSpace(headingMark)) {
				line = " " + line
			}
			b.WriteString(line + "\n")
		}
	}
	for i := first; i < last; i++ {
		t := turns[i]
		if t.Checkpoint != nil {
			for n, m := range t.Checkpoint.Messages {
				entry(i, "summary-"+strconv.Itoa(n+1), m.Text)
			}
			continue
		}
		entry(i, you, t.Question)
		for _, r := range t.Replies {
			if r.Text != "" {
				entry(i, r.Participant, r.Text)
			}
		}
	}
	return b.String()
}

// entries reads what editText wrote: the texts by turn and speaker.
func entries(text string) (map[int]map[string]string, error) {
	all := map[int]map[string]string{}
	var lines []string
	var put func()
	lineNumber := 0
	in := bufio.NewScanner(strings.NewReader(text))
	in.Buffer(nil, len(text)+1)
	for in.Scan() {
		line := in.Text()
		lineNumber++
		heading, ok := strings.CutPrefix(line, headingMark)
		if !ok {
			if strings.HasPrefix(strings.TrimLeft(line, " "), strings.TrimSpace(headingMark)) {
				line = strings.TrimPrefix(line, " ")
			}
			lines = append(lines, line)
			continue
		}
		if put != nil {
			put()
		}
		lines = nil
		number, speaker, _ := strings.Cut(strings.TrimSpace(heading), " ")
		n, err := strconv.Atoi(number)
		if err != nil || speaker == "" {
			return nil, wrong("edit", "a heading is \"=== TURN SPEAKER\"; nothing was changed", "line %d is no heading: %q", lineNumber, line)
		}
		put = func() {
			if all[n-1] == nil {
				all[n-1] = map[string]string{}
			}
			all[n-1][speaker] = strings.Trim(strings.Join(lines, "\n"), "\n")
		}
	}
	if put != nil {
		put()
	}
	return all, in.Err()
}

// parseEdit returns the turns as they were edited. What has no heading any more is
// gone; a turn without its question is gone whole.
func parseEdit(text string, turns []Turn, first, last int) ([]Turn, error) {
	all, err := entries(text)
	if err != nil {
		return nil, err
	}
	var out []Turn
	for i := first; i < last; i++ {
		texts, t := all[i], turns[i]
		if t.Checkpoint != nil {
			if cp := editedCheckpoint(t.Checkpoint, texts); cp != nil {
				out = append(out, Turn{Checkpoint: cp})
			}
			continue
		}
		asked, ok := texts[you]
		if !ok || asked == "" && len(t.Attached) == 0 {
			continue
		}
		t.Question = asked
		t.Replies = editedReplies(t.Replies, texts)
		out = append(out, t)
	}
	return out, nil
}

func editedCheckpoint(cp *Checkpoint, texts map[string]string) *Checkpoint {
	edited := *cp
	edited.Messages = nil
	for n, m := range cp.Messages {
		if text := texts["summary-"+strconv.Itoa(n+1)]; text != "" {
			m.Text = text
			edited.Messages = append(edited.Messages, m)
		}
	}
	if len(edited.Messages) == 0 {
		return nil
	}
	return &edited
}

// editedReplies are the replies that are left. One that was changed is only text from
// then on.
func editedReplies(replies []Reply, texts map[string]string) []Reply {
	var out []Reply
	for _, r := range replies {
		text, ok := texts[r.Participant]
		switch {
		case r.Text == "":
		case !ok || text == "":
			continue
		case text != strings.Trim(r.Text, "\n"):
			r.Text, r.Rounds = text, nil
		}
		out = append(out, r)
	}
	return out
}
