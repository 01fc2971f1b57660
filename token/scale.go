package token

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// scale weighs the pieces of conversations of one model and dialect. It has no
// state; what it returns is raw, before any calibration.
type scale struct {
	counter plimsoll.Counter
	frame   frame
	media   media
	// thought is what shown thinking is billed for, in percent of such a text.
	thought int
	// looseFrame says that the counter is exact for bare text, but that
	// this framing was not read off its provider's bills.
	looseFrame bool
	// spells says that the vocabulary may be small, so that the count of other letters than
	// Latin ones is a guess.
	spells bool
	// model is the resolved name, under which calibration learns.
	model string
}

// message weighs a message.
func (s *scale) message(m plimsoll.Message, of content) plimsoll.MessageLoad {
	w := plimsoll.MessageLoad{Framing: s.frame.Message, Parts: make([]int, m.Parts.Len())}
	if m.Name != "" && m.Role != plimsoll.ToolRole && !s.frame.TextOnly {
		w.Framing += s.counter.Count(m.Name)
	}
	if m.Role == plimsoll.Assistant && plimsoll.Has[plimsoll.Text](m) {
		w.Framing += s.frame.channel
	}
	if of == ofListed {
		w.Framing = 0 // the results of parallel calls share the frame that the calls paid for
	}
	parallel := s.frame.listed && plimsoll.CountOf[plimsoll.ToolCall](m) > 1
	if parallel { // they are written as one call of a tool that takes a JSON list
		const frame = 12 // that tool's name, twice, and the frame of its one result
		w.Framing += frame + s.frame.Call + s.uses(m)
	}
	if s.frame.cites > 0 && cites(m) {
		w.Framing += s.frame.cites
		w.Band += s.frame.cites / 10
	}
	if of == ofPast && m.Parts.Len() == 1 {
		w.Framing = 0 // nothing is left of the message
	}
	w.Tokens = w.Framing
	for i, p := range m.Parts.All() {
		c, isCall := p.(plimsoll.ToolCall)
		_, isReasoning := p.(plimsoll.Reasoning)
		switch {
		case isCall && parallel:
			w.Parts[i] = s.counter.Count(use(c))
		case !isReasoning || of != ofPast:
			w.Parts[i] = s.part(p, of == ofListed, &w.Band)
		}
		w.Tokens += w.Parts[i]
	}
	if s.frame.typeScript && plimsoll.CountOf[plimsoll.Text](m) > 1 {
		w.Tokens += s.join(m.Parts, w.Parts)
	}
	return w
}

// uses weighs what a list of parallel calls has more than its elements. It can be less than
// nothing, because the vocabulary has brackets of neighbours in one token.
func (s *scale) uses(m plimsoll.Message) int {
	var each []string
	n := 0
	for _, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			each = append(each, use(c))
			n -= s.counter.Count(use(c))
		}
	}
	return n + s.counter.Count(`{"tool_uses":[`+strings.Join(each, ",")+`]}`)
}

// use writes a call as an element of the list of parallel calls.
func use(c plimsoll.ToolCall) string {
	return `{"recipient_name":"functions.` + c.Name + `","parameters":` + compactJSON(c.Arguments) + `}`
}

// cites reports whether Claude is to cite a document of a message, for which it has a prompt of
// its own.
func cites(m plimsoll.Message) bool {
	for _, p := range m.Parts.All() {
		if o, ok := p.(plimsoll.Opaque); ok && strings.Contains(o.Raw, `"citations"`) && strings.Contains(o.Raw, `"enabled"`) {
			return true
		}
	}
	return false
}

// join corrects the weights of several texts, which OpenAI's models are shown as one, and
// returns by how much. The last text takes the difference.
func (s *scale) join(parts plimsoll.List[plimsoll.Part], weights []int) int {
	var all strings.Builder
	sum, last := 0, 0
	for i, p := range parts.All() {
		if t, ok := p.(plimsoll.Text); ok {
			all.WriteString(t.Text)
			sum, last = sum+weights[i], i
		}
	}
	more := max(s.counter.Count(all.String())-sum, -weights[last])
	weights[last] += more
	return more
}

// part weighs one part; inList says that it is the result of a parallel call. It adds to
// the band what the weight may be off.
func (s *scale) part(p plimsoll.Part, inList bool, band *int) int {
	n := 0
	switch p := p.(type) {
	case plimsoll.Text:
		if s.spells {
			*band += spelled(p.Text) // a larger vocabulary needs nothing beyond
		}
		return s.counter.Count(p.Text)
	case plimsoll.ToolCall:
		n = s.call(p)
		*band += s.frame.doubt / 2 // a call and its result have some fifty tokens around them
		if p.Status != "" {
			*band += s.frame.status // some bills do not have it
		}
		if s.frame.sealed { // Vertex does not bill it
			n += sealed(p.Signature)
			*band += sealed(p.Signature)
		}
	case plimsoll.ToolResult:
		return s.result(p, inList, band)
	case plimsoll.Reasoning:
		return s.reasoning(p, band)
	case plimsoll.Media:
		if !s.frame.TextOnly {
			var off int
			n, off = s.media.weigh(p)
			*band += off
		}
	case plimsoll.Opaque:
		n = s.counter.Count(p.Raw)
		*band += share(n, errGuessed)
	}
	return n
}

