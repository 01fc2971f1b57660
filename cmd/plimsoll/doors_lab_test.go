package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/lab/replay"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// labNames is an archive that names content as the lab does.
type labNames struct{}

func (labNames) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return replay.RefOf(content), nil
}

func (a labNames) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

func (labNames) Content(context.Context, string) (plimsoll.List[plimsoll.Part], error) {
	return plimsoll.List[plimsoll.Part]{}, plimsoll.ErrNotFound
}

// TestTheLabCutsAsTheLibraryDoes plays an agent's work to preset auto in each API, and a
// chat to multichat.
func TestTheLabCutsAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	conversations(t, func(t *testing.T, doors func() *doors, request func(plimsoll.Conversation) []byte) {
		doors().playedAlike(preset.NameAuto, 60, func(calls int) []byte { return request(agentAtWork(calls)) })
		doors().playedAlike(preset.NameMultichat, 150, func(calls int) []byte {
			c := talk("en", 150)
			c.Messages = plimsoll.ListOf(c.Messages.Slice()[:2*calls+2]...)
			return request(c)
		})
	})
}

// playedAlike gives the lab a recorded conversation, and the library the request of each
// call. A name in the conversation has tokens, so both name what they take out alike: the
// lab stores messages in their neutral form, because most records are no requests.
func (w *doors) playedAlike(policy string, calls int, request func(calls int) []byte) {
	w.t.Helper()
	options, err := preset.Named(policy, &preset.Options{Window: doorWindow, Meter: token.NewMeter(nil)})
	w.must(err)
	now := time.Unix(0, 0)
	options.Now = func() time.Time { return now }
	k, err := fit.New(options)
	w.must(err)
	sum, cut := 0, false
	var last *plimsoll.Plan
	for n := range calls + 1 {
		now = now.Add(10 * time.Second) // as the lab assumes
		task := preset.Task(w.decode(request(n)), preset.Client{Archive: labNames{}})
		task.Raw, task.Parse = nil, nil
		last, err = k.Fit(w.t.Context(), task)
		w.must(err)
		sum += last.After.Total
		cut = cut || last.Changed()
	}
	file := filepath.Join(w.t.TempDir(), "session.jsonl")
	w.must(os.WriteFile(file, request(calls), 0o600))
	out, err := exec.CommandContext(w.t.Context(), "plimsoll", "replay", "--policy", policy, "--prices", last.Conversation().Model, "--window", fmt.Sprint(doorWindow), "--json", "-", file).Output()
	w.must(err)
	var report struct {
		Calls, Tokens int
		Policies      map[string]struct {
			Load int `json:"mean_load"`
		}
	}
	w.must(json.Unmarshal(out, &report))
	if report.Calls != calls+1 || report.Tokens != last.Before.Total || !cut {
		w.t.Errorf("%s: the lab plays %d calls and counts %d tokens at the end, the library %d and %d; cut: %v", policy, report.Calls, report.Tokens, calls+1, last.Before.Total, cut)
	}
	if want, got := sum/max(1, report.Calls), report.Policies[policy].Load; got != want {
		w.t.Errorf("%s: the requests of the lab have %d tokens on average, those of the library %d", policy, got, want)
	}
}
