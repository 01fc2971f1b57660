package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 8 << 20

// send sends a request and returns the body of the answer.
func (a asking) send(ctx context.Context, r *summary.Request, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.Timeout)
	defer cancel()
	send := a.Send
	if a.AsksCaller() {
		send = r.Ask
	}
	response, err := send(ctx, a.model, body)
	var f *summary.Failure
	if errors.As(err, &f) {
		return nil, err
	}
	if err != nil {
		return nil, a.unreachable(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, a.unreachable(err)
	case len(answer) > maxAnswer:
		return nil, a.failure(summary.Failure{}, plimsoll.CodeUnavailable, hintServer, fmt.Errorf("the answer has more than %d bytes", maxAnswer))
	case response.StatusCode != http.StatusOK:
		return nil, a.refused(response, answer)
	}
	return answer, nil
}

// Send sends the body of a request for a model to the server of the options. It is a
// [summary.Sender].
func (s *Summarizer) Send(ctx context.Context, model string, body []byte) (*http.Response, error) {
	address, err := s.address(model)
	if err != nil {
		return nil, &summary.Failure{Final: true, Err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &summary.Failure{Final: true, Err: invalid(errors.New("the address cannot be used"), specHint)}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	for name, value := range dialects.Codec(s.options.Dialect).Headers(string(s.options.Key)) {
		request.Header.Set(name, value)
	}
	return s.options.Client.Do(request)
}

// read takes the summary from an answer.
func (a asking) read(answer []byte, r *summary.Request) (summary.Summary, error) {
	response, err := dialects.Codec(a.dialect).ReadResponse(answer)
	if err != nil {
		return summary.Summary{}, a.failure(summary.Failure{}, plimsoll.CodeUnavailable, hintServer, fmt.Errorf("the answer cannot be read: %w", err))
	}
	got, err := a.take(response, r)
	if err != nil {
		var f *summary.Failure
		if errors.As(err, &f) {
			f.Usage = response.Usage
		}
		return summary.Summary{}, err
	}
	got.By, got.Usage = a.Name(), response.Usage
	return got, nil
}

func (a asking) take(response wire.Response, r *summary.Request) (summary.Summary, error) {
	useless := func(why string) (summary.Summary, error) {
		return summary.Summary{}, a.failure(summary.Failure{}, plimsoll.CodeUnavailable, "use another model for summaries", errors.New(why))
	}
	if response.Error != nil {
		if response.Error.Overflows() {
			return summary.Summary{}, a.tooLarge(0, a.said(response.Error.Message))
		}
		return useless(a.said(response.Error.Message))
	}
	switch response.Stop {
	case wire.StopContext:
		return summary.Summary{}, a.tooLarge(0, "the model's window was full before the summary ended")
	case wire.StopLength:
		return useless("the summary was cut off at the most tokens that the model may write")
	case wire.StopFiltered:
		return useless("the provider's filter stopped the summary")
	}
	if plimsoll.Has[plimsoll.ToolCall](response.Message) {
		return useless("the model called a tool instead of writing a summary")
	}
	got, err := summary.Parse(r, response.Message.Text())
	if err != nil {
		return summary.Summary{}, a.failure(summary.Failure{}, plimsoll.CodeUnavailable, "use another model for summaries", err)
	}
	return got, nil
}

const hintServer = "check that the address is that of the API, and that the model is there"

// failure returns an error with what may help.
func (a asking) failure(f summary.Failure, code plimsoll.Code, hint string, err error) error {
	f.Err = &plimsoll.Error{Op: "ask " + a.Name(), Code: code, Hint: hint, Err: err}
	return &f
}

func (a asking) tooLarge(limit int, said string) error {
	return &summary.Failure{TooLarge: true, Limit: limit, Err: &plimsoll.Error{
		Op: "ask " + a.Name(), Code: plimsoll.CodeOverLimit, Hint: "use a model with a larger window for summaries", Err: errors.New(said),
	}}
}

// unreachable says why there is no answer. It leaves out the address, which may have a
// key.
func (a asking) unreachable(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	hint := "check that the server runs and that the address is right"
	if errors.Is(err, context.DeadlineExceeded) {
		hint = "raise the time limit, or use a faster model"
	}
	return a.failure(summary.Failure{Busy: true}, plimsoll.CodeUnavailable, hint, err)
}

// refused says what the server said, and what may help.
func (a asking) refused(response *http.Response, answer []byte) error {
	status := response.StatusCode
	if o, ok := wire.FindOverflow(status, answer); ok {
		return a.tooLarge(o.Limit, response.Status+": "+a.said(o.Message))
	}
	err := errors.New(response.Status)
	if said := a.said(a.message(answer)); said != "" {
		err = fmt.Errorf("%s: %s", response.Status, said)
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return a.failure(summary.Failure{Final: true}, plimsoll.CodeInvalid, "check "+providerOf[a.dialect].env, err)
	case status == http.StatusPaymentRequired, bytes.Contains(answer, []byte("insufficient_quota")):
		return a.failure(summary.Failure{Final: true}, plimsoll.CodeUnavailable, "check the account's quota", err)
	case status == http.StatusNotFound, status < 400:
		return a.failure(summary.Failure{Final: true}, plimsoll.CodeInvalid, hintServer, err)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		f := summary.Failure{Busy: true, After: retryAfter(response.Header, time.Now())}
		return a.failure(f, plimsoll.CodeUnavailable, "try again later", err)
	}
	return a.failure(summary.Failure{}, plimsoll.CodeInvalid, "check the name of the model", err)
}

// retryAfter reads how long the server asks to wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// message returns the error message of an answer.
func (a asking) message(answer []byte) string {
	response, err := dialects.Codec(a.dialect).ReadResponse(answer)
	if err == nil && response.Error != nil {
		return response.Error.Message
	}
	return string(answer)
}

// said shortens a message of a server and removes the key, which some servers repeat.
func (a asking) said(text string) string {
	if key := string(a.options.Key); key != "" {
		text = strings.ReplaceAll(text, key, hiddenKey)
	}
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
