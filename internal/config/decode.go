package config

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/fit"
)

// issue is what is wrong with a value or with one entry of it.
type issue struct {
	// entry is "" for the whole value, else what follows the key.
	entry, value, reason string
	line                 int
	// unknown is the hint if the issue is an unknown key; such a mistake
	// is no matter of values.
	unknown string
}

func (i issue) Error() string { return i.reason }

func wrong(n node, format string, args ...any) *issue {
	return &issue{value: n.String(), line: n.line, reason: fmt.Sprintf(format, args...)}
}

// decoder makes values of nodes.
type decoder struct {
	field Field
	// dir is what relative paths are relative to; empty for the current directory.
	dir, home string
}

// decode returns the value; it is invalid if nothing of the node is of use.
func (d decoder) decode(n node) (reflect.Value, []*issue) {
	if n.shape == null {
		return reflect.Zero(d.field.kind), nil
	}
	switch d.field.kind {
	case reflect.TypeFor[[]fit.Pin]():
		return entries(n.elements(), func(_ int, item node) (fit.Pin, *issue) { return decodePin(item) })
	case reflect.TypeFor[map[string]int]():
		return d.decodeMap(n)
	}
	v := reflect.New(d.field.kind).Elem()
	if i := d.decodeInto(v, n); i != nil {
		return reflect.Value{}, []*issue{i}
	}
	return v, nil
}

// entries decodes a list of which each entry stands for itself: a wrong one is
// left out.
func entries[T any](items []node, decode func(int, node) (T, *issue)) (reflect.Value, []*issue) {
	var out []T
	var issues []*issue
	for i, item := range items {
		v, wrong := decode(i, item)
		if wrong != nil {
			wrong.entry = fmt.Sprintf("[%d]", i) + wrong.entry
			issues = append(issues, wrong)
			continue
		}
		out = append(out, v)
	}
	if len(out) == 0 && len(issues) > 0 {
		return reflect.Value{}, issues
	}
	return reflect.ValueOf(out), issues
}

// elements are the items of a list; a value that stands alone is a list of one.
func (n node) elements() []node {
	if n.shape == list {
		return n.items
	}
	return []node{n}
}

func (d decoder) decodeInto(v reflect.Value, n node) *issue {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decodeInto(v.Elem(), n)
	case reflect.Slice:
		return d.decodeList(v, n)
	}
	if n.shape != scalar {
		return wrong(n, "want %s", d.want(v.Kind()))
	}
	switch v.Kind() {
	case reflect.Bool:
		return decodeBool(v, n)
	case reflect.Int:
		x, i := d.decodeInt(n)
		v.SetInt(int64(x))
		return i
	case reflect.Float64:
		return d.decodeFloat(v, n)
	}
	return d.decodeText(v, n)
}

func (d decoder) want(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Float64:
		return d.wantNumber(k)
	}
	switch {
	case len(d.field.OneOf) > 0:
		return "one of " + strings.Join(d.field.OneOf, ", ")
	case d.field.form != "":
		return d.field.formWords
	}
	return "a text"
}

func (d decoder) wantNumber(k reflect.Kind) string {
	out := "a number"
	if k == reflect.Int {
		out = "a whole number"
	}
	switch f := d.field; {
	case f.above != "" && f.max != "":
		return out + " above " + f.above + " and at most " + f.max
	case f.min == "1":
		return out + " above zero"
	case f.min != "":
		return out + ", " + f.min + " or more"
	}
	return out
}

func (d decoder) decodeList(v reflect.Value, n node) *issue {
	if n.shape == mapping {
		return wrong(n, "want a list")
	}
	for i, item := range n.elements() {
		element := reflect.New(v.Type().Elem()).Elem()
		if item.shape != scalar || item.text == "" {
			return wrong(item, "want a list of texts")
		}
		if wrong := d.decodeInto(element, item); wrong != nil {
			return wrong
		}
		if slices.ContainsFunc(n.elements()[:i], func(o node) bool { return o.text == item.text }) {
			return wrong(item, "stands there twice")
		}
		v.Set(reflect.Append(v, element))
	}
	return nil
}

