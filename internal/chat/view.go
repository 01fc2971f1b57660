package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// view is the conversation as one participant sees it. A turn is one message of the
// user's with what the participant itself answered behind it; what others answered
// stands in the user's message, with their names. So a turn stays one turn for the engine
// that cuts the conversation, however many models answered.
type view struct {
	system   string
	messages []plimsoll.Message
	// turns says which turn each message is of.
	turns []int
	// among says that the system prompt stands among the messages of a request, as the
	// first.
	among bool
}

// see returns the view of a participant. Of the turn that is being asked, if any
// (-1), no reply is shown.
func see(p Participant, all []Participant, s state, asking int) view {
	v := view{system: systemFor(p, all, s.settings.System)}
	v.among = v.system != "" && dialects.Codec(p.Dialect).Traits().SystemInMessages
	for i, t := range s.turns {
		switch {
		case t.Checkpoint != nil:
			for _, m := range t.Checkpoint.Messages {
				v.add(i, plimsoll.Say(m.Role, m.Text))
			}
		case i == asking:
			v.add(i, question(p, t, false))
		default:
			v.add(i, question(p, t, true))
			if own := t.reply(p.Name); own != nil {
				v.add(i, own.messages(p.Dialect)...)
			}
		}
	}
	return v
}

func (v *view) add(turn int, messages ...plimsoll.Message) {
	for _, m := range messages {
		v.messages = append(v.messages, m)
		v.turns = append(v.turns, turn)
	}
}

// turnOf returns which turn message i is of in a request of n messages; -1 for the
// system prompt. Requests may have more messages than the view: rounds of tools that the
// transport answers itself. They belong to turns before the newest.
func (v view) turnOf(i, n int) int {
	if v.among {
		i, n = i-1, n-1
	}
	if i < 0 || len(v.turns) == 0 {
		return -1
	}
	return v.turns[min(max(0, i-(n-len(v.turns))), len(v.turns)-1)]
}

// systemFor is the system prompt; where several take part it says who is who.
func systemFor(p Participant, all []Participant, system string) string {
	if len(all) < 2 {
		return system
	}
	var others []string
	for _, q := range all {
		if q.Name != p.Name {
			others = append(others, q.Name)
		}
	}
	roster := fmt.Sprintf("You are %s. Other models take part in this conversation: %s. What they answered stands in the user's messages, behind their names in brackets. [to NAME] marks what the user asked somebody else.",
		p.Name, strings.Join(others, ", "))
	if system == "" {
		return roster
	}
	return system + "\n\n" + roster
}

// question is what the participant sees of the person's message.
func question(p Participant, t Turn, answered bool) plimsoll.Message {
	var parts []plimsoll.Part
	for _, a := range t.Attached {
		parts = append(parts, a.part())
	}
	text := t.Question
	if !slices.Contains(t.To, p.Name) {
		text = "[to " + strings.Join(t.To, ", ") + "] " + text
	}
	parts = append(parts, plimsoll.Text{Text: text})
	for _, r := range t.Replies {
		if answered && r.Participant != p.Name && r.Text != "" {
			parts = append(parts, plimsoll.Text{Text: "[" + r.Participant + "] " + r.Text})
		}
	}
	return plimsoll.NewMessage(plimsoll.User, parts...)
}

func (a Attachment) part() plimsoll.Part {
	if a.Data != "" {
		return plimsoll.Media{Kind: plimsoll.Image, MIME: a.MIME, Data: a.Data}
	}
	return plimsoll.Text{Text: fmt.Sprintf("<file name=%q>\n%s\n</file>", a.Name, strings.TrimSuffix(a.Text, "\n"))}
}

// messages are the reply as its author sees it: whole in the dialect that it was given
// in, as text in any other.
func (r *Reply) messages(d plimsoll.Dialect) []plimsoll.Message {
	if len(r.Rounds) > 0 && r.Dialect == d {
		if request, err := dialects.Codec(d).Decode(r.Rounds); err == nil {
			return request.Conversation().Messages.Slice()
		}
	}
	if strings.TrimSpace(r.Text) == "" {
		return nil
	}
	return []plimsoll.Message{plimsoll.Say(plimsoll.Assistant, r.Text)}
}
