package ollama

import (
	"encoding/base64"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// The rules of this API alone.
const (
	// RuleType: a value is of another type than the API has, such as arguments in a text.
	RuleType = "type"
	// RuleImage: a picture is not base64 but a data URL or an address.
	RuleImage = "image"
)

// Check knows what /api/chat refuses: values that its types cannot hold. It takes messages
// of any role in any order, empty ones, and calls and results that do not pair.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	for _, i := range w.badArguments {
		found.Add(RuleType, i, -1, "the arguments of a call must be an object")
	}
	for i, m := range r.Conversation().Messages.All() {
		for j := range m.Parts.Len() {
			switch plimsoll.Peek(m, j).(type) {
			case plimsoll.Media:
				if !isBase64(m.Parts.At(j).(plimsoll.Media).Data) {
					found.Add(RuleImage, i, j, "a picture must be base64 and nothing else, no data URL and no address")
				}
			case plimsoll.Opaque:
				found.Add(RuleType, i, j, "a picture must be a string, and a call an object")
			}
		}
	}
	switch string(w.format) {
	case "", "null", `""`, `"json"`:
	default:
		if w.format[0] != '{' {
			found.Add(RuleType, -1, -1, `format must be "json" or a JSON schema`)
		}
	}
}

func isBase64(data string) bool {
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return err == nil
}
