package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// refused explains an error answer.
func (a *answerer) refused(ctx context.Context, resp *http.Response, body []byte) error {
	if o, ok := wire.FindOverflow(resp.StatusCode, body); ok {
		return a.full(o.Message)
	}
	e := apiErrorIn(a.p.Dialect, body)
	if e.Status == 0 {
		e.Status = resp.StatusCode
	}
	err := a.explain(e)
	if e.Status == http.StatusNotFound && a.p.API == "ollama" {
		err.Hint = a.e.offered(ctx, a.p) + "; /model replaces it"
	}
	if wait := retryAfter(resp.Header.Get("Retry-After"), a.e.options.Now()); wait > 0 && err.Code == plimsoll.CodeUnavailable {
		err.Hint = fmt.Sprintf("wait %v, then /retry", wait)
	}
	return err
}

// retryAfter reads how long a server wants to be left alone: seconds, or a time. Zero
// means that it says nothing.
func retryAfter(text string, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.Atoi(text); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now).Round(time.Second)
	}
	const longest = 24 * time.Hour // more is a mistake
	if wait < 0 || wait > longest {
		return 0
	}
	return wait
}

// full says that a context is full in spite of everything, and how to shorten the
// conversation by hand.
func (a *answerer) full(said string) *plimsoll.Error {
	err := errors.New("the context is full")
	if said = strings.TrimSpace(said); said != "" {
		err = fmt.Errorf("the context is full: %s", shortened(said, maxSaid))
	}
	return &plimsoll.Error{
		Op: "ask " + a.p.Name, Code: plimsoll.CodeOverLimit, Err: overflow{err},
		Hint: "shorten the conversation by hand with /edit, or with /compress or /prune; or tell the model's limit with /limit N; then /retry",
	}
}

// overflow is a full context as a server reports it.
type overflow struct{ error }

// Unwrap returns what it is.
func (o overflow) Unwrap() []error { return []error{o.error, plimsoll.ErrOverLimit} }

// maxSaid is how much of a server's message is shown.
const maxSaid = 400

// explain says what a provider's error means for the person.
func (a *answerer) explain(e *wire.APIError) *plimsoll.Error {
	if e.Overflows() {
		return a.full(e.Message)
	}
	failed := &plimsoll.Error{Op: "ask " + a.p.Name, Code: plimsoll.CodeUnavailable, Err: errors.New(messageOf(e))}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		failed.Hint = "check the key: " + a.keys()
	case e.Status == http.StatusNotFound:
		failed.Hint = fmt.Sprintf("check the model %q and the address %s; /model replaces it", a.p.Model, a.p.URL)
	case e.Status == http.StatusTooManyRequests || e.Status >= 500:
		failed.Hint = "wait a little, then /retry"
	default:
		failed.Hint = "/retry asks again"
	}
	return failed
}

func messageOf(e *wire.APIError) string {
	text := shortened(e.Message, maxSaid)
	if text == "" {
		text = strings.TrimSpace(e.Type + " " + e.Code)
	}
	if e.Status != 0 {
		return strings.TrimSuffix(fmt.Sprintf("status %d: %s", e.Status, text), ": ")
	}
	return text
}

func (a *answerer) keys() string {
	if names := apis[a.p.API].keys; len(names) > 0 {
		return "set " + strings.Join(names, " or ")
	}
	return "this server wants one"
}

// unreachable explains a connection that failed or broke off.
func (a *answerer) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(a.p)
	}
	hint := "is a server running there? /retry asks again"
	if a.p.API == "ollama" {
		hint = "is Ollama running there? \"ollama serve\" starts it; /retry asks again"
	}
	if a.text.Len() > 0 {
		hint = "what came so far is kept; /retry asks again"
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // the address is named already
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		err = errors.New("the connection broke off in the middle of the answer")
	}
	return &plimsoll.Error{
		Op: "ask " + a.p.Name + " at " + a.p.URL, Code: plimsoll.CodeUnavailable, Err: err, Hint: hint,
	}
}

// stopped says that the person ended an answer.
func stopped(p Participant) error {
	return &plimsoll.Error{
		Op: "ask " + p.Name, Code: plimsoll.CodeUnavailable, Err: stoppedError{},
		Hint: "what came so far is kept; /retry asks again",
	}
}

// stoppedError is an answer that the person ended.
type stoppedError struct{}

// Error says so.
func (stoppedError) Error() string { return "stopped" }

// Unwrap returns what it is.
func (stoppedError) Unwrap() error { return context.Canceled }

func (a *answerer) strange(err error) error {
	return &plimsoll.Error{
		Op: "read the answer of " + a.p.Name, Code: plimsoll.CodeUnavailable, Err: err,
		Hint: fmt.Sprintf("does %s speak the API %q?", a.p.URL, a.p.API),
	}
}

func (a *answerer) filtered() error {
	return &plimsoll.Error{
		Op: "ask " + a.p.Name, Code: plimsoll.CodeUnavailable, Err: errors.New("the provider withheld the answer"),
		Hint: "ask in other words",
	}
}

// apiErrorIn reads an error answer. One that is not in the API's form is shown as it is.
func apiErrorIn(d plimsoll.Dialect, body []byte) *wire.APIError {
	if answer, err := dialects.Codec(d).ReadResponse(body); err == nil && answer.Error != nil {
		return answer.Error
	}
	return &wire.APIError{Message: string(body)}
}
