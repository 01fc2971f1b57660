package trim_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/trim"
)

func TestParseFindsMessages(t *testing.T) {
	t.Parallel()
	const a, b = `{"role":"user", "content":"a"}`, `{"content":null}`
	for _, tc := range []struct {
		name, data string
		want       trim.Input
	}{
		{"a list", " [" + a + " , " + b + "]\n", trim.Input{Messages: list(a, b)}},
		{"an empty list", "[]", trim.Input{Messages: list()}},
		{"a request", `{"model":"gpt-4","stream":true,"messages":[` + a + `]}`, trim.Input{Messages: list(a), Model: "gpt-4"}},
		{"lines", a + "\n\n" + b + "\r\n", trim.Input{Messages: list(a, b)}},
		{"one line", a, trim.Input{Messages: list(a)}},
		{"a byte order mark", "\ufeff[" + a + "]", trim.Input{Messages: list(a)}},
		{"a list of what are no messages", "[1]", trim.Input{Messages: []json.RawMessage{json.RawMessage("1")}}},
	} {
		got, err := trim.Parse([]byte(tc.data))
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got\n%s", tc.name, err, diff)
		}
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, data, want string }{
		{"nothing", " \n", "invalid input: no messages found"},
		{"a word", "hello", "invalid input: no messages found"},
		{"a number", "7", "invalid input: no messages found"},
		{"an object of another kind", `{"depth":8.9}`, "invalid input: no messages found"},
		{"a request of another API", `{"contents":[]}`, "invalid input: no messages found"},
		{"messages that are no list", `{"messages":"hi"}`, "invalid input: messages must be a list"},
		{"a list with a mistake", "[\n{\"role\":}]", `line 2, byte 10: invalid input: found '}', want a value`},
		{"something behind a list", "[]\n[]", `line 2, byte 3: invalid input: found '[', want nothing after the value`},
		{"something behind a request", "{\n\"messages\":[]}\n{}", `line 3, byte 17: invalid input: found '{', want nothing after the value`},
		{"a line with a mistake", "\ufeff{\"role\":\"user\"}\n{\"role\":\n", `line 2, byte 27: invalid input: found end of text, want a value`},
		{"a line of another kind", "{\"role\":\"user\"}\n{\"depth\":1}\n", "line 2: invalid input: no messages found"},
		{"a conversation a line", "{\"messages\":[]}\n{\"messages\":[]}\n", "line 1: invalid input: want one message a line"},
		{"a list among lines", "{\"role\":\"user\"}\n[]\n", "line 2: invalid input: want one message a line"},
	} {
		_, err := trim.Parse([]byte(tc.data))
		if err == nil || err.Error() != tc.want || !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
}
