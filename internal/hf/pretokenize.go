package hf

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/split"
)

// preTokenizer cuts normalised text into the pieces that are merged separately.
type preTokenizer struct {
	byteLevel   bool
	prefixSpace bool       // byte-level: text starts with a space
	meta        *metaspace // nil: spaces stay
	stages      []stage    // each cuts the pieces of the one before
}

// metaspace writes spaces as a visible character.
type metaspace struct {
	replacement string
	prepend     prependScheme
}

type prependScheme uint8

const (
	prependNever prependScheme = iota
	prependFirst
	prependAlways
)

// stage is one way to cut. Exactly one of pattern, literal and digits is set.
type stage struct {
	pattern split.Pattern
	literal string
	with    behavior
	digits  digitRule
}

// behavior says where the matches of a literal go.
type behavior uint8

const (
	isolated behavior = iota
	removed
	mergedWithPrevious
	mergedWithNext
	contiguous
)

type digitRule uint8

const (
	digitRuns digitRule = iota + 1
	digitEach
)

func compilePreTokenizer(steps []component) (*preTokenizer, error) {
	pre := new(preTokenizer)
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		var err error
		switch s.Type {
		case "ByteLevel":
			err = pre.addByteLevel(s, i == 0, i)
		case "Metaspace":
			err = pre.addMetaspace(s, i)
		case "Digits":
			rule := digitRuns
			if s.IndividualDigits {
				rule = digitEach
			}
			pre.stages = append(pre.stages, stage{digits: rule})
		case "Split":
			var used int
			used, err = pre.addSplits(steps[i:], i)
			i += used - 1
		default:
			err = &FormatError{
				Field: fmt.Sprintf("pre_tokenizer[%d].type", i), Found: quote(s.Type),
				Supported: "ByteLevel, Digits, Metaspace, Sequence, Split",
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return pre, nil
}

func (p *preTokenizer) addByteLevel(s *component, first bool, i int) error {
	if p.byteLevel || p.meta != nil {
		return &FormatError{Field: fmt.Sprintf("pre_tokenizer[%d]", i), Found: "ByteLevel a second time or after Metaspace", Supported: "one of the two, once"}
	}
	p.byteLevel = true
	p.prefixSpace = orDefault(s.AddPrefixSpace, true)
	if p.prefixSpace && !first {
		return &FormatError{Field: fmt.Sprintf("pre_tokenizer[%d].add_prefix_space", i), Found: "true after another step", Supported: "false there"}
	}
	if orDefault(s.UseRegex, true) {
		p.stages = append(p.stages, stage{pattern: split.GPT2})
	}
	return nil
}

func (p *preTokenizer) addMetaspace(s *component, i int) error {
	if i != 0 {
		return &FormatError{Field: fmt.Sprintf("pre_tokenizer[%d].type", i), Found: "Metaspace after another step", Supported: "Metaspace first"}
	}
	schemes := map[string]prependScheme{"always": prependAlways, "first": prependFirst, "never": prependNever}
	scheme, ok := schemes[s.PrependScheme]
	if s.PrependScheme == "" {
		scheme, ok = prependAlways, true
		if !orDefault(s.AddPrefixSpace, true) {
			scheme = prependNever
		}
	}
	if !ok || utf8.RuneCountInString(s.Replacement) != 1 {
		return &FormatError{
			Field: fmt.Sprintf("pre_tokenizer[%d]", i), Found: "prepend_scheme " + quote(s.PrependScheme) + ", replacement " + quote(s.Replacement),
			Supported: "always, first or never, and one character",
		}
	}
	p.meta = &metaspace{s.Replacement, scheme}
	if orDefault(s.Split, true) {
		p.stages = append(p.stages, stage{literal: s.Replacement, with: mergedWithNext})
	}
	return nil
}

// addSplits takes one Split, or as many regular expressions in a row as the split package knows
// as one pattern. It returns how many steps it used.
func (p *preTokenizer) addSplits(steps []component, at int) (int, error) {
	s := &steps[0]
	if s.Pattern.String != nil && *s.Pattern.String != "" {
		with, ok := map[string]behavior{
			"Isolated": isolated, "Removed": removed, "Contiguous": contiguous,
			"MergedWithPrevious": mergedWithPrevious, "MergedWithNext": mergedWithNext,
		}[s.Behavior]
		if !ok || s.Invert {
			return 0, &FormatError{
				Field: fmt.Sprintf("pre_tokenizer[%d].behavior", at), Found: fmt.Sprint(quote(s.Behavior), ", invert ", s.Invert),
				Supported: "Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext of a plain string, not inverted",
			}
		}
		p.stages = append(p.stages, stage{literal: *s.Pattern.String, with: with})
		return 1, nil
	}
	regexes := regexRun(steps)
	for n := len(regexes); n > 0; n-- {
		if pattern, ok := split.Lookup(strings.Join(regexes[:n], split.Separator)); ok {
			p.stages = append(p.stages, stage{pattern: pattern})
			return n, nil
		}
	}
	found := "no pattern"
	if s.Pattern.Regex != nil {
		found = quote(*s.Pattern.Regex) + ", behavior " + quote(s.Behavior)
	}
	return 0, &FormatError{
		Field: fmt.Sprintf("pre_tokenizer[%d].pattern", at), Found: found,
		Supported: "the expressions of GPT-2, GPT-4, GPT-4o, Llama 3, Qwen, Tekken and DeepSeek V3",
		Hint:      "regular expressions are recognised by their exact text, not executed",
	}
}

// regexRun returns the leading expressions that keep everything: what matches is a piece and so
// is what lies between, which for expressions that match any text is also what Removed with
// invert says.
func regexRun(steps []component) []string {
	var run []string
	for _, s := range steps {
		keeps := s.Behavior == "Isolated" && !s.Invert || s.Behavior == "Removed" && s.Invert
		if s.Type != "Split" || s.Pattern.Regex == nil || !keeps {
			break
		}
		run = append(run, *s.Pattern.Regex)
	}
	return run
}

// prepare makes the changes to the text that come before cutting. first says that text stands at
// the very start of the input.
func (p *preTokenizer) prepare(text string, first bool, buf *[2][]byte) string {
	if p.prefixSpace && !strings.HasPrefix(text, " ") {
		buf[0] = append(append(buf[0][:0], ' '), text...)
		return rawjson.View(buf[0])
	}
	if p.meta == nil {
		return text
	}
	text = replaceAll(text, " ", p.meta.replacement, &buf[0])
	wanted := p.meta.prepend == prependAlways || p.meta.prepend == prependFirst && first
	if wanted && !strings.HasPrefix(text, p.meta.replacement) {
		buf[1] = append(append(buf[1][:0], p.meta.replacement...), text...)
		text = rawjson.View(buf[1])
	}
	return text
}

// cut calls leaf with every piece of text, in order, after all stages from k on.
func (w *worker) cut(text string, stages []stage) {
	if len(stages) == 0 {
		w.leaf(text)
		return
	}
	s, rest := &stages[0], stages[1:]
	switch {
	case s.pattern != 0 && len(rest) == 0:
		w.cutPattern(text, s.pattern)
	case s.pattern != 0:
		for pos := 0; pos < len(text); {
			end := s.pattern.Next(text, pos)
			w.cut(text[pos:end], rest)
			pos = end
		}
	case s.digits != 0:
		w.cutDigits(text, s.digits, rest)
	default:
		w.cutLiteral(text, s, rest)
	}
}

// cutPattern is the hot loop of the byte-level families.
func (w *worker) cutPattern(text string, p split.Pattern) {
	for pos := 0; pos < len(text); {
		ends, n := p.Window(text, pos)
		if ends == 0 {
			w.piece(text[pos : pos+n])
		}
		start := pos
		for ; ends != 0; ends &= ends - 1 {
			end := pos + bits.TrailingZeros64(ends) + 1
			w.piece(text[start:end])
			start = end
		}
		pos += n
	}
}

func (w *worker) cutDigits(text string, rule digitRule, rest []stage) {
	start := 0
	inDigits := false
	for i, r := range text {
		digit := unicode.IsNumber(r)
		if i > start && (digit != inDigits || digit && rule == digitEach) {
			w.cut(text[start:i], rest)
			start = i
		}
		inDigits = digit
	}
	if start < len(text) {
		w.cut(text[start:], rest)
	}
}

// cutLiteral cuts at the matches of a plain string.
func (w *worker) cutLiteral(text string, s *stage, rest []stage) {
	emit := func(piece string) {
		if piece != "" {
			w.cut(piece, rest)
		}
	}
	size := len(s.literal)
	start, from := 0, 0 // start of the open piece; where to search
	for {
		at := strings.Index(text[from:], s.literal)
		if at < 0 {
			emit(text[start:])
			return
		}
		at += from
		from = at + size
		switch s.with {
		case mergedWithPrevious:
			emit(text[start:from])
			start = from
		case mergedWithNext:
			emit(text[start:at])
			start = at
		case removed:
			emit(text[start:at])
			start = from
		case contiguous:
			for strings.HasPrefix(text[from:], s.literal) {
				from += size
			}
			emit(text[start:at])
			emit(text[at:from])
			start = from
		default:
			emit(text[start:at])
			emit(text[at:from])
			start = from
		}
	}
}
