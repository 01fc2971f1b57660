package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll"
)

// edited is an answer with a request to a model.
type edited struct {
	// request is left out if it is nil.
	request []byte
	report  any
}

// write writes an answer. It copies the bytes of requests and of raw JSON: marshalling
// would change their white space and escapes.
func write(w http.ResponseWriter, answer any) error {
	var parts [][]byte
	switch a := answer.(type) {
	case json.RawMessage:
		parts = [][]byte{a}
	case edited:
		text, err := marshal(a.report)
		if err != nil {
			return err
		}
		if a.request != nil {
			parts = [][]byte{[]byte(`{"request":`), a.request, []byte(`,"report":`), text, []byte("}")}
		} else {
			parts = [][]byte{[]byte(`{"report":`), text, []byte("}")}
		}
	default:
		text, err := marshal(a)
		if err != nil {
			return err
		}
		parts = [][]byte{text}
	}
	send(w, http.StatusOK, append(parts, []byte("\n")))
	return nil
}

func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

func send(w http.ResponseWriter, status int, parts [][]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return // the client is gone
		}
	}
}

// refusal is an error with a status that its code does not imply.
type refusal struct {
	status int
	error
}

// Unwrap returns the error.
func (e *refusal) Unwrap() error { return e.error }

// Failure is the answer of an operation that failed.
type Failure struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail says what went wrong and what to do.
type FailureDetail struct {
	Code    plimsoll.Code `json:"code" jsonschema:"What kind of failure it is."`
	Message string        `json:"message" jsonschema:"What happened."`
	Hint    string        `json:"hint,omitempty" jsonschema:"What to do about it."`
	// Overload says what is in the way of a conversation that cannot be made to fit.
	Overload *Overload `json:"overload,omitempty"`
}

// Overload is what no rung may remove.
type Overload struct {
	Limit int                  `json:"limit" jsonschema:"The most that the request may weigh."`
	Line  plimsoll.Line        `json:"line"`
	Floor int                  `json:"floor" jsonschema:"What nothing may remove, in tokens."`
	Load  int                  `json:"load,omitempty" jsonschema:"The least that was reached."`
	Items []plimsoll.FloorItem `json:"items" jsonschema:"What is in the way, largest first."`
}

// refuse answers with an error. It logs internal failures and answers them without
// details, which may name files and addresses of the operator.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	detail := FailureDetail{Code: plimsoll.CodeOf(err), Message: err.Error(), Hint: plimsoll.HintOf(err)}
	status := detail.Code.HTTPStatus()
	if own := (*refusal)(nil); errors.As(err, &own) {
		status = own.status
	}
	if detail.Code == plimsoll.CodeInternal || detail.Code == plimsoll.CodeUnavailable {
		h.options.Logger.Error("api failed", "path", r.URL.Path, "code", detail.Code, "error", err)
		detail.Message, detail.Hint = "the service could not do it", "try again; the log of the service says more"
	}
	if over := (*plimsoll.OverloadError)(nil); errors.As(err, &over) {
		detail.Overload = &Overload{Limit: over.Line.Limit(), Line: over.Line, Floor: over.Floor, Load: over.Load, Items: over.Items}
		if detail.Overload.Items == nil {
			detail.Overload.Items = []plimsoll.FloorItem{}
		}
		if detail.Hint == "" {
			detail.Hint = over.Hint()
		}
	}
	text, failed := marshal(Failure{detail})
	if failed != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the error could not be written"}}`)
	}
	send(w, status, [][]byte{text, []byte("\n")})
}
