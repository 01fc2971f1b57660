package demo

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// dialect says how one API is spoken.
type dialect struct {
	name plimsoll.Dialect
	// model that is asked for unless another is named.
	model string
	// empty is a request without messages, in which MODEL stands for the model.
	empty string
}

var spoken = []dialect{
	{plimsoll.Anthropic, "claude-sonnet-4-5", `{"model":MODEL,"max_tokens":4096,"stream":true,"messages":[]}`},
	{plimsoll.OpenAI, "gpt-5", `{"model":MODEL,"max_completion_tokens":4096,"stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
	{plimsoll.Responses, "gpt-5", `{"model":MODEL,"max_output_tokens":4096,"stream":true,"store":false,"input":[]}`},
	{plimsoll.Gemini, "gemini-2.5-flash", `{"generationConfig":{"maxOutputTokens":4096},"contents":[]}`},
}

// Dialects are those that a demonstration can be played in; the first is the default.
func Dialects() []plimsoll.Dialect {
	var all []plimsoll.Dialect
	for _, d := range spoken {
		all = append(all, d.name)
	}
	return all
}

func dialectOf(name plimsoll.Dialect) (dialect, error) {
	if name == "" {
		return spoken[0], nil
	}
	i := slices.IndexFunc(spoken, func(d dialect) bool { return d.name == name })
	if i < 0 {
		return dialect{}, &plimsoll.Error{
			Op: "demo", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("dialect %q is not known", name),
			Hint: fmt.Sprintf("choose one of %v", Dialects()),
		}
	}
	return spoken[i], nil
}

// clientHistory is a session as a client of one API has it: rendered once, so that every
// request begins with the bytes of the one before.
type clientHistory struct {
	head, tail []byte
	// elements of the list of messages, for each message of the session.
	elements [][][]byte
	// sent is what the elements are, to find out whether others are the same.
	sent map[string]bool
}

func render(s *session, d dialect, model string) (*clientHistory, error) {
	empty := strings.Replace(d.empty, "MODEL", strconv.Quote(model), 1)
	h := &clientHistory{sent: map[string]bool{}}
	frame, err := edited(d.name, empty, func(draft *plimsoll.Draft) error {
		for _, text := range s.system {
			draft.AddSystem(plimsoll.Text{Text: text}, plimsoll.Why{})
		}
		for _, t := range s.tools {
			draft.AddTool(t, plimsoll.Why{})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := frame.Layout().Messages
	h.head, h.tail = frame.Body()[:list.End-1], frame.Body()[list.End-1:]
	for n := range list.Items {
		h.sent[string(list.Items[n].Of(frame.Body()))] = true
	}
	for i, m := range s.messages {
		one, err := edited(d.name, empty, func(draft *plimsoll.Draft) error {
			_, err := draft.Insert(0, m, plimsoll.Why{})
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		var elements [][]byte
		for n := range one.Layout().Len() {
			elements = append(elements, one.Raw(n))
			h.sent[string(one.Raw(n))] = true
		}
		h.elements = append(h.elements, elements)
	}
	return h, nil
}

// edited decodes a body, edits it and decodes what became of it.
func edited(name plimsoll.Dialect, body string, edit func(*plimsoll.Draft) error) (*wire.Request, error) {
	codec := dialects.Codec(name)
	request, err := codec.Decode([]byte(body))
	if err != nil {
		return nil, err
	}
	draft := plimsoll.NewDraft(request.Conversation(), nil)
	if err := edit(draft); err != nil {
		return nil, err
	}
	written, err := request.Encode(draft)
	if err != nil {
		return nil, err
	}
	return codec.Decode(written)
}

// body is a request with the first n messages.
func (h *clientHistory) body(n int) []byte {
	all := bytes.Clone(h.head)
	begun := len(h.head) > 0 && h.head[len(h.head)-1] != '['
	for _, elements := range h.elements[:n] {
		for _, e := range elements {
			if begun {
				all = append(all, ',')
			}
			begun = true
			all = append(all, e...)
		}
	}
	return append(all, h.tail...)
}
