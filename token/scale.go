package token

import "github.com/plimsoll/plimsoll"

// scale weighs the pieces of conversations of one model and dialect. It has no
// state; what it returns is raw, before any calibration.
type scale struct {
	counter plimsoll.Counter
	framing Framing
	vision  vision
	// thought is what shown thinking is billed for, in percent of such a text.
	thought int
	// looseFrame says that the counter is exact for bare text, but that
	// this framing was not read off its provider's bills.
	looseFrame bool
	// model is the resolved name, under which calibration learns.
	model string
	// key tells the scales of one meter apart in its memo.
	key uint64
}

// inList reports whether a message is the result of one of several calls, which are weighed
// as the elements of a list.
func (s *scale) inList(siblings int) bool { return siblings > 1 && s.framing.Style == StyleOpenAI }

// weight is the raw weight of a message. Guessed is the share that comes from
// formulas for media and declarations rather than from the counter.
type weight struct {
	framing int
	guessed int
	parts   []int
}

func (w weight) tokens() int {
	n := w.framing
	for _, p := range w.parts {
		n += p
	}
	return n
}

// message weighs a message; inList says that it is the result of a parallel call.
func (s *scale) message(m plimsoll.Message, inList bool) weight {
	w := weight{framing: s.framing.Message, parts: make([]int, m.Parts.Len())}
	if m.Name != "" && s.framing.Style != StyleTextOnly {
		w.framing += s.framing.Speaker + s.counter.Count(m.Name)
	}
	if inList {
		w.framing = 0 // the results of parallel calls share the frame that the calls paid for
	}
	for i, p := range m.Parts.All() {
		w.parts[i] = s.part(p, inList, &w.guessed)
	}
	if s.framing.Style == StyleOpenAI && plimsoll.CountOf[plimsoll.ToolCall](m) > 1 {
		s.parallel(m, &w)
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
		if s.framing.Style == StyleTextOnly {
			return 0
		}
		n := s.vision.weigh(p)
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
	switch s.framing.Style {
	case StyleTextOnly:
		return 0
	case StyleOpenAI:
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
	case s.framing.Style == StyleTextOnly:
		return 0
	case r.Text != "":
		return (s.counter.Count(r.Text)*s.thought + 99) / 100
	default:
		n := len(r.Signature) * 3 / 4 / 4
		*guessed += n
		return n
	}
}

// parallel reweighs the calls of a message that makes several: they are written
// as one call of a tool that takes a JSON list.
func (s *scale) parallel(m plimsoll.Message, w *weight) {
	const frame = 16 // the parallel tool's name, twice, and the frame of its one result
	w.framing += frame + s.counter.Count(`{"tool_uses":[]}`)
	for i, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			w.parts[i] = s.counter.Count(`{"recipient_name":"functions.` + c.Name + `","parameters":` + compactJSON(c.Arguments) + `}`)
		}
	}
}

func (s *scale) system(parts plimsoll.List[plimsoll.Part], guessed *int) int {
	if parts.Len() == 0 {
		return 0
	}
	n := s.framing.System
	for _, p := range parts.All() {
		n += s.part(p, false, guessed)
	}
	return n
}

func (s *scale) tools(tools plimsoll.List[plimsoll.Tool]) int {
	if tools.Len() == 0 || s.framing.Style == StyleTextOnly {
		return 0
	}
	n := s.framing.Tools
	for _, t := range tools.All() {
		n += s.tool(t)
	}
	return n
}

func (s *scale) tool(t plimsoll.Tool) int {
	switch {
	case s.framing.Style == StyleTextOnly:
		return 0
	case t.Opaque != "":
		return s.framing.Tool + s.counter.Count(t.Opaque)
	case s.framing.Style == StyleOpenAI:
		return s.framing.Tool + s.counter.Count(typeScript(t))
	default:
		return s.framing.Tool + s.counter.Count(t.Name) + s.counter.Count(t.Description) + s.counter.Count(t.Schema)
	}
}
