package dialects_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestAResultOfACallThatTheProviderHoldsStays(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		dialect plimsoll.Dialect
		body    string
		keep    int
	}{
		"a response that goes on": {
			plimsoll.Responses,
			`{"model":"m","previous_response_id":"r","input":[{"role":"user","content":"a"},{"type":"function_call_output","call_id":"c","output":"x"},{"role":"user","content":"b"}]}`, 1,
		},
		"content that is cached": {
			plimsoll.Gemini,
			`{"cachedContent":"cachedContents/1","contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]},{"role":"model","parts":[{"text":"y"}]},{"role":"user","parts":[{"text":"b"}]}]}`, 0,
		},
		"a result that answers nothing": {
			plimsoll.Responses,
			`{"model":"m","input":[{"role":"user","content":"a"},{"type":"function_call_output","call_id":"c","output":"x"},{"role":"user","content":"b"}]}`, -1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := wiretest.Decode(t, dialects.Codec(tc.dialect), tc.body)
			task := preset.Task(request, preset.Client{})
			held := tc.keep >= 0
			if held != (len(task.Keep) == 1 && task.Keep[0] == tc.keep) {
				t.Errorf("messages %v must be kept, want %d", task.Keep, tc.keep)
			}
			d := plimsoll.NewDraft(request.Conversation(), nil)
			if err := d.DropAlone(request.Outline().Orphans[0].Message, plimsoll.Why{}); err != nil {
				t.Fatal(err)
			}
			body, err := request.Encode(d)
			if err == nil {
				err = task.Check(d, body)
			}
			if invalid := new(dialects.InvalidError); held != (errors.As(err, &invalid) && strings.Contains(err.Error(), "the API holds")) {
				t.Errorf("without it the check says %v", err)
			}
		})
	}
}
