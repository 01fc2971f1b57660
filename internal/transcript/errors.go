package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// jsonError puts what the parser of JSON says in words that need no knowledge of
// this program.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: %w at byte %d", plimsoll.ErrInvalid, err, syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%w: %s must be %s, not %s", plimsoll.ErrInvalid, cmp.Or(kind.Field, "this"), wanted(kind.Type), given(kind.Value))
	}
	return fmt.Errorf("%w: %w", plimsoll.ErrInvalid, err)
}

// wanted names the JSON value that is read into a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// given names a JSON value of which the parser says "array" or "number 4".
func given(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	default:
		return "a " + kind
	}
}
