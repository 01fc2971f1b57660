package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

var (
	errUnknownOption = errors.New("this operation knows no such option")
	errTwice         = errors.New("it is given more than once")
	errMissing       = errors.New("it is not given")
)

func optionError(name string, err error, hint string) error {
	return &plimsoll.Error{Op: fmt.Sprintf("option %q", name), Code: plimsoll.CodeInvalid, Err: err, Hint: hint}
}

// optionsOf returns the fields of a request struct that are options, those of embedded
// structs included.
func optionsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || optionName(f) == "-" })
}

func optionName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// setOption sets the named field of a request struct. It reads the JSON value, or
// without one the values of the query.
func setOption(into reflect.Value, name string, values []string, raw []byte) error {
	options := optionsOf(into.Type())
	at := slices.IndexFunc(options, func(f reflect.StructField) bool { return optionName(f) == name })
	if at < 0 {
		hint := "this operation has no options"
		if len(options) > 0 {
			var names []string
			for _, f := range options {
				names = append(names, optionName(f))
			}
			hint = "use " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
		}
		return optionError(name, errUnknownOption, hint)
	}
	f := options[at]
	if raw == nil && bodyOnly(f) {
		return optionError(name, errUnknownOption, fmt.Sprintf(`send it in the body, as {%q:…}`, name))
	}
	v := into.FieldByIndex(f.Index)
	if f.Type == reflect.TypeFor[json.RawMessage]() {
		if rawjson.NewScanner(raw).Peek() != '{' {
			return optionError(name, errors.New("it is something else"), "want an object")
		}
		v.SetBytes(raw)
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	var err error
	if raw != nil {
		values, err = jsonValues(v.Kind(), raw)
	}
	if err == nil {
		err = set(v, values, leastOf(f))
	}
	if err != nil {
		return optionError(name, err, "want "+wanted(v.Kind(), leastOf(f)))
	}
	return nil
}

// leastOf is the smallest number that a field takes.
func leastOf(f reflect.StructField) int64 {
	n, _ := strconv.ParseInt(f.Tag.Get("minimum"), 10, 64) // without the tag it is 0
	return n
}

func wanted(k reflect.Kind, least int64) string {
	switch k {
	case reflect.Int, reflect.Int64:
		if least > 0 {
			return "a whole number above 0"
		}
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list of texts"
	}
	return "a text"
}

// jsonValues writes a JSON value as the query would have it.
func jsonValues(k reflect.Kind, raw []byte) (values []string, err error) {
	first := rawjson.NewScanner(raw).Peek()
	switch {
	case k == reflect.String && first == '"':
		var text string
		err = json.Unmarshal(raw, &text)
		return []string{text}, err
	case k == reflect.Slice && first == '[':
		if err = json.Unmarshal(raw, &values); err == nil && strings.Contains(string(raw), "null") {
			err = onlyTexts(raw)
		}
		return values, err
	case (k == reflect.Int || k == reflect.Int64 || k == reflect.Float64) && first == '0', k == reflect.Bool && (first == 't' || first == 'f'):
		return []string{string(raw)}, nil
	}
	return nil, errors.New("it is something else")
}

// onlyTexts finds nulls, which json.Unmarshal takes for empty texts.
func onlyTexts(raw []byte) error {
	s := rawjson.NewScanner(raw)
	for range s.Elements() {
		if s.Peek() != '"' {
			return errors.New("it has something else in it")
		}
	}
	return s.Err()
}

// set parses the values for the kind of the field. A list has any number of them.
func set(v reflect.Value, values []string, least int64) error {
	if v.Kind() == reflect.Slice {
		v.Set(reflect.ValueOf(values))
		return nil
	}
	if len(values) != 1 {
		return errTwice
	}
	text := values[0]
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return fmt.Errorf("%.40q is no whole number", text)
		case n < least, n > math.MaxInt32:
			return fmt.Errorf("%d is not between %d and %d", n, least, math.MaxInt32)
		}
		v.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%.40q is no number", text)
		}
		v.SetFloat(f)
	case reflect.Bool:
		switch text {
		case "true", "1", "":
			v.SetBool(true)
		case "false", "0":
			v.SetBool(false)
		default:
			return fmt.Errorf("%.40q is neither true nor false", text)
		}
	default:
		v.SetString(text)
	}
	return nil
}