func (s *scale) call(c plimsoll.ToolCall) int {
	switch {
	case s.frame.TextOnly:
		return 0
	case s.frame.typeScript:
		n := s.frame.Call + s.counter.Count("functions."+c.Name) + s.counter.Count(c.Name) +
			s.counter.Count(compactJSON(c.Arguments))
		if c.Status != "" {
			n += s.frame.status
		}
		return n
	}
	return s.frame.Call + s.frame.argument*arguments(c.Arguments) + s.counter.Count(c.Name) + s.counter.Count(c.Arguments)
}

func (s *scale) result(r plimsoll.ToolResult, inList bool, band *int) int {
	n := s.frame.Result
	for _, p := range r.Content.All() {
		if t, ok := p.(plimsoll.Text); ok && inList {
			n += s.counter.Count(listElement(t.Text))
			continue
		}
		n += s.part(p, false, band)
	}
	return n
}

// reasoning weighs shown thinking. Withheld thinking is only there as a sealed text; its
// length is the best hint there is.
func (s *scale) reasoning(r plimsoll.Reasoning, band *int) int {
	switch {
	case s.frame.TextOnly:
		return 0
	case s.frame.summarised:
		// Bills of 53 items of OpenAI. The summary is not billed.
		n := max(0, (len(r.Signature)-970)/6)
		*band += 20 + n/4
		return n
	case r.Text == "" && s.frame.words:
		return 0 // Google does not bill thoughts that are sealed on their own
	case r.Text != "":
		return (s.counter.Count(r.Text)*s.thought + 99) / 100
	}
	n := sealed(r.Signature)
	*band += share(n, errGuessed)
	return n
}

// sealed weighs a sealed text by its length: base64 of encrypted text, at about four
// characters of plain text a token.
func sealed(signature string) int { return len(signature) * 3 / 4 / 4 }

// system weighs the instructions outside the messages.
func (s *scale) system(parts plimsoll.List[plimsoll.Part]) (w plimsoll.MessageLoad) {
	if parts.Len() == 1 && parts.At(0) == plimsoll.Part(plimsoll.Text{}) {
		return w // OpenAI leaves empty instructions out
	}
	w.Tokens = s.frame.System
	for _, p := range parts.All() {
		w.Tokens += s.part(p, false, &w.Band)
	}
	return w
}

// tools weighs the tool declarations, without what depends on the request.
func (s *scale) tools(tools plimsoll.List[plimsoll.Tool]) (w plimsoll.MessageLoad) {
	if s.frame.TextOnly {
		return w
	}
	if !s.frame.typeScript {
		for _, t := range tools.All() {
			w.Tokens += s.tool(t)
		}
		w.Band = (w.Tokens + s.frame.Tools) * s.frame.doubt / 100
		return w
	}
	var text strings.Builder
	for _, t := range tools.All() {
		if t.Opaque != "" {
			n := s.counter.Count(t.Opaque)
			if s.frame.search > 0 && strings.Contains(t.Opaque, `"web_search`) {
				n = s.frame.search
			}
			w.Tokens += n
			w.Band += n
			continue
		}
		if text.Len() == 0 {
			text.WriteString(toolsHead)
			if t.Description == "" {
				w.Tokens += s.frame.undescribed
			}
		} else {
			text.WriteString(toolsGap)
		}
		text.WriteString(typeScript(t))
	}
	if text.Len() > 0 {
		text.WriteString(toolsTail)
		w.Tokens += s.counter.Count(text.String())
	}
	w.Band += 2 + w.Tokens/100
	return w
}

// tool weighs a declaration that is shown as JSON, or of which the words are shown.
func (s *scale) tool(t plimsoll.Tool) int {
	if t.Opaque != "" {
		return s.frame.Tool + s.counter.Count(t.Opaque)
	}
	n := s.frame.Tool + s.counter.Count(t.Name) + s.counter.Count(t.Description)
	if s.frame.words {
		n += s.words(t.Schema)
		if strings.Contains(t.Result, `"properties"`) {
			n += s.frame.nested + s.words(t.Result)
		}
		return n
	}
	return n + s.counter.Count(t.Schema)
}

// words weighs a schema of which only the words are shown.
func (s *scale) words(schema string) int {
	words, properties, nested, values := schemaWords(schema)
	return s.counter.Count(words) + s.frame.property*properties + s.frame.nested*nested + s.frame.value*values
}

