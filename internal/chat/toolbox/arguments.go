package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parse reads the arguments of a call. Names that the tool does not know are an error:
// passed over, they would let a model believe in an effect.
func parse[T any](schema, text string) (T, error) {
	var arguments T
	if strings.TrimSpace(text) == "" {
		return arguments, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&arguments)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		var none T
		return none, fmt.Errorf("the arguments are not what the tool takes; its schema is %s", schema)
	}
	return arguments, nil
}
