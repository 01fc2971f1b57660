package trim_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

// conformance is a case of testdata/conformance.json: what the tool that defined
// this trimming does, row by row.
type conformance struct {
	Row, Name    string
	Messages     []json.RawMessage
	Max          int
	Counter      string
	Embedder     string
	Each         []int
	Kept         []int
	InputTokens  int             `json:"input_tokens"`
	OutputTokens int             `json:"output_tokens"`
	Ratio        float64         `json:"ratio"`
	Retention    *float64        `json:"retention"`
	TokenCounter json.RawMessage `json:"token_counter"`
	// Select are counts to choose by instead, and Error is what comes of it.
	Select []int
	Error  string
}

func TestT12_DoesWhatItsOriginDoes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []conformance
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		t.Run(tc.Row+" "+tc.Name, func(t *testing.T) {
			t.Parallel()
			if tc.Error != "" {
				tc.checkError(t)
				return
			}
			tc.check(t)
		})
	}
}

func (tc conformance) check(t *testing.T) {
	o := &trim.Options{MaxTokens: tc.Max, Model: "gpt-4o", Counter: counterFor(t, tc.Counter), Embedder: embedders[tc.Embedder]}
	got := messages(t, tc.Messages, o)
	if diff := cmp.Diff(tc.Kept, got.Kept); diff != "" {
		t.Errorf("kept: -want +got\n%s", diff)
	}
	want := trim.Statistics{CompressRatio: tc.Ratio, InputTokens: tc.InputTokens, OutputTokens: tc.OutputTokens, ExcessTokens: max(0, tc.OutputTokens-tc.Max), SemanticRetention: tc.Retention}
	if diff := cmp.Diff(want, got.Statistics); diff != "" {
		t.Errorf("statistics: -want +got\n%s", diff)
	}
	for i, n := range tc.Each {
		one := messages(t, tc.Messages[i:i+1], o)
		if one.Statistics.InputTokens != n {
			t.Errorf("message %d weighs %d tokens, want %d", i, one.Statistics.InputTokens, n)
		}
	}
	if info := marshal(t, got.TokenCounter); tc.TokenCounter != nil && !sameJSON(t, info, tc.TokenCounter) {
		t.Errorf("token_counter is %s, want %s", info, tc.TokenCounter)
	}
}

func (tc conformance) checkError(t *testing.T) {
	_, err := rung.Select(rung.Choice{Messages: len(tc.Messages), Tokens: tc.Select, System: -1})
	if err == nil || !strings.Contains(err.Error(), tc.Error) {
		t.Errorf("error %v, want %q", err, tc.Error)
	}
}

func messages(t testing.TB, in []json.RawMessage, o *trim.Options) *trim.Result {
	t.Helper()
	r, err := trim.Messages(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func marshal(t rapid.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

func counterFor(t testing.TB, name string) plimsoll.Counter {
	t.Helper()
	if name == "words" {
		return &words{}
	}
	c, err := token.Named(plimsoll.StrategyHeuristic)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// words is an encoder that knows words only.
type words struct{ asked int }

func (w *words) Count(text string) int { w.asked++; return len(strings.Fields(text)) }

func (*words) Info() plimsoll.CounterInfo {
	return plimsoll.CounterInfo{Model: "gpt-4o", Encoding: "words", Strategy: plimsoll.StrategyTiktoken}
}

var embedders = map[string]trim.Embedder{
	"":        nil,
	"length":  func(_ context.Context, text string) ([]float64, error) { return []float64{float64(len(text))}, nil },
	"fails":   func(context.Context, string) ([]float64, error) { return []float64{1}, errors.New("out of order") },
	"nothing": func(context.Context, string) ([]float64, error) { return nil, nil },
	"tiny":    func(context.Context, string) ([]float64, error) { return []float64{1e-12}, nil },
	"opposite": func(_ context.Context, text string) ([]float64, error) {
		if strings.Contains(text, "\n") {
			return []float64{1, 2}, nil
		}
		return []float64{-1, -2}, nil
	},
}
