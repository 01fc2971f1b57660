package transport_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

func TestObserversGetTheStatusThatTheClientGot(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		var step scripted.Step
		again := scripted.Use("tool_output_cache", `{"ref_id":"none"}`)
		b := newBench(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
			if len(c.Results()) == 0 && len(step.Calls) == 0 && step.Fault != nil {
				return again, true
			}
			return step, true
		}}, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways, MaxBody: 10_000})
		for name, c := range map[string]struct {
			step  scripted.Step
			limit string
			text  string
			want  int
		}{
			"answered":                {scripted.Say("fine"), "", "hi", http.StatusOK},
			"refused for its load":    {scripted.Say("fine"), "20", "hi", http.StatusBadRequest},
			"refused for its size":    {scripted.Say("fine"), "", strings.Repeat("long ", 2000), http.StatusRequestEntityTooLarge},
			"refused in a later step": {scripted.Step{Fault: &scripted.Fault{Status: http.StatusTeapot}}, "", "hi", http.StatusTeapot},
		} {
			step = c.step
			a := b.agent(d, stream)
			a.say(c.text)
			if c.limit != "" {
				a.header = http.Header{transport.HeaderLimit: {c.limit}}
			}
			if stream && c.want == http.StatusTeapot {
				continue // the client already has the beginning of a stream
			}
			got := a.ask()
			if x := <-b.exchanges; got.status != c.want || x.Status != c.want {
				t.Errorf("%s: the client got %d, observers %d, want %d", name, got.status, x.Status, c.want)
			}
		}
	})
}

func TestObserversGetTheStatusOfAnswersThatPlimsollMakes(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t), Base: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	})})
	for address, d := range map[string]plimsoll.Dialect{"/v1/messages/count_tokens": plimsoll.Anthropic, "/v1/responses/compact": plimsoll.Responses} {
		a := b.long(d, 12)
		got := b.postRaw(address, a.body(), nil)
		if x := <-b.exchanges; got.status != http.StatusOK || x.Status != http.StatusOK {
			t.Errorf("%s: the client got %d, observers %d: %.300s", address, got.status, x.Status, got.body)
		}
	}
}
