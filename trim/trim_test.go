package trim_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

func list(texts ...string) []json.RawMessage {
	all := make([]json.RawMessage, len(texts))
	for i, t := range texts {
		all[i] = json.RawMessage(t)
	}
	return all
}

func harbour() []json.RawMessage {
	return list(
		`{"role":"system","content":"You keep the berth plan of Saltmere harbour."}`,
		`{"role":"user","content":"Is Quay 4 free tonight?"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"berths","arguments":"{\"quay\":4}"}}]}`,
		`{"role":"tool","tool_call_id":"1","content":"[{\"quay\":4,\"ship\":null}]"}`,
		`{"role":"assistant","content":"It is free until the morning tide, and nobody has asked for it."}`,
		`{"role":"user","content":"Then book the Aster."}`,
	)
}

func TestT01_ContentMayBeAnything(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]int{
		`"content":"abcd"`: 6, `"content":""`: 5, `"content":null`: 6, `"x":1`: 5, `"content":[]`: 5, `"content":{}`: 5,
		`"content":[{"type":"text","text":"hi"}]`:                  13,
		`"content":[{"type":"image_url","image_url":{"url":"a"}}]`: 4 + 50/4 + 1,
		`"content":true`:     6,
		`"content":12345678`: 7,
		`"content":"first","content":"the last one counts"`:                 4 + 19/4 + 1,
		`"content":"with \u65e5\u672c and \ud83d\ude00 as one character"`:   4 + 30/4 + 1,
		`"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`: 4 + 62/4 + 1,
	} {
		got := messages(t, list(`{"role":"user",`+content+`}`), &trim.Options{Counter: counterFor(t, "")})
		if got.Statistics.InputTokens != want {
			t.Errorf("%s weighs %d tokens, want %d", content, got.Statistics.InputTokens, want)
		}
	}
}

func TestT03_InputStaysAsItIsAndMessagesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	in := list(
		`{ "content":"\u3042<b>", "role":"user", "n":1.50e0,"role":"user" }`,
		"{\"role\":\"system\",\n \"content\":[]}",
	)
	before := list(string(in[0]), string(in[1]))
	got := messages(t, in, &trim.Options{MaxTokens: 1000})
	if diff := cmp.Diff([]json.RawMessage{before[1], before[0]}, got.Messages); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, m := range got.Messages {
		for i := range m {
			m[i] = 'x'
		}
	}
	if diff := cmp.Diff(before, in); diff != "" {
		t.Errorf("a result that was overwritten changed the input: -want +got\n%s", diff)
	}
}