// output weighs the form that the answer must have.
func (s *scale) output(t plimsoll.Tool) (w plimsoll.MessageLoad) {
	if s.frame.TextOnly {
		return w
	}
	if s.frame.words { // AI Studio does not bill it, Vertex does
		w.Band = s.counter.Count(t.Schema)
		return w
	}
	var text strings.Builder
	text.WriteString("# Response Formats\n\n## " + t.Name + "\n\n")
	writeComment(&text, strings.TrimSpace(t.Description))
	schema := outputSchema(t.Schema)
	text.WriteString(schema)
	const optional = 3 // read off 28 bills; the text that it stands for is not known
	w.Tokens = s.counter.Count(text.String()) + optional*strings.Count(schema, `,{"type":"null"}]`)
	w.Band = 2 + w.Tokens/20
	if !s.frame.typeScript {
		w.Band = (w.Tokens + s.frame.output) * s.frame.doubt / 100
	}
	return w
}

// thinking weighs the way to think that a request asks for, and how far that may be off.
func (s *scale) thinking(how string) (n, band int) {
	switch how {
	case "enabled":
		return s.frame.enabled, 0
	case "adaptive":
		return s.frame.adaptive, 0
	case "pro":
		return s.frame.pro, s.frame.pro / 3 // each answer before it adds about a hundred
	}
	return 0, 0
}

// aroundOutput weighs what is put around the form of the answer.
func (s *scale) aroundOutput(c plimsoll.Conversation) int {
	n := s.frame.output
	if s.frame.joined == 0 {
		return n
	}
	name := 2
	if s.frame.titled {
		name = s.counter.Count(c.Output.Name)
	}
	n += name - 2
	switch {
	case c.Tools.Len() > 0:
		n = 1
	case instructs(c):
		n += s.gap(c.Messages.At(0)) - s.frame.Message
	}
	for _, m := range c.Messages.All() {
		if m.Role == plimsoll.Assistant && plimsoll.Has[plimsoll.Text](m) {
			n += 2 + name // an answer says which form it has
		}
	}
	return n
}

// instructs reports whether the first message has instructions.
func instructs(c plimsoll.Conversation) bool {
	return c.Messages.Len() > 0 && c.Messages.At(0).Role.Instructs()
}

// around weighs what is put around the declarations of a request with tools.
func (s *scale) around(c plimsoll.Conversation) int {
	if s.frame.TextOnly {
		return 0
	}
	n := s.frame.Tools
	if s.frame.joined != 0 && instructs(c) {
		n = s.frame.joined + s.gap(c.Messages.At(0))
	}
	choice := c.Choice
	if choice == "required" && s.frame.lone && c.Tools.Len() == 1 {
		choice = c.Tools.At(0).Name
	}
	switch choice {
	case "", "auto":
		return n
	case "single":
		return n - s.frame.single
	case "none":
		return n + s.frame.none
	}
	if s.frame.forced > 0 {
		return s.frame.forced
	}
	if s.frame.named > 0 && choice != "required" {
		n += s.frame.named + s.counter.Count("functions."+choice)
	}
	return n
}

// gap returns what an empty line adds behind the text of a message. It is nothing where the
// vocabulary has the last sign and the empty line in one token.
func (s *scale) gap(m plimsoll.Message) int {
	text := ""
	for _, p := range m.Parts.All() {
		if t, ok := p.(plimsoll.Text); ok {
			text = t.Text
		}
	}
	const far = 64
	end := text[max(0, len(text)-far):]
	at := strings.LastIndexFunc(end, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if at >= 0 {
		_, size := utf8.DecodeRuneInString(end[at:])
		end = end[at+size:]
	}
	return s.counter.Count(end+toolsGap) - s.counter.Count(end)
}

// Errors assumed of an estimate. They are constants, so that every process gives the same
// band to the same conversation.
const (
	errScaled  = 0.15
	errFormula = 0.25
	// errGuessed applies to what is weighed by a formula and has no error of its own.
	errGuessed = 0.15
	// errFraming applies to framing that was not read off bills: chat templates
	// spend two to six tokens on a message.
	errFraming = 0.5
)

// band is the error to expect in a total.
func (s *scale) band(total int, sum tally) int {
	band := float64(sum.formulas) + float64(sum.framed)*errFraming
	switch info := s.counter.Info(); {
	case info.Exact:
	case info.Strategy == StrategyScaled || info.Strategy == StrategyVocabulary:
		band += float64(total) * errScaled
	default:
		band += float64(total) * errFormula
	}
	return int(math.Ceil(band))
}

// share is a part of n, rounded up.
func share(n int, of float64) int { return int(math.Ceil(float64(n) * of)) }
