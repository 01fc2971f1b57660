package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// wishes are what a request to the API asks for beside its body. What is zero was not
// asked for.
type wishes struct {
	dialect, model, encoding, text string
	limit                          int64
	window                         int
	settings                       Settings

	force, dryRun bool
	directives    []string

	// max is nil where it was not given, because 0 is a value.
	max                       *int
	encoder, embedder, system string
	pairs                     bool

	ref                           string
	offset, charOffset, charLimit int64
	inLine                        bool
	pattern                       string
	regex, ignoreCase             bool
	before, after, maxMatches     int64
}

// form is how a wish is written.
type form int

const (
	word form = iota
	number
	positive
	fraction
	flag
	list
)

func (f form) String() string {
	return [...]string{"a text", "a whole number", "a whole number above 0", "a number", "true or false", "a list of texts"}[f]
}

// wish says how one is written and where it goes.
type wish struct {
	form form
	set  func(w *wishes, v value)
}

// value is a wish that was read; of its fields that of the form is set.
type value struct {
	word     string
	number   int64
	fraction float64
	flag     bool
	list     []string
}

// known are the wishes by name.
var known = map[string]wish{
	"dialect":     {word, func(w *wishes, v value) { w.dialect = v.word }},
	"model":       {word, func(w *wishes, v value) { w.model = v.word }},
	"encoding":    {word, func(w *wishes, v value) { w.encoding = v.word }},
	"text":        {word, func(w *wishes, v value) { w.text = v.word }},
	"limit":       {number, func(w *wishes, v value) { w.limit = v.number }},
	"preset":      {word, func(w *wishes, v value) { w.settings.Preset = v.word }},
	"method":      {word, func(w *wishes, v value) { w.settings.Method = v.word }},
	"window":      {positive, func(w *wishes, v value) { w.window = int(v.number) }},
	"reserve":     {number, func(w *wishes, v value) { w.settings.Reserve = new(int(v.number)) }},
	"low":         {fraction, func(w *wishes, v value) { w.settings.Low = &v.fraction }},
	"rungs":       {list, func(w *wishes, v value) { w.settings.Rungs = v.list }},
	"pins":        {list, func(w *wishes, v value) { w.settings.Pins = v.list }},
	"force":       {flag, func(w *wishes, v value) { w.force = v.flag }},
	"dry_run":     {flag, func(w *wishes, v value) { w.dryRun = v.flag }},
	"directives":  {list, func(w *wishes, v value) { w.directives = v.list }},
	"max":         {number, func(w *wishes, v value) { w.max = new(int(v.number)) }},
	"encoder":     {word, func(w *wishes, v value) { w.encoder = v.word }},
	"embedder":    {word, func(w *wishes, v value) { w.embedder = v.word }},
	"system":      {word, func(w *wishes, v value) { w.system = v.word }},
	"pairs":       {flag, func(w *wishes, v value) { w.pairs = v.flag }},
	"ref":         {word, func(w *wishes, v value) { w.ref = v.word }},
	"offset":      {number, func(w *wishes, v value) { w.offset = v.number }},
	"char_offset": {number, func(w *wishes, v value) { w.charOffset, w.inLine = v.number, true }},
	"char_limit":  {number, func(w *wishes, v value) { w.charLimit, w.inLine = v.number, true }},
	"pattern":     {word, func(w *wishes, v value) { w.pattern = v.word }},
	"regex":       {flag, func(w *wishes, v value) { w.regex = v.flag }},
	"ignore_case": {flag, func(w *wishes, v value) { w.ignoreCase = v.flag }},
	"before":      {number, func(w *wishes, v value) { w.before = v.number }},
	"after":       {number, func(w *wishes, v value) { w.after = v.number }},
	"max_matches": {number, func(w *wishes, v value) { w.maxMatches = v.number }},
}

var (
	errUnknownWish = errors.New("this operation knows no such option")
	errTwice       = errors.New("it is given more than once")
)

// take takes a wish in the form that it was found in.
func (w *wishes) take(at *route, name string, read func(form) (value, error)) error {
	if !slices.Contains(at.wishes, name) {
		hint := "this operation has no options"
		if len(at.wishes) > 0 {
			hint = "use " + strings.Join(slices.Sorted(slices.Values(at.wishes)), ", ")
		}
		return wishError(name, errUnknownWish, hint)
	}
	how := known[name]
	v, err := read(how.form)
	if err != nil {
		return wishError(name, err, "want "+how.form.String())
	}
	how.set(w, v)
	return nil
}

func wishError(name string, err error, hint string) error {
	return &plimsoll.Error{Op: fmt.Sprintf("option %q", name), Code: plimsoll.CodeInvalid, Err: err, Hint: hint}
}

// fromQuery reads a wish from the query; a list is given by repeating it.
func fromQuery(values []string) func(form) (value, error) {
	return func(f form) (v value, err error) {
		if f == list {
			v.list = values
			return v, nil
		}
		if len(values) != 1 {
			return v, errTwice
		}
		text := values[0]
		switch f {
		case word:
			v.word = text
		case number, positive:
			v.number, err = natural(text, f)
		case fraction:
			v.fraction, err = finite(text)
		case flag:
			v.flag, err = truth(text)
		}
		return v, err
	}
}

// fromJSON reads a wish from a member of the body; null means that it is not given.
func fromJSON(raw []byte) func(form) (value, error) {
	return func(f form) (v value, err error) {
		kind := rawjson.NewScanner(raw).Peek()
		switch {
		case f == word && kind == '"':
			err = json.Unmarshal(raw, &v.word)
		case (f == number || f == positive) && kind == '0':
			v.number, err = natural(string(raw), f)
		case f == fraction && kind == '0':
			v.fraction, err = finite(string(raw))
		case f == flag && (kind == 't' || kind == 'f'):
			v.flag = kind == 't'
		case f == list && kind == '[':
			if err = json.Unmarshal(raw, &v.list); err == nil && strings.Contains(string(raw), "null") {
				err = onlyTexts(raw)
			}
		default:
			err = errors.New("it is something else")
		}
		return v, err
	}
}

// onlyTexts finds nulls, which would be taken for empty texts.
func onlyTexts(raw []byte) error {
	s := rawjson.NewScanner(raw)
	for range s.Elements() {
		if s.Peek() != '"' {
			return errors.New("it has something else in it")
		}
	}
	return s.Err()
}

func natural(text string, f form) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	least := int64(0)
	if f == positive {
		least = 1
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%.40q is no whole number", text)
	case n < least, n > math.MaxInt32:
		return 0, fmt.Errorf("%d is not between %d and %d", n, least, math.MaxInt32)
	}
	return n, nil
}

func finite(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%.40q is no number", text)
	}
	return f, nil
}

func truth(text string) (bool, error) {
	switch text {
	case "true", "1", "":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, fmt.Errorf("%.40q is neither true nor false", text)
}

// check refuses what cannot be meant by any operation.
func (w *wishes) check() error {
	if w.dialect == "auto" {
		w.dialect = ""
	}
	if w.dialect != "" && dialects.Codec(plimsoll.Dialect(w.dialect)) == nil {
		return wishError("dialect", fmt.Errorf("%.40q is not known", w.dialect), "use openai, responses, anthropic or gemini, or leave it out")
	}
	return nil
}
