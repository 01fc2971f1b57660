package interop_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/interop/gosdk"
	"github.com/plimsoll/plimsoll/interop/job"
	"github.com/plimsoll/plimsoll/interop/rig"
)

var everyDialect = []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini}

// eachGoSDK runs a test for each library, with a proxy and without, with and without a
// stream.
func eachGoSDK(t *testing.T, ways []rig.Way, test func(t *testing.T, d plimsoll.Dialect, way rig.Way, stream bool)) {
	for _, way := range ways {
		for _, d := range everyDialect {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/stream=%t", way, d, stream), func(t *testing.T) {
					t.Parallel()
					test(t, d, way, stream)
				})
			}
		}
	}
}

var managedWays = []rig.Way{rig.InProcess, rig.Limited}

func begin(t *testing.T, d plimsoll.Dialect, r *rig.Rig) gosdk.Session {
	t.Helper()
	s, err := gosdk.New(t.Context(), d, r.URL, r.Client)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGoSDKsGetPlainAnswersAndTheirBills(t *testing.T) {
	eachGoSDK(t, managedWays, func(t *testing.T, d plimsoll.Dialect, way rig.Way, stream bool) {
		r := rig.New(t, way, &rig.Options{Window: small, Script: scripted.Steps(scripted.Say("Three ships, all moored."))})
		s := begin(t, d, r)
		s.Say("How many ships?")
		turn, err := s.Ask(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Text != "Three ships, all moored." || turn.Prompt == 0 {
			t.Errorf("the answer is %q for %d tokens", turn.Text, turn.Prompt)
		}
		sent, got := r.Passages()[0].Body, r.Asked()[0].Body
		if string(sent) != string(got) {
			t.Errorf("sent\n%s\nand there came\n%s", sent, got)
		}
	})
}

func TestGoSDKsFinishAJobThatIsLargerThanTheWindow(t *testing.T) {
	eachGoSDK(t, managedWays, func(t *testing.T, d plimsoll.Dialect, way rig.Way, stream bool) {
		uncut := lead(t, d, rig.Direct, large, stream)
		check(t, way, lead(t, d, way, small, stream), uncut)
	})
}

func TestGoSDKsFinishAJobWithAWindowThatNobodyKnew(t *testing.T) {
	eachGoSDK(t, []rig.Way{rig.Learned}, func(t *testing.T, d plimsoll.Dialect, way rig.Way, stream bool) {
		uncut := lead(t, d, rig.Direct, large, stream)
		check(t, way, lead(t, d, way, small, stream), uncut)
	})
}

// lead does the whole job with a library.
func lead(t *testing.T, d plimsoll.Dialect, way rig.Way, window int, stream bool) rig.Verdict {
	t.Helper()
	j, err := job.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rig.New(t, way, &rig.Options{Window: window, Script: j.Script})
	s := begin(t, d, r)
	s.Say(j.Prompt())
	for {
		turn, err := s.Ask(t.Context(), stream)
		if err != nil {
			t.Fatalf("after %s: %v", r.Judge(t, j), err)
		}
		if len(turn.Calls) == 0 {
			if !strings.Contains(turn.Text, job.Done) {
				t.Errorf("the last answer is %q", turn.Text)
			}
			break
		}
		var results []string
		for _, call := range turn.Calls {
			if call.Name != "read_file" {
				t.Errorf("the client was shown a call of %q", call.Name)
			}
			data, err := os.ReadFile(call.Path)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, string(data))
		}
		s.Answer(results)
	}
	v := r.Judge(t, j)
	t.Logf("%s: %s", way, v)
	blame(t, v)
	return v
}

func TestGoSDKsReadARefusalAsTheirOwnError(t *testing.T) {
	eachGoSDK(t, managedWays, func(t *testing.T, d plimsoll.Dialect, way rig.Way, stream bool) {
		r := rig.New(t, way, &rig.Options{Window: 2000})
		s := begin(t, d, r)
		s.Say(strings.Repeat("A ship that is longer than the quay. ", 1000))
		_, err := s.Ask(t.Context(), stream)
		status, code, message := refusal(err)
		if status != http.StatusBadRequest || code != codes[d] {
			t.Errorf("status %d, code %q, want 400 and %q: %v", status, code, codes[d], err)
		}
		if n := len(r.Asked()); n > 0 {
			t.Errorf("%d requests were sent", n)
		}
		if !strings.Contains(message, "tokens") {
			t.Errorf("it does not say how large it is: %s", message)
		}
	})
}

// codes are what programs look for when a request is too large.
var codes = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "context_length_exceeded", plimsoll.Responses: "context_length_exceeded",
	plimsoll.Anthropic: "invalid_request_error", plimsoll.Gemini: "INVALID_ARGUMENT",
}

// refusal reads an error as a program does that knows the library.
func refusal(err error) (status int, code, message string) {
	var o *openai.Error
	var a *anthropic.Error
	var g genai.APIError
	switch {
	case errors.As(err, &o):
		return o.StatusCode, o.Code, o.Message
	case errors.As(err, &a):
		return a.StatusCode, string(a.Type()), a.RawJSON()
	case errors.As(err, &g):
		return g.Code, g.Status, g.Message
	}
	return 0, "", ""
}
