package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll"
)

var (
	errMethod      = errors.New("this operation has another method")
	errNoOperation = errors.New("there is no such operation")
)

// answer is what an operation gives back: a request with what is said about it, or
// something else as it is.
type answer struct {
	// request is written as it is, without being parsed.
	request []byte
	// report is what is said about it.
	report any
	// body is the whole answer if it is set, raw if that is.
	body any
	raw  []byte
}

// write writes the answer. The bytes of a request are the client's and are copied:
// marshalling would take its white space out and escape its characters otherwise.
func (a answer) write(w http.ResponseWriter) error {
	parts := [][]byte{a.raw}
	switch {
	case a.raw != nil:
	case a.body != nil:
		text, err := marshal(a.body)
		if err != nil {
			return err
		}
		parts = [][]byte{text}
	default:
		text, err := marshal(a.report)
		if err != nil {
			return err
		}
		parts = [][]byte{[]byte(`{"request":`), a.request, []byte(`,"report":`), text, []byte("}")}
		if a.request == nil {
			parts = [][]byte{[]byte(`{"report":`), text, []byte("}")}
		}
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
			return // nobody is there any more
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

// Failure is how the API says that something went wrong.
type Failure struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail says what went wrong and what to do.
type FailureDetail struct {
	Code    plimsoll.Code `json:"code"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
	// Overload says what is in the way of a conversation that cannot be made to fit.
	Overload *Overload `json:"overload,omitempty"`
}

// Overload is what no rung may remove.
type Overload struct {
	Limit int                  `json:"limit"`
	Line  plimsoll.Line        `json:"line"`
	Floor int                  `json:"floor"`
	Load  int                  `json:"load,omitempty"`
	Items []plimsoll.FloorItem `json:"items"`
}

// refuse answers with an error. What is our own fault is logged, and said without
// details: they may name places that are nobody's business.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there any more
	}
	detail := FailureDetail{Code: plimsoll.CodeOf(err), Message: err.Error(), Hint: plimsoll.HintOf(err)}
	status := detail.Code.HTTPStatus()
	if own := (*refusal)(nil); errors.As(err, &own) {
		status = own.status
	}
	if detail.Code == plimsoll.CodeInternal || detail.Code == plimsoll.CodeUnavailable {
		h.options.Logger.Error("control failed", "path", r.URL.Path, "code", detail.Code, "error", err)
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
