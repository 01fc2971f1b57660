package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll"
)

const hintServer = "check that the address is that of an OpenAI-compatible embeddings endpoint, and that the model makes embeddings"

func (e *Endpoint) failure(address *url.URL, code plimsoll.Code, hint string, err error) error {
	return &plimsoll.Error{Op: "embed by " + public(address), Code: code, Hint: hint, Err: err}
}

// unreachable says why there is no answer. What the client says of the address is
// left out: there may be a key in it.
func (e *Endpoint) unreachable(address *url.URL, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	hint := "check that the server runs and that the address is right"
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		hint = "raise the time limit, or use a faster model"
	case errors.Is(err, context.Canceled):
		hint = ""
	}
	return e.failure(address, plimsoll.CodeUnavailable, hint, err)
}

// refused says what the server said.
func (e *Endpoint) refused(address *url.URL, response *http.Response, answer []byte) error {
	err := errors.New(response.Status)
	if said := e.saidBy(answer); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	code, hint := plimsoll.CodeUnavailable, "try again later"
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		code, hint = plimsoll.CodeInvalid, "check the API key"
	case status == http.StatusNotFound:
		code, hint = plimsoll.CodeInvalid, hintServer
	case status == http.StatusTooManyRequests:
		hint = "try again later, or check the account's quota"
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		code, hint = plimsoll.CodeInvalid, "check the name of the model; one that takes less than 8,192 tokens needs shorter inputs"
	case status < 500:
		code, hint = plimsoll.CodeInvalid, hintServer
	}
	return e.failure(address, code, hint, err)
}

// saidBy returns the message in an answer that reports an error, in any of the
// forms that servers use, or the beginning of a text. The key is taken out: some
// servers repeat it.
func (e *Endpoint) saidBy(answer []byte) string {
	said := message(answer)
	if e.APIKey != "" {
		said = strings.ReplaceAll(said, e.APIKey, "…")
	}
	const most = 300
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return said
}

func message(answer []byte) string {
	var object struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal(answer, &object) != nil {
		return strings.Join(strings.Fields(string(answer)), " ")
	}
	var nested struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(object.Error, &nested) == nil && nested.Message != "" {
		return nested.Message
	}
	var text string
	if json.Unmarshal(object.Error, &text) == nil && text != "" {
		return text
	}
	return strings.TrimSpace(object.Message + " " + object.Detail)
}