func decodeBool(v reflect.Value, n node) *issue {
	switch strings.ToLower(n.text) {
	case "true", "yes", "on", "1":
		v.SetBool(true)
	case "false", "no", "off", "0":
		v.SetBool(false)
	default:
		return wrong(n, "want true or false")
	}
	return nil
}

// maxNumber is more than any number of tokens or bytes that can be meant.
const maxNumber = 1 << 40

func (d decoder) decodeInt(n node) (int, *issue) {
	if n.shape != scalar {
		return 0, wrong(n, "want %s", d.wantNumber(reflect.Int))
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	least, _ := strconv.ParseFloat(d.field.min, 64) // nothing is 0
	switch {
	case err != nil && !math.IsInf(x, 0), x != math.Trunc(x), math.IsNaN(x):
		return 0, wrong(n, "not a whole number: want %s", d.wantNumber(reflect.Int))
	case math.Abs(x) > maxNumber:
		return 0, wrong(n, "out of range: want %s", d.wantNumber(reflect.Int))
	case d.field.min != "" && x < least:
		return 0, wrong(n, "want %s", d.wantNumber(reflect.Int))
	}
	return int(x), nil
}

func (d decoder) decodeFloat(v reflect.Value, n node) *issue {
	x, err := strconv.ParseFloat(n.text, 64)
	above, _ := strconv.ParseFloat(d.field.above, 64)
	most, _ := strconv.ParseFloat(d.field.max, 64)
	if err != nil || !(x > above && x <= most) {
		return wrong(n, "want %s", d.wantNumber(reflect.Float64))
	}
	v.SetFloat(x)
	return nil
}

func (d decoder) decodeText(v reflect.Value, n node) *issue {
	if of := d.field.OneOf; len(of) > 0 && !slices.Contains(of, n.text) {
		reason := "want " + d.want(reflect.String)
		if near := nearest(n.text, of); near != "" {
			reason = "not known; did you mean " + near + "? W" + reason[1:]
		}
		return wrong(n, "%s", reason)
	}
	if form := d.field.form; form != "" && !regexp.MustCompile("^(?:"+form+")$").MatchString(n.text) {
		return wrong(n, "want %s", d.want(reflect.String))
	}
	v.SetString(n.text)
	if v.Type() == reflect.TypeFor[Path]() {
		v.SetString(d.path(n.text))
	}
	return nil
}

// path makes a relative path of a file one that can be opened from here.
func (d decoder) path(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok && d.home != "" {
		return filepath.Join(d.home, rest)
	}
	if d.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.dir, name)
}

// decodeMap reads numbers by name: a mapping, or a list of NAME=NUMBER.
func (d decoder) decodeMap(n node) (reflect.Value, []*issue) {
	pairs := n.pairs
	if n.shape != mapping {
		for _, item := range n.elements() {
			key, value, ok := strings.Cut(item.text, "=")
			if item.shape != scalar || !ok {
				return reflect.Value{}, []*issue{wrong(item, "want numbers by name")}
			}
			pairs = append(pairs, pair{
				node{shape: scalar, text: strings.TrimSpace(key)},
				node{shape: scalar, text: strings.TrimSpace(value), line: item.line},
			})
		}
	}
	out := map[string]int{}
	var issues []*issue
	for _, p := range pairs {
		x, i := d.decodeInt(p.value)
		if p.key.text == "" {
			i = wrong(p.value, "has no name")
		}
		if i != nil {
			i.entry = "." + clip(p.key.text)
			issues = append(issues, i)
			continue
		}
		out[p.key.text] = x
	}
	if len(out) == 0 && len(issues) > 0 {
		return reflect.Value{}, issues
	}
	return reflect.ValueOf(out), issues
}
