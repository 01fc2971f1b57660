package token

import "github.com/plimsoll/plimsoll"

// scale weighs the pieces of conversations of one model and dialect. It has no
// state; what it returns is raw, before any calibration.
type scale struct {
	counter plimsoll.Counter
	framing Framing
	media   media
	// thought is what shown thinking is billed for, in percent of such a text.
	thought int
	// looseFrame says that the counter is exact for bare text, but that
	// this framing was not read off its provider's bills.
	looseFrame bool
	// model is the resolved name, under which calibration learns.
	model string
}

// message weighs a message; inList says that it is the result of a parallel call.
func (s *scale) message(m plimsoll.Message, inList bool) plimsoll.MessageLoad {
	w := plimsoll.MessageLoad{Framing: s.framing.Message, Parts: make([]int, m.Parts.Len())}
	if m.Name != "" && !s.framing.TextOnly {
		w.Framing += s.framing.Speaker + s.counter.Count(m.Name)
	}
	if inList {
		w.Framing = 0 // the results of parallel calls share the frame that the calls paid for
	}
	parallel := s.framing.typeScript && plimsoll.CountOf[plimsoll.ToolCall](m) > 1
	if parallel { // they are written as one call of a tool that takes a JSON list
		const frame = 16 // that tool's name, twice, and the frame of its one result
		w.Framing += frame + s.counter.Count(`{"tool_uses":[]}`)
	}
	w.Tokens = w.Framing
	for i, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok && parallel {
			w.Parts[i] = s.counter.Count(`{"recipient_name":"functions.` + c.Name + `","parameters":` + compactJSON(c.Arguments) + `}`)
		} else {
			w.Parts[i] = s.part(p, inList, &w.Guessed)
		}
		w.Tokens += w.Parts[i]
	}
	return w
}

// part weighs one part; inList says that it is the result of a parallel call.
func (s *scale) part(p plimsoll.Part, inList bool, guessed *int) int {
	switch p := p.(type) {
	case plimsoll.Text:
		return s.counter.Count(p.Text)
	case plimsoll.ToolCall:
		n := s.call(p)
		if s.looseFrame {
			*guessed += n
		}
		return n
	case plimsoll.ToolResult:
		return s.result(p, inList, guessed)
	case plimsoll.Reasoning:
		return s.reasoning(p, guessed)
	case plimsoll.Media:
		if s.framing.TextOnly {
			return 0
		}
		n := s.media.weigh(p)
		*guessed += n
		return n
	case plimsoll.Opaque:
		n := s.counter.Count(p.Raw)
		*guessed += n
		return n
	}
	return 0
}

func (s *scale) call(c plimsoll.ToolCall) int {
	switch {
	case s.framing.TextOnly:
		return 0
	case s.framing.typeScript:
		return s.framing.Call + s.counter.Count("functions."+c.Name) + s.counter.Count(c.Name) +
			s.counter.Count(compactJSON(c.Arguments))
	default:
		return s.framing.Call + s.counter.Count(c.Name) + s.counter.Count(c.Arguments)
	}
}

func (s *scale) result(r plimsoll.ToolResult, inList bool, guessed *int) int {
	n := s.framing.Result
	if s.looseFrame {
		*guessed += n
	}
	for _, p := range r.Content.All() {
		if t, ok := p.(plimsoll.Text); ok && inList {
			n += s.counter.Count(listElement(t.Text))
			continue
		}
		n += s.part(p, false, guessed)
	}
	return n
}

// reasoning weighs shown thinking. Withheld thinking is only there as a sealed
// text; its length is the best hint there is: base64 of encrypted text, at about
// four characters of plain text a token.
func (s *scale) reasoning(r plimsoll.Reasoning, guessed *int) int {
	switch {
	case s.framing.TextOnly:
		return 0
	case r.Text != "":
		return (s.counter.Count(r.Text)*s.thought + 99) / 100
	default:
		n := len(r.Signature) * 3 / 4 / 4
		*guessed += n
		return n
	}
}

// system weighs the instructions outside the messages.
func (s *scale) system(parts plimsoll.List[plimsoll.Part]) (w plimsoll.MessageLoad) {
	w.Tokens = s.framing.System
	for _, p := range parts.All() {
		w.Tokens += s.part(p, false, &w.Guessed)
	}
	return w
}

// tools weighs the tool declarations. How they are shown to a model is not published.
func (s *scale) tools(tools plimsoll.List[plimsoll.Tool]) (w plimsoll.MessageLoad) {
	w.Tokens = s.framing.Tools
	for _, t := range tools.All() {
		w.Tokens += s.tool(t)
	}
	w.Guessed = w.Tokens
	return w
}

func (s *scale) tool(t plimsoll.Tool) int {
	switch {
	case s.framing.TextOnly:
		return 0
	case t.Opaque != "":
		return s.framing.Tool + s.counter.Count(t.Opaque)
	case s.framing.typeScript:
		return s.framing.Tool + s.counter.Count(typeScript(t))
	default:
		return s.framing.Tool + s.counter.Count(t.Name) + s.counter.Count(t.Description) + s.counter.Count(t.Schema)
	}
}
