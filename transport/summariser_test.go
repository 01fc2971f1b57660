package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// scribe is a summariser of the test's own.
type scribe func(context.Context) (summary.Summary, error)

func (scribe) Name() string { return "scribe" }

func (s scribe) Summarize(ctx context.Context, _ *summary.Request) (summary.Summary, error) {
	return s(ctx)
}

func TestASummariserThatFailsStopsNoRequest(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]scribe{
		"with an error": func(context.Context) (summary.Summary, error) { return summary.Summary{}, errors.New("no such model") },
		"with nothing":  func(context.Context) (summary.Summary, error) { return summary.Summary{}, nil },
		"by a mistake":  func(context.Context) (summary.Summary, error) { panic("a mistake") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, err := preset.Auto(&preset.Options{
				Meter: token.NewMeter(nil), Limit: transport.KnownLimit(nil),
				Compaction: preset.CompactionOptions{Summarizer: s},
			})
			if err != nil {
				t.Fatal(err)
			}
			keeper, err := fit.New(options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = keeper.Close() })
			b := newBench(t, &scripted.Options{Window: 9000}, transport.Options{
				Store: newStore(t), Window: 9000, Keeper: func(string) (*fit.Keeper, error) { return keeper, nil },
			})
			a := b.agent(plimsoll.OpenAI, false)
			for i := range 30 {
				a.say(fmt.Sprintf("question %d: %s", i, strings.Repeat("many words ", 200)))
				if got := a.ask(); got.status != http.StatusOK {
					t.Fatalf("request %d: %d %s", i, got.status, got.body)
				}
			}
			if over, wrong := b.upstreamFaults(); over+wrong > 0 {
				t.Errorf("%d overflows, %d violations", over, wrong)
			}
		})
	}
}
