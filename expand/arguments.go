package expand

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// arguments are those of a call that are not taken yet. Models write numbers and
// switches as texts now and then, which is understood; what has no place in the
// schema is not.
type arguments struct {
	values map[string]jsontext.Value
	err    error
}

func parseArguments(text string) *arguments {
	a := &arguments{}
	if strings.TrimSpace(text) == "" {
		return a
	}
	if err := json.Unmarshal([]byte(text), &a.values); err != nil {
		a.err = fmt.Errorf("want a JSON object: %w", plainJSON(err))
	}
	return a
}

// plainJSON takes the names of Go's types out of an error.
func plainJSON(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return syntax
	}
	return errors.New("it is something else")
}

// take returns an argument as text, and whether it is there.
func (a *arguments) take(name string) (jsontext.Value, bool) {
	v, ok := a.values[name]
	delete(a.values, name)
	return v, ok && a.err == nil && v.Kind() != 'n'
}

// text returns a text.
func (a *arguments) text(name string) string {
	v, ok := a.take(name)
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		a.err = fmt.Errorf("%s: want a text, and it is %s", name, short(v))
	}
	return s
}

// number returns a whole number that is at least so large; 0 if there is none.
func (a *arguments) number(name string, least int64) int64 {
	v, ok := a.take(name)
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(unquoted(v)), 64)
	if err != nil || f != math.Trunc(f) || f < float64(least) {
		a.err = fmt.Errorf("%s: want a whole number from %d on, and it is %s", name, least, short(v))
		return 0
	}
	return int64(min(f, 1<<53))
}

// flag returns a switch.
func (a *arguments) flag(name string) bool {
	v, ok := a.take(name)
	if !ok {
		return false
	}
	switch unquoted(v) {
	case "true":
		return true
	case "false":
		return false
	}
	a.err = fmt.Errorf("%s: want true or false, and it is %s", name, short(v))
	return false
}

// has reports whether an argument is given that is not taken yet.
func (a *arguments) has(name string) bool {
	v, ok := a.values[name]
	return ok && v.Kind() != 'n'
}

// end returns what was wrong first.
func (a *arguments) end(tool plimsoll.Tool) error {
	if a.err == nil && len(a.values) > 0 {
		a.err = fmt.Errorf("there is no argument %q", slices.Min(slices.Collect(maps.Keys(a.values))))
	}
	if a.err == nil {
		return nil
	}
	return badArguments(tool, a.err)
}

// unquoted returns a value without the quotes that a model put around it.
func unquoted(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// short quotes a value in an error.
func short(v jsontext.Value) string {
	const most = 60
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "…"
	}
	return string(v)
}

// ref returns the reference. Models copy what stands around it in a placeholder.
func (a *arguments) ref() string {
	ref := strings.TrimSpace(a.text("ref_id"))
	ref, _ = refname.Cut(strings.TrimPrefix(ref, "ref:"))
	if ref == "" && a.err == nil {
		a.err = errors.New("ref_id is missing")
	}
	return ref
}

func parseRead(text string) (Read, error) {
	a := parseArguments(text)
	r := Read{InLine: a.has("char_offset") || a.has("char_limit")}
	r.Ref = a.ref()
	r.Offset, r.Limit = a.number("offset", 0), a.number("limit", 1)
	r.CharOffset, r.CharLimit = a.number("char_offset", 0), a.number("char_limit", 1)
	return r, a.end(Tools()[0])
}

func parseGrep(text string) (Grep, error) {
	a := parseArguments(text)
	g := Grep{Ref: a.ref()}
	hasPattern := a.has("pattern")
	g.Pattern = a.text("pattern")
	g.Regex, g.IgnoreCase = a.flag("regex"), a.flag("ignore_case")
	g.Before, g.After = a.number("before", 0), a.number("after", 0)
	g.MaxMatches, g.Offset = a.number("max_matches", 1), a.number("offset", 0)
	if !hasPattern && a.err == nil {
		a.err = errors.New("pattern is missing")
	}
	return g, a.end(Tools()[1])
}
