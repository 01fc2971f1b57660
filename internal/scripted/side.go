package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// count answers how many tokens a request has. Nothing else is asked of it than
// that it can be read.
func (e *exchange) count() {
	dialect, body := plimsoll.Anthropic, e.Body
	switch e.voice.(type) {
	case items:
		dialect = plimsoll.Responses
	case gemini:
		dialect = plimsoll.Gemini
		var nested struct {
			Request json.RawMessage `json:"generateContentRequest"`
		}
		if json.Unmarshal(body, &nested) == nil && len(nested.Request) > 0 {
			body = nested.Request
		}
	}
	call, fault := e.read(dialect, body)
	if fault != nil {
		e.refuse(*fault)
		return
	}
	e.Status = http.StatusOK
	e.model.note(e.Exchange)
	e.write("application/json", encode(e.voice.tokens(e.model.options.Meter.Weigh(call.Conversation).Total)))
}

// listModels answers which models there are, or what is known of one.
func (e *exchange) listModels(path string) {
	names := e.model.options.Models
	answer := e.voice.models(names)
	if _, name, one := strings.Cut(path, "/models/"); one {
		if !slices.Contains(names, name) {
			e.refuse(Fault{Status: http.StatusNotFound, Code: "model_not_found", Message: fmt.Sprintf("The model '%s' does not exist", name)})
			return
		}
		answer = e.voice.describe(name)
	}
	e.Status = http.StatusOK
	e.model.note(e.Exchange)
	e.write("application/json", encode(answer))
}