func TestT04_CountsContentPlusFour(t *testing.T) {
	t.Parallel()
	o200k, err := token.Named("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	got := messages(t, harbour()[1:2], nil)
	if want := o200k.Count("Is Quay 4 free tonight?") + 4; got.Statistics.InputTokens != want {
		t.Errorf("%d tokens, want %d", got.Statistics.InputTokens, want)
	}
	// A call is not counted, and its null content is the word None.
	got = messages(t, harbour()[2:3], nil)
	if want := o200k.Count("None") + 4; got.Statistics.InputTokens != want {
		t.Errorf("a call weighs %d tokens, want %d", got.Statistics.InputTokens, want)
	}
}

func TestT05_CountsCharactersWithoutAnEncoder(t *testing.T) {
	t.Parallel()
	got := messages(t, list(`{"role":"user","content":"岸壁は空いていますか"}`), &trim.Options{Counter: counterFor(t, "")})
	if got.Statistics.InputTokens != 10/4+1+4 {
		t.Errorf("%d tokens", got.Statistics.InputTokens)
	}
}

func TestT06_ModelsHaveTheirOwnEncoding(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, model, want string }{
		{"the default", "", `{"model":"gpt-4o","encoding":"o200k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
		{"a model", "gpt-4o", `{"model":"gpt-4o","encoding":"o200k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
		{"an older model", "gpt-3.5-turbo", `{"model":"gpt-3.5-turbo","encoding":"cl100k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
		{"an alias", "openai/gpt-4o-2024-11-20", `{"model":"gpt-4o","encoding":"o200k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
		{"a model that nobody knows", "harbour-9", `{"model":"harbour-9","encoding":"cl100k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
	} {
		got := messages(t, harbour(), &trim.Options{Model: tc.model})
		if info := string(marshal(t, got.TokenCounter)); info != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, info, tc.want)
		}
	}
}

func TestT08_CountersAreShared(t *testing.T) {
	t.Parallel()
	shared := &words{}
	for range 2 {
		messages(t, harbour(), &trim.Options{Counter: shared})
	}
	if want := 2 * len(harbour()); shared.asked != want {
		t.Errorf("the counter was asked %d times, want %d", shared.asked, want)
	}
}

func TestT09_RatioIsOutputByInput(t *testing.T) {
	t.Parallel()
	got := messages(t, harbour(), &trim.Options{MaxTokens: 40})
	s := got.Statistics
	if s.OutputTokens >= s.InputTokens || s.CompressRatio != float64(s.OutputTokens)/float64(s.InputTokens) {
		t.Errorf("%+v", s)
	}
	var both map[string]float64
	if err := json.Unmarshal(marshal(t, s), &both); err != nil {
		t.Fatal(err)
	}
	if both["compress_ratio"] != s.CompressRatio || both["compression_ratio"] != s.CompressRatio {
		t.Errorf("the ratio under its names: %v", both)
	}
}

func TestT10_RetentionComparesTextsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	var texts []string
	embed := func(_ context.Context, text string) ([]float64, error) {
		texts = append(texts, text)
		if len(texts) == 1 {
			return []float64{3, 4}, nil
		}
		return []float64{4}, nil // filled up with zeros
	}
	in := list(
		`{"role":"user","content":"one"}`, `{"role":"user","content":null}`, `{"role":"user"}`,
		`{"role":"user","content":[{"text":"two"}]}`, `{"role":"user","content":"three"}`,
	)
	got := messages(t, in, &trim.Options{Embedder: embed, Counter: counterFor(t, "")})
	if diff := cmp.Diff([]string{"one\nNone\n\n[{'text': 'two'}]\nthree", "three"}, texts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r := got.Statistics.SemanticRetention; r == nil || *r != 0.6 {
		t.Errorf("retention %v, want 0.6", r)
	}
}

// TestT02_R14_AResultOverTheLimitSaysSo: max_context_tokens is the limit of everything, the
// system message included, and what always stays may exceed it.
func TestT02_R14_AResultOverTheLimitSaysSo(t *testing.T) {
	t.Parallel()
	heuristic := counterFor(t, "")
	for limit, want := range map[int]int{0: 16, 10: 6, 15: 1, 16: 0, 29: 0} {
		in := list(`{"role":"system","content":"stay concise"}`, `{"role":"user","content":"hello"}`, `{"role":"assistant","content":"hi there"}`, `{"role":"user","content":"tell me more"}`)
		got := messages(t, in, &trim.Options{MaxTokens: limit, Counter: heuristic})
		if got.Statistics.ExcessTokens != want {
			t.Errorf("limit %d: %d tokens over it, want %d", limit, got.Statistics.ExcessTokens, want)
		}
		text := string(marshal(t, got))
		if said := strings.Contains(text, `"excess_tokens":`); said != (want > 0) {
			t.Errorf("limit %d: %s", limit, text)
		}
	}
}

func TestR09_OneMessageIsWeighed(t *testing.T) {
	t.Parallel()
	heuristic := counterFor(t, "")
	sum := 0
	for _, m := range harbour() {
		n, err := trim.CountMessage(m, heuristic)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if want := messages(t, harbour(), &trim.Options{Counter: heuristic}).Statistics.InputTokens; sum != want {
		t.Errorf("the messages weigh %d one by one, and %d together", sum, want)
	}
	// The figures of the source text: the integer of characters / 4, plus 1, plus 4.
	for message, want := range map[string]int{`{"content":"stay concise"}`: 8, `{"content":null}`: 6, `{"content":"日本語で書く。"}`: 6} {
		if n, err := trim.CountMessage(json.RawMessage(message), heuristic); n != want || err != nil {
			t.Errorf("%s weighs %d, %v; want %d", message, n, err, want)
		}
	}
	if _, err := trim.CountMessage(json.RawMessage(`[1]`), nil); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("a list was weighed: %v", err)
	}
}

func TestT10_AnEmbedderThatPanicsMakesARetentionOfZero(t *testing.T) {
	t.Parallel()
	got := messages(t, harbour(), &trim.Options{Embedder: func(context.Context, string) ([]float64, error) { panic("out of order") }})
	if r := got.Statistics.SemanticRetention; r == nil || *r != 0 {
		t.Errorf("retention %v, want 0.0", r)
	}
	if err := got.EmbedderError; err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("the reason is %v", err)
	}
}

func TestT10_EmbeddersThatFailMakeNoError(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name  string
		embed trim.Embedder
		err   error
	}{
		{"an error", func(context.Context, string) ([]float64, error) { return nil, broken }, broken},
		{"an error for what is left", func(_ context.Context, text string) ([]float64, error) {
			if !strings.Contains(text, "\n") {
				return nil, broken
			}
			return []float64{1}, nil
		}, broken},
		{"a context that has ended", func(ctx context.Context, _ string) ([]float64, error) { return nil, ctx.Err() }, context.Canceled},
		{"a number that is none", func(context.Context, string) ([]float64, error) { return []float64{math.NaN()}, nil }, nil},
		{"a number without end", func(context.Context, string) ([]float64, error) { return []float64{math.Inf(1)}, nil }, nil},
		{"zeros", func(context.Context, string) ([]float64, error) { return []float64{0, 0}, nil }, nil},
	} {
		in := list(`{"role":"user","content":"one"}`, `{"role":"user","content":"two"}`)
		got, err := trim.Messages(stopped, in, &trim.Options{Embedder: tc.embed})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if r := got.Statistics.SemanticRetention; r == nil || *r != 0 || !errors.Is(got.EmbedderError, tc.err) {
			t.Errorf("%s: retention %v, %v", tc.name, r, got.EmbedderError)
		}
		marshal(t, got)
	}
}

func TestT11_ResultHasFourKeys(t *testing.T) {
	t.Parallel()
	in := list(`{"role":"user","content":"hello"}`)
	length := embedders["length"]
	for _, tc := range []struct {
		name string
		o    *trim.Options
		want string
	}{
		{
			"without an embedder", &trim.Options{MaxTokens: 100, Model: "gpt-4", Counter: counterFor(t, "")},
			`{"messages":[{"role":"user","content":"hello"}],` +
				`"statistics":{"compress_ratio":1.0,"compression_ratio":1.0,"input_tokens":6,"output_tokens":6},` +
				`"token_counter":{"model":"gpt-4","encoding":null,"uses_tiktoken":false,"strategy":"heuristic"},` +
				`"semantic_options":{}}`,
		},
		{
			"with an embedder", &trim.Options{MaxTokens: 100, Model: "gpt-4", Embedder: length, SemanticOptions: map[string]any{"embedder": "length"}},
			`{"messages":[{"role":"user","content":"hello"}],` +
				`"statistics":{"compress_ratio":1.0,"compression_ratio":1.0,"input_tokens":5,"output_tokens":5,"semantic_retention":1.0},` +
				`"token_counter":{"model":"gpt-4","encoding":"cl100k_base","uses_tiktoken":true,"strategy":"tiktoken"},` +
				`"semantic_options":{"embedder":"length"}}`,
		},
		{
			"with options and no embedder", &trim.Options{MaxTokens: 100, Model: "gpt-4", SemanticOptions: map[string]any{"embedder": "none", "threshold": 0.85}},
			`{"messages":[{"role":"user","content":"hello"}],` +
				`"statistics":{"compress_ratio":1.0,"compression_ratio":1.0,"input_tokens":5,"output_tokens":5},` +
				`"token_counter":{"model":"gpt-4","encoding":"cl100k_base","uses_tiktoken":true,"strategy":"tiktoken"},` +
				`"semantic_options":{"embedder":"none","threshold":0.85}}`,
		},
	} {
		if diff := cmp.Diff(tc.want, string(marshal(t, messages(t, in, tc.o)))); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
	empty := messages(t, nil, nil)
	if got := string(marshal(t, empty)); !strings.HasPrefix(got, `{"messages":[],"statistics":{"compress_ratio":1.0,`) {
		t.Errorf("no messages: %s", got)
	}
	bad := messages(t, in, &trim.Options{SemanticOptions: map[string]any{"embedder": func() {}}})
	if _, err := json.Marshal(bad); plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
		t.Errorf("options that are no JSON: %v", err)
	}
}

// The three points of the text's section 5.
func TestT12_CounterSaysTheSameWithAndWithoutAnEncoder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		counter  plimsoll.Counter
		encoding any
		uses     bool
		strategy string
	}{
		{nil, "o200k_base", true, "tiktoken"},
		{counterFor(t, ""), nil, false, "heuristic"},
	} {
		got := messages(t, harbour(), &trim.Options{Model: "gpt-4o", Counter: tc.counter})
		var info map[string]any
		if err := json.Unmarshal(marshal(t, got.TokenCounter), &info); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"model": "gpt-4o", "encoding": tc.encoding, "uses_tiktoken": tc.uses, "strategy": tc.strategy}
		if diff := cmp.Diff(want, info); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestT12_RatioAgreesWithTheTokens(t *testing.T) {
	t.Parallel()
	last := 0.0
	for limit := 0; limit <= 100; limit += 5 {
		s := messages(t, harbour(), &trim.Options{MaxTokens: limit}).Statistics
		if s.CompressRatio != float64(s.OutputTokens)/float64(s.InputTokens) {
			t.Errorf("at %d: %+v", limit, s)
		}
		last = s.CompressRatio
	}
	if last != 1 {
		t.Errorf("everything fits and the ratio is %v", last)
	}
}

func TestT12_RetentionIsZeroWithoutAVector(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nothing", "fails"} {
		got := messages(t, harbour(), &trim.Options{Embedder: embedders[name]})
		if r := got.Statistics.SemanticRetention; r == nil || *r != 0 || got.EmbedderError == nil {
			t.Errorf("%s: retention %v, %v", name, r, got.EmbedderError)
		}
	}
}

func TestPairsKeepCallsWithTheirResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		max   int
		pairs bool
		want  []int
	}{
		{"without them a call goes and its result stays", 57, false, []int{0, 3, 4, 5}},
		{"with them both go, and an older one stays", 57, true, []int{0, 1, 4, 5}},
		{"with them both stay", 63, true, []int{0, 2, 3, 4, 5}},
	} {
		got := messages(t, harbour(), &trim.Options{MaxTokens: tc.max, Pairs: tc.pairs, Counter: counterFor(t, "")})
		if diff := cmp.Diff(tc.want, got.Kept); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
	newest := messages(t, harbour()[:4], &trim.Options{Pairs: true})
	if diff := cmp.Diff([]int{0, 2, 3}, newest.Kept); diff != "" {
		t.Errorf("the newest is a result: -want +got\n%s", diff)
	}
}

func TestMessagesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	good := `{"role":"user","content":"a"}`
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	for _, tc := range []struct {
		name  string
		in    []json.RawMessage
		pairs bool
		want  string
	}{
		{"a text", list(good, `"hello"`), false, "message 1: invalid input: a message is a JSON object"},
		{"nothing", list(""), false, "message 0: invalid input: json: offset 0"},
		{"half of one", list(good, good, `{"role":`), false, "message 2: invalid input: json: offset 8"},
		{"two in one", list(good + good), false, "message 0: invalid input: json: offset 29"},
		{"a pit", list(`{"content":` + deep + `}`), false, "message 0: invalid input: the content is nested deeper than 1000"},
		{"no role where it matters", list(`{"content":"a"}`), true, "find tool calls and their results: "},
		{"calls of another API", list(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}`), true, "message 0: not supported: tool_use is a block of Anthropic's API"},
	} {
		got, err := trim.Messages(t.Context(), tc.in, &trim.Options{Pairs: tc.pairs})
		if got != nil || err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
			continue
		}
		if code := plimsoll.CodeOf(err); !slices.Contains([]plimsoll.Code{plimsoll.CodeInvalid, plimsoll.CodeUnsupported}, code) {
			t.Errorf("%s: code %s", tc.name, code)
		}
	}
}
