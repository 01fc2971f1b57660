package main

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// plainNames is an archive whose references are the same in every run.
type plainNames struct{}

func (plainNames) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	text := plimsoll.TextOf(content)
	sum := sha256.Sum256([]byte(text))
	return plimsoll.Ref{ID: strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:26], Bytes: int64(len(text)), Lines: int64(strings.Count(text, "\n") + 1)}, nil
}

func (a plainNames) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

func (plainNames) Content(context.Context, string) (plimsoll.List[plimsoll.Part], error) {
	return plimsoll.List[plimsoll.Part]{}, plimsoll.ErrNotFound
}

// TestTheLabCutsAsTheLibraryDoes plays an agent's work to preset auto in each API, and a
// chat to multichat.
func TestTheLabCutsAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	conversations(t, func(t *testing.T, doors func() *doors, request func(plimsoll.Conversation) []byte) {
		doors().playedAlike(preset.NameAuto, 60, 0.005, func(calls int) []byte { return request(agentAtWork(calls)) })
		doors().playedAlike(preset.NameMultichat, 150, 0.005, func(calls int) []byte {
			c := talk("en", 150)
			c.Messages = plimsoll.ListOf(c.Messages.Slice()[:2*calls+2]...)
			c.Tools = agentAtWork(1).Tools // without tools the lab assumes that some are not recorded
			return request(c)
		})
	})
}

// playedAlike gives the lab a recorded conversation, and the library the request of each
// call. `plimsoll replay` has no store and makes its own references, so each of them may
// weigh a token or two more or less.
func (w *doors) playedAlike(policy string, calls int, off float64, request func(calls int) []byte) {
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
		last, err = k.Fit(w.t.Context(), preset.Task(w.decode(request(n)), preset.Client{Archive: plainNames{}}))
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
	want, got := sum/max(1, report.Calls), report.Policies[policy].Load
	if math.Abs(float64(got-want))/float64(want) > off {
		w.t.Errorf("%s: the requests of the lab have %d tokens on average, those of the library %d", policy, got, want)
	}
}
