package proxy

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll"
)

// fault is an answer of our own where the upstream has none. Clients get it in the form
// of the API that they speak, so that they raise the errors that their users handle.
type fault struct {
	status int
	// code is for programs, message for people.
	code, message string
	// retry is after how many seconds it is worth to try again; 0 says nothing.
	retry int
	// hangUp says that the connection is of no more use.
	hangUp bool
}

// Error returns the message.
func (f *fault) Error() string { return f.message }

// write answers a request. HEAD has no body.
func (f *fault) write(w http.ResponseWriter, dialect plimsoll.Dialect) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.hangUp {
		h.Set("Connection", "close")
	}
	if f.status == http.StatusUpgradeRequired {
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "HTTP/1.1")
	}
	body := f.body(dialect)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.status)
	_, _ = w.Write(body) // the client may be gone
}

// body renders the fault as the API would.
func (f *fault) body(dialect plimsoll.Dialect) []byte {
	var shape any
	switch dialect {
	case plimsoll.Anthropic:
		shape = map[string]any{"type": "error", "error": map[string]string{"type": anthropicType(f.status), "message": f.message}}
	case plimsoll.Gemini:
		shape = map[string]any{"error": map[string]any{"code": f.status, "message": f.message, "status": geminiStatus(f.status)}}
	default:
		shape = map[string]any{"error": map[string]any{"message": f.message, "type": openAIType(f.status), "param": nil, "code": f.code}}
	}
	body, _ := json.Marshal(shape) // texts and numbers alone cannot fail
	return body
}

func openAIType(status int) string {
	if status >= http.StatusInternalServerError {
		return "server_error"
	}
	return "invalid_request_error"
}

func anthropicType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusServiceUnavailable:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

func geminiStatus(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	}
	if status >= http.StatusInternalServerError {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}
