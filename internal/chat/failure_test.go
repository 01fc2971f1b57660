package chat_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestAServerThatIsBusySaysHowLongToWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct{ name, header, want string }{
		{"in seconds", "20", "wait 20s, then /retry"},
		{"until a time", now.Add(90 * time.Second).Format(http.TimeFormat), "wait 1m30s, then /retry"},
		{"not at all", "", "wait a little, then /retry"},
		{"in words", "soon", "wait a little, then /retry"},
		{"in the past", "-5", "wait a little, then /retry"},
		{"for ever", "99999999", "wait a little, then /retry"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if tc.header != "" {
					w.Header().Set("Retry-After", tc.header)
				}
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = w.Write([]byte(`{"error":{"message":"Slow down.","type":"rate_limit_error"}}`))
			}))
			t.Cleanup(server.Close)
			p, err := chat.ParseParticipant("openai:gpt-4o@"+server.URL, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			tt := newTable(t)
			tt.o.Participants, tt.o.Now = []chat.Participant{p}, func() time.Time { return now }
			tt.open()
			tt.do("Hello?")
			failed := all[chat.Failed](tt)
			if len(failed) != 1 || plimsoll.HintOf(failed[0].Err) != tc.want || !strings.Contains(failed[0].Err.Error(), "status 429: Slow down.") {
				t.Errorf("failed %+v, want the hint %q", failed, tc.want)
			}
		})
	}
}

func TestAServerThatIsNotThereIsNamedOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for spec, hint := range map[string]string{"openai:gpt-4o": "is a server running there?", "ollama:llama3.2": "is Ollama running there?"} {
		p, err := chat.ParseParticipant(spec+"@"+server.URL, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		tt := newTable(t)
		tt.o.Participants = []chat.Participant{p}
		tt.open()
		tt.do("Hello?")
		failed := all[chat.Failed](tt)
		if len(failed) != 1 || strings.Count(failed[0].Err.Error(), server.URL) != 1 || !strings.HasPrefix(plimsoll.HintOf(failed[0].Err), hint) {
			t.Errorf("%s: failed %+v", spec, failed)
		}
	}
}

func TestAnAnswerThatBreaksOffSaysSoAndIsKept(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"openai", "responses", "anthropic", "gemini"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, &scripted.Options{Script: scripted.Steps(
				scripted.Step{Text: strings.Repeat("on and on ", 100), Pace: time.Millisecond, Cut: true, After: 40},
				scripted.Say("Whole."))})
			tt.open()
			tt.do("Talk.")
			failed := all[chat.Failed](tt)
			if len(failed) != 1 || !strings.Contains(failed[0].Err.Error(), "broke off in the middle of the answer") || !strings.Contains(plimsoll.HintOf(failed[0].Err), "what came so far is kept") {
				t.Errorf("failed %+v", failed)
			}
			if r := tt.engine.Turns()[0].Replies[0]; !strings.Contains(r.Text, "on and on") {
				t.Errorf("kept %q", r.Text)
			}
			tt.do("/retry")
			if r := tt.engine.Turns()[0].Replies[0]; r.Text != "Whole." {
				t.Errorf("after /retry: %q", r.Text)
			}
		})
	}
}
