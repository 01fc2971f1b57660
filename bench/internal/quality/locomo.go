package quality

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Chat is a long conversation of two people, with questions about it.
type Chat struct {
	Name      string
	Questions []Question
	messages  []message
	// ids of the utterances in order, and what was said.
	ids  []string
	said map[string]string
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// The last message of a chat where no question is known, and the first where the other
// one begins to talk, because a request begins with the user.
const (
	opening = "May I ask you something about our earlier talks?"
	hello   = "Hello."
)

// Tuning are the chats that constants were chosen on. All others are for checking.
var Tuning = []string{"26", "30", "41", "42", "43"}

// ErrMissing means that the folder has no LoCoMo files.
var ErrMissing = errors.New("no LoCoMo files")

// Load reads the chats of a folder: locomo10.json, or a file for each chat.
func Load(dir string) ([]Chat, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if dir == "" || len(files) == 0 {
		return nil, fmt.Errorf("%w in %q: get data/locomo10.json of github.com/snap-research/locomo, put it into a folder, "+
			"and name the folder by --locomo or PLIMSOLL_LOCOMO (the data is not ours to ship)", ErrMissing, dir)
	}
	var chats []Chat
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := parse(data, strings.TrimSuffix(filepath.Base(file), ".json"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		chats = append(chats, found...)
	}
	return chats, nil
}

// parse reads one chat, or a list of samples that have one each.
func parse(data []byte, name string) ([]Chat, error) {
	var samples []struct {
		ID           string                     `json:"sample_id"`
		QA           json.RawMessage            `json:"qa"`
		Conversation map[string]json.RawMessage `json:"conversation"`
	}
	if json.Unmarshal(data, &samples) != nil {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		c, err := newChat(name, fields)
		return []Chat{c}, err
	}
	var chats []Chat
	for _, s := range samples {
		s.Conversation["qa"] = s.QA
		c, err := newChat(strings.TrimPrefix(s.ID, "conv-"), s.Conversation)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		chats = append(chats, c)
	}
	return chats, nil
}

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Photo   string `json:"blip_caption"`
}

// newChat joins the sessions to one conversation in which the first speaker is the user.
func newChat(name string, fields map[string]json.RawMessage) (Chat, error) {
	c := Chat{Name: name, said: map[string]string{}}
	var user string
	if err := json.Unmarshal(fields["speaker_a"], &user); err != nil {
		return c, fmt.Errorf("speaker_a: %w", err)
	}
	for n := 1; n < 100; n++ {
		session := fmt.Sprintf("session_%d", n)
		if fields[session] == nil {
			continue
		}
		var turns []turn
		var date string
		if err := json.Unmarshal(fields[session], &turns); err != nil {
			return c, fmt.Errorf("%s: %w", session, err)
		}
		if d := fields[session+"_date_time"]; d != nil {
			if err := json.Unmarshal(d, &date); err != nil {
				return c, fmt.Errorf("%s_date_time: %w", session, err)
			}
		}
		for i, t := range turns {
			c.say(t, user, date, i == 0)
		}
	}
	c.messages = append(c.messages, message{"user", opening})
	if c.messages[0].Role != "user" {
		c.messages = slices.Insert(c.messages, 0, message{"user", hello})
	}
	return c, c.ask(fields["qa"])
}

func (c *Chat) say(t turn, user, date string, first bool) {
	text := t.Text
	if t.Photo != "" {
		text += " [shares a photo: " + t.Photo + "]"
	}
	c.ids, c.said[t.ID] = append(c.ids, t.ID), text
	line := t.Speaker + ": " + text
	if first {
		line = "(" + date + ") " + line
	}
	role := "assistant"
	if t.Speaker == user {
		role = "user"
	}
	if last := len(c.messages) - 1; last >= 0 && c.messages[last].Role == role {
		c.messages[last].Content += "\n" + line
	} else {
		c.messages = append(c.messages, message{role, line})
	}
}

// ask reads the questions that have an answer.
func (c *Chat) ask(list json.RawMessage) error {
	var all []struct {
		Question string          `json:"question"`
		Answer   json.RawMessage `json:"answer"`
		Evidence []string        `json:"evidence"`
		Category int             `json:"category"`
	}
	if err := json.Unmarshal(list, &all); err != nil {
		return fmt.Errorf("qa: %w", err)
	}
	for _, q := range all {
		if q.Answer == nil || q.Category < 1 || q.Category > 4 {
			continue
		}
		answer := string(q.Answer) // a number
		if q.Answer[0] == '"' {
			if err := json.Unmarshal(q.Answer, &answer); err != nil {
				return fmt.Errorf("qa: %w", err)
			}
		}
		var evidence []string
		for _, id := range q.Evidence {
			if text, ok := c.said[id]; ok {
				evidence = append(evidence, text)
			}
		}
		question := newQuestion(q.Question, answer, evidence)
		question.ids = q.Evidence
		c.Questions = append(c.Questions, question)
	}
	return nil
}

// without is everything that was said but the evidence of a question.
func (c *Chat) without(q Question) string {
	var texts []string
	for _, id := range c.ids {
		if !slices.Contains(q.ids, id) {
			texts = append(texts, c.said[id])
		}
	}
	return strings.Join(texts, "\n")
}
