package summary

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll"
)

// scripted answers one request after the other, and keeps what it was asked.
type scripted struct {
	name    string
	answers []func(ctx context.Context, r *Request) (Summary, error)

	mu    sync.Mutex
	asked []Request
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Summarize(ctx context.Context, r *Request) (Summary, error) {
	s.mu.Lock()
	s.asked = append(s.asked, *r)
	answer := s.answers[min(len(s.asked), len(s.answers))-1]
	s.mu.Unlock()
	return answer(ctx, r)
}

func writes(text string) func(context.Context, *Request) (Summary, error) {
	return func(context.Context, *Request) (Summary, error) {
		return Summary{Text: text, By: "m", Usage: plimsoll.Usage{Input: 10}}, nil
	}
}

func fails(err error) func(context.Context, *Request) (Summary, error) {
	return func(context.Context, *Request) (Summary, error) { return Summary{}, err }
}

func hangs(ctx context.Context, _ *Request) (Summary, error) {
	<-ctx.Done()
	return Summary{}, ctx.Err()
}

type answers = []func(context.Context, *Request) (Summary, error)

func TestTheChainGoesFromModelToRetryToFallback(t *testing.T) {
	t.Parallel()
	good, other := writes("The cranes were moved."), writes("Extracted.")
	broken := errors.New("the server fell over")
	tests := map[string]struct {
		model answers
		want  string
		asked int
		bare  bool
		notes []string
	}{
		"the model writes it":              {answers{good}, "The cranes were moved.", 1, false, nil},
		"an error is met by a plain retry": {answers{fails(broken), good}, "The cranes were moved.", 2, true, []string{"model: the server fell over"}},
		"a bad summary is met by a plain retry": {
			answers{writes(""), good}, "The cranes were moved.", 2, true, []string{"model: the summary is empty"},
		},
		"two errors lead to the fallback": {
			answers{fails(broken)}, "Extracted.", 2, true, []string{"model: the server fell over", "model: the server fell over", "written by extract"},
		},
		"what cannot be helped is not tried again": {
			answers{fails(&Failure{Final: true, Err: errors.New("no such key")})}, "Extracted.", 1, false, []string{"model: no such key", "written by extract"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scripted{name: "model", answers: tt.model}
			chain := &Chain{Model: model, Fallback: &scripted{name: "extract", answers: answers{other}}}
			got, err := chain.Summarize(t.Context(), requestOf(Retained, plimsoll.Say(plimsoll.User, prose(20, 0))))
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != tt.want || len(model.asked) != tt.asked || model.asked[tt.asked-1].Bare != tt.bare {
				t.Errorf("%q after %d requests, the last bare: %v", got.Text, len(model.asked), model.asked[len(model.asked)-1].Bare)
			}
			if diff := cmp.Diff(tt.notes, got.Notes); diff != "" {
				t.Errorf("notes -want +got\n%s", diff)
			}
		})
	}
}

func TestAllThatWasBilledIsCounted(t *testing.T) {
	t.Parallel()
	model := &scripted{name: "model", answers: answers{fails(&Failure{Usage: plimsoll.Usage{Input: 5}, Err: errors.New("cut off")}), writes("")}}
	chain := &Chain{Model: model, Fallback: &scripted{name: "extract", answers: answers{func(context.Context, *Request) (Summary, error) {
		return Summary{Text: "Extracted."}, nil
	}}}}
	got, err := chain.Summarize(t.Context(), requestOf(Retained, plimsoll.Say(plimsoll.User, prose(20, 0))))
	if err != nil || got.Usage.Input != 15 {
		t.Errorf("%+v, %v", got.Usage, err)
	}
}

func TestTheModelHasATimeLimitOverAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chain := &Chain{Model: &scripted{name: "model", answers: answers{hangs}}, Fallback: &scripted{name: "extract", answers: answers{writes("Extracted.")}}}
		start := time.Now()
		got, err := chain.Summarize(t.Context(), requestOf(Retained, plimsoll.Say(plimsoll.User, prose(20, 0))))
		if err != nil || got.Text != "Extracted." || time.Since(start) != defaultTimeout {
			t.Errorf("%q, %v after %v", got.Text, err, time.Since(start))
		}
		if !strings.Contains(strings.Join(got.Notes, "\n"), "no summary within 1m0s") {
			t.Errorf("notes %q", got.Notes)
		}
	})
}

func TestTheCallersCancellationBecomesNoSummary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		fallback := &scripted{name: "extract", answers: answers{writes("Extracted.")}}
		chain := &Chain{Model: &scripted{name: "model", answers: answers{hangs}}, Fallback: fallback}
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		start := time.Now()
		got, err := chain.Summarize(ctx, requestOf(Retained, plimsoll.Say(plimsoll.User, prose(20, 0))))
		if !errors.Is(err, context.Canceled) || got.Text != "" || time.Since(start) != time.Second || len(fallback.asked) > 0 {
			t.Errorf("%q, %v after %v", got.Text, err, time.Since(start))
		}
	})
}

func TestABusyServerIsWaitedForIfThatIsShort(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after, want time.Duration
		text        string
	}{
		"three seconds":  {3 * time.Second, 3 * time.Second, "Written."},
		"nobody says":    {0, time.Second, "Written."},
		"a whole minute": {time.Minute, 0, "Extracted."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := &scripted{name: "model", answers: answers{fails(&Failure{Busy: true, After: tt.after, Err: errors.New("busy")}), writes("Written.")}}
				chain := &Chain{Model: model, Fallback: &scripted{name: "extract", answers: answers{writes("Extracted.")}}}
				start := time.Now()
				got, err := chain.Summarize(t.Context(), requestOf(Retained, plimsoll.Say(plimsoll.User, prose(20, 0))))
				if err != nil || got.Text != tt.text || time.Since(start) != tt.want || model.asked[len(model.asked)-1].Bare {
					t.Errorf("%q, %v after %v", got.Text, err, time.Since(start))
				}
			})
		})
	}
}

func TestWithoutAFallbackTheErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	chain := &Chain{Model: &scripted{name: "model", answers: answers{fails(errors.New("no"))}}, Retries: -1}
	_, err := chain.Summarize(t.Context(), requestOf(Retained, plimsoll.Say(plimsoll.User, "x")))
	if plimsoll.HintOf(err) == "" || plimsoll.CodeOf(err) != plimsoll.CodeUnavailable || !strings.Contains(err.Error(), "summarise by model: no") {
		t.Errorf("got %v, hint %q", err, plimsoll.HintOf(err))
	}
}
