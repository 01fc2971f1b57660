package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Turn is one message of the person with all replies to it, or a checkpoint that
// stands for older turns.
type Turn struct {
	Question string       `json:"question,omitempty"`
	Attached []Attachment `json:"attached,omitempty"`
	// To names who was asked.
	To      []string  `json:"to,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Replies []Reply   `json:"replies,omitempty"`
	// Pinned says that no cut may touch it.
	Pinned bool `json:"pinned,omitempty"`
	// Checkpoint, if not nil, is all that the turn is.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}

// Reply is what one participant answered.
type Reply struct {
	Participant string           `json:"participant"`
	Model       string           `json:"model"`
	Dialect     plimsoll.Dialect `json:"dialect"`
	// Text is what was said, without calls of tools.
	Text string `json:"text"`
	// Rounds is a request of the dialect that holds the reply whole, with calls and
	// results; empty if it is only text.
	Rounds json.RawMessage `json:"rounds,omitempty"`
	Usage  plimsoll.Usage  `json:"usage,omitzero"`
	// Failure says why the reply is missing or not whole; empty if it is.
	Failure string `json:"failure,omitempty"`
}

// Attachment is a file that goes with a message.
type Attachment struct {
	Name string `json:"name"`
	// Text is its content, if it is text; else MIME says what it is and Data is the
	// content in base64.
	Text string `json:"text,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data string `json:"data,omitempty"`
}

// Checkpoint stands for older turns.
type Checkpoint struct {
	// Turns is how many it stands for.
	Turns int `json:"turns"`
	// Ref is where they can be read; empty without a store.
	Ref      string              `json:"ref,omitempty"`
	Messages []CheckpointMessage `json:"messages"`
}

// CheckpointMessage is a message of a checkpoint.
type CheckpointMessage struct {
	Role plimsoll.Role `json:"role"`
	Text string        `json:"text"`
}

// reply returns what a participant answered, or nil.
func (t *Turn) reply(name string) *Reply {
	for i := range t.Replies {
		if t.Replies[i].Participant == name {
			return &t.Replies[i]
		}
	}
	return nil
}

// withReply returns the turn with a reply instead of the participant's former
// one, and with all replies in the order in which they were asked for. The turn itself
// is not changed.
func (t Turn) withReply(r Reply) Turn {
	t.Replies = slices.Clone(t.Replies)
	if old := t.reply(r.Participant); old != nil {
		*old = r
	} else {
		t.Replies = append(t.Replies, r)
	}
	slices.SortStableFunc(t.Replies, func(a, b Reply) int {
		return cmp.Compare(slices.Index(t.To, a.Participant), slices.Index(t.To, b.Participant))
	})
	return t
}

// settings are what can be changed in a session.
type settings struct {
	Participants []string `json:"participants"`
	System       string   `json:"system,omitempty"`
	Method       string   `json:"method,omitempty"`
	Limit        int      `json:"limit,omitempty"`
}

// state is a session as its records leave it.
type state struct {
	settings settings
	// title is what the conversation began with.
	title string
	turns []Turn
	undo  []change
}

// change is what an undo takes back.
type change struct {
	what string
	// before are the turns as they were, after is how many there were then.
	before []Turn
	after  int
}

// The kinds of records.
const (
	recordSettings = "settings"
	recordAsk      = "ask"
	recordPiece    = "piece"
	recordReply    = "reply"
	recordTurns    = "turns"
	recordUndo     = "undo"
	recordPin      = "pin"
)

// record is one line of a session. A session is what its records make of nothing.
type record struct {
	Kind     string    `json:"kind"`
	At       time.Time `json:"at"`
	Settings *settings `json:"settings,omitempty"`
	// Turn is what is asked, or that which is pinned.
	Turn *Turn `json:"turn,omitempty"`
	// Index is the turn that a reply or a pin is for.
	Index int    `json:"index,omitempty"`
	Reply *Reply `json:"reply,omitempty"`
	// What names the command that made Turns take the place of all turns.
	What  string `json:"what,omitempty"`
	Turns []Turn `json:"turns,omitempty"`
}

// apply changes the state as a record says. Turns that were handed out stay as they
// were.
func (s *state) apply(r record) {
	switch r.Kind {
	case recordSettings:
		if r.Settings != nil {
			s.settings = *r.Settings
		}
	case recordAsk:
		if r.Turn != nil {
			if len(s.turns) == 0 {
				s.title = r.Turn.Question
			}
			s.turns = append(slices.Clip(s.turns), *r.Turn)
		}
	case recordPiece, recordReply:
		s.reply(r)
	case recordTurns:
		s.undo = append(s.undo, change{r.What, s.turns, len(r.Turns)})
		s.turns = r.Turns
	case recordUndo:
		s.takeBack()
	case recordPin:
		if r.Index >= 0 && r.Index < len(s.turns) && r.Turn != nil {
			s.turns = slices.Clone(s.turns)
			s.turns[r.Index].Pinned = r.Turn.Pinned
		}
	}
}

func (s *state) reply(r record) {
	if r.Reply == nil || r.Index < 0 || r.Index >= len(s.turns) {
		return
	}
	reply := *r.Reply
	if old := s.turns[r.Index].reply(reply.Participant); r.Kind == recordPiece && old != nil {
		reply.Text = old.Text + reply.Text
	}
	s.turns = slices.Clone(s.turns)
	s.turns[r.Index] = s.turns[r.Index].withReply(reply)
}

// takeBack undoes the newest change; what was said since stays.
func (s *state) takeBack() {
	if len(s.undo) == 0 {
		return
	}
	last := s.undo[len(s.undo)-1]
	s.undo = s.undo[:len(s.undo)-1]
	since := s.turns[min(last.after, len(s.turns)):]
	s.turns = slices.Concat(last.before, since)
}
