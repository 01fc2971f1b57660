package remote

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/summary"
)

// body writes the request. It is the caller's with one more message, if the prompt cache
// has its prefix or the prompt replaces its instructions. Else it is a plain request.
func (a asking) body(r *summary.Request) ([]byte, error) {
	if !a.native(r) {
		return a.plain(r), nil
	}
	d, err := draft(r)
	if err != nil {
		return nil, err
	}
	body, err := r.Encode(d)
	if err != nil {
		return nil, err
	}
	if held(body, r) {
		return a.plain(r), nil
	}
	return a.settle(body, r)
}

// native reports whether the conversation goes out in its own form: in its own dialect,
// to its own model. Another model has no cache of it, and would bill the tools. If the
// prompt replaces the instructions, or no tools go out, there is no prefix to share, but
// the format wants the messages.
func (a asking) native(r *summary.Request) bool {
	c := r.Conversation
	if r.Bare || r.Encode == nil || cmp.Or(c.Dialect, plimsoll.OpenAI) != a.dialect {
		return false
	}
	return r.Whole || a.model == meant(c.Model) || r.Prompt.System != ""
}

var why = plimsoll.Why{Rung: "compact", Reason: "asks for a summary"}

// draft returns the conversation as it was last sent, up to the end of the old part or
// whole. The message that asks for the summary follows.
func draft(r *summary.Request) (*plimsoll.Draft, error) {
	d := plimsoll.NewDraft(r.Conversation, nil)
	if r.Sent != nil {
		d = r.Sent()
	}
	n := r.Conversation.Messages.Len()
	end := r.Old.End
	if r.Whole {
		end = n
	}
	for i := end; i < n; i++ {
		if err := d.DropAlone(i, why); err != nil {
			return nil, err
		}
	}
	for _, in := range d.Inserted() {
		if in.Before >= end && end < n {
			if err := d.Withdraw(in.ID, why); err != nil {
				return nil, err
			}
		}
	}
	if err := closeCalls(d, end); err != nil {
		return nil, err
	}
	if r.Prompt.System != "" {
		if err := replaceInstructions(d, r); err != nil {
			return nil, err
		}
	}
	_, err := d.Insert(n, plimsoll.Say(plimsoll.User, summary.Ask(r)), why)
	return d, err
}

// closeCalls drops calls at the end that have no result, because APIs refuse them. The
// assistant's text beside them stays, as a message of its own.
func closeCalls(d *plimsoll.Draft, end int) error {
	var texts []plimsoll.Message
	for i := openFrom(d, end); i < end; i++ {
		m, there := d.Message(i)
		if !there {
			continue
		}
		if text := m.Text(); m.Role == plimsoll.Assistant && text != "" {
			texts = append(texts, plimsoll.Say(plimsoll.Assistant, text))
		}
		if err := d.DropAlone(i, why); err != nil {
			return err
		}
	}
	for _, m := range texts {
		if _, err := d.Insert(end, m, why); err != nil {
			return err
		}
	}
	return nil
}

// openFrom returns where the last round before the end begins, if one of its calls has no
// result there. Else it returns the end. Parallel calls may be separate messages, and so
// separate rounds.
func openFrom(d *plimsoll.Draft, end int) int {
	o, open := d.Outline(), map[int]bool{}
	for _, at := range slices.Concat(o.Pending, o.Dead) {
		open[at.Message] = true
	}
	for _, p := range o.Pairs {
		if p.Result.Message >= end {
			open[p.Call.Message] = true
		}
	}
	for _, turn := range o.Turns {
		if !turn.Contains(end - 1) {
			continue
		}
		for _, round := range slices.Backward(turn.Rounds) {
			switch {
			case round.Start >= end:
			case hasOpen(open, round.Span):
				end = round.Start
			default:
				return end
			}
		}
	}
	return end
}

func hasOpen(open map[int]bool, round plimsoll.Span) bool {
	for i := round.Start; i < round.End; i++ {
		if open[i] {
			return true
		}
	}
	return false
}

// replaceInstructions replaces the instructions of a dialect that has them among the
// messages. In other dialects they are a member of the request; see [asking.settle].
func replaceInstructions(d *plimsoll.Draft, r *summary.Request) error {
	if d := cmp.Or(r.Conversation.Dialect, plimsoll.OpenAI); d != plimsoll.OpenAI && d != plimsoll.Ollama {
		return nil
	}
	if err := d.Drop(plimsoll.Span{End: d.Outline().Head}, why); err != nil {
		return err
	}
	_, err := d.Insert(0, plimsoll.Say(plimsoll.System, summary.System(r)), why)
	return err
}

// plain writes a request of one message: the conversation as text, and what is
// asked for.
func (a asking) plain(r *summary.Request) []byte {
	bare := *r
	bare.Bare = true
	text := quoted("<conversation>\n" + summary.Transcript(r.Conversation, r.Old) + "\n</conversation>\n\n" + summary.Ask(&bare))
	output := strconv.Itoa(a.output(r))
	system := summary.System(&bare)
	if system != "" {
		system = quoted(system)
	}
	switch a.dialect {
	case plimsoll.Gemini:
		if system != "" {
			system = `"systemInstruction":{"parts":[{"text":` + system + `}]},`
		}
		return []byte(`{` + system + `"contents":[{"role":"user","parts":[{"text":` + text + `}]}],"generationConfig":{"maxOutputTokens":` + output + `}}`)
	case plimsoll.Anthropic:
		if system != "" {
			system = `"system":` + system + `,`
		}
		return []byte(`{"model":` + quoted(a.model) + `,"max_tokens":` + output + `,` + system + `"messages":[{"role":"user","content":` + text + `}]}`)
	case plimsoll.Responses:
		if system != "" {
			system = `"instructions":` + system + `,`
		}
		return []byte(`{"model":` + quoted(a.model) + `,` + system + `"input":[{"role":"user","content":` + text + `}],"max_output_tokens":` + output + `,"store":false}`)
	}
	if system != "" {
		system = `{"role":"system","content":` + system + `},`
	}
	limit := `"` + a.outputMember() + `":` + output
	if a.dialect == plimsoll.Ollama {
		limit = `"stream":false,"options":{"num_predict":` + output + `}`
	}
	return []byte(`{"model":` + quoted(a.model) + `,"messages":[` + system + `{"role":"user","content":` + text + `}],` + limit + `}`)
}

// outputMember is the name of Chat Completions' limit. OpenAI's newer models refuse
// the old name, and other servers do not know the new one.
func (a asking) outputMember() string {
	if a.base != nil && a.base.Hostname() == "api.openai.com" {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func quoted(text string) string { return string(rawjson.AppendQuote(nil, text)) }
