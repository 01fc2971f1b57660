package fit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

func TestAPolicyIsToldWhatACallAdds(t *testing.T) {
	t.Parallel()
	chat := []plimsoll.Message{plimsoll.Say(plimsoll.System, "SYSTEM")}
	for range 10 {
		chat = append(chat, plimsoll.Say(plimsoll.User, "how deep is it here?"), plimsoll.Say(plimsoll.Assistant, "four fathoms and a half"))
	}
	var items []plimsoll.Message
	for _, m := range readings(20).Messages.All() {
		if m.Role == plimsoll.Assistant {
			items = append(items, plimsoll.Say(plimsoll.Assistant, "the next one"))
		}
		items = append(items, m)
	}
	for name, tt := range map[string]struct {
		c           plimsoll.Conversation
		least, most int
	}{
		"rounds of tools": {readings(20), 400, 450},
		"words and calls that are items of their own": {plimsoll.Conversation{Messages: plimsoll.ListOf(items...)}, 400, 470},
		"turns of a chat":  {plimsoll.Conversation{Messages: plimsoll.ListOf(chat...)}, 43, 60},
		"nothing said yet": {plimsoll.Conversation{Messages: plimsoll.ListOf(chat[:1]...)}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{}
			_, err := policyKeeper(t, s, nil).Fit(t.Context(), fit.Task{Conversation: tt.c})
			testkit.Must(t, err)
			if got := s.outlooks[0].PerCall; got < tt.least || got > tt.most {
				t.Errorf("a call adds %d, want %d to %d", got, tt.least, tt.most)
			}
		})
	}
}

// TestAnewIsWhatIsCountedCallByCall adds up what calls behind a cut bring, until the
// load is back where it was.
func TestAnewIsWhatIsCountedCallByCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pace := rapid.IntRange(1, 5000).Draw(t, "pace")
		calls := rapid.IntRange(1, 100).Draw(t, "calls")
		left := rapid.IntRange(1, 100_000).Draw(t, "left")
		anew := rapid.IntRange(0, left).Draw(t, "anew")
		load := left + calls*pace
		fresh, prompts := float64(anew), 0.0
		for i := range calls {
			fresh += float64(pace)
			prompts += float64(left) + float64(pace)*(float64(i)+0.5) // between two calls
		}
		if got, want := fit.RewriteShare(load, left, anew, pace), fresh/prompts; got < want*0.999 || got > want*1.001 {
			t.Fatalf("%v of the prompts, counted %v", got, want)
		}
	})
	if got := fit.RewriteShare(1000, 1000, 0, 10); got != 1 {
		t.Errorf("behind a cut that takes off nothing %v is new", got)
	}
}
