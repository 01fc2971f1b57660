package embedding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/trim"
)

type asked struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// serve starts a server that answers every request.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, a asked)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, r, a)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// vectors answers with a vector for each text, the last one first.
func vectors(w io.Writer, a asked, vector func(text string) []float64) {
	var data []map[string]any
	for i := len(a.Input) - 1; i >= 0; i-- {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector(a.Input[i])})
	}
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": a.Model})
}

func TestT10_EndpointsAreAskedAsOpenAIIs(t *testing.T) {
	t.Parallel()
	var got asked
	var path, key, kind string
	url := serve(t, func(w http.ResponseWriter, r *http.Request, a asked) {
		got, path, key, kind = a, r.Method+" "+r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Content-Type")
		vectors(w, a, func(string) []float64 { return []float64{0.5, -2, 3e-3} })
	})
	e := &embedding.Endpoint{URL: url, APIKey: "secret"}
	v, err := e.Embed(t.Context(), "Is Quay 4 free?")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0.5, -2, 3e-3}, v); diff != "" {
		t.Errorf("the vector: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(asked{"text-embedding-3-small", []string{"Is Quay 4 free?"}}, got); diff != "" {
		t.Errorf("the request: -want +got\n%s", diff)
	}
	if path != "POST /v1/embeddings" || key != "Bearer secret" || kind != "application/json" {
		t.Errorf("%s, %s, %s", path, key, kind)
	}
}

func TestAddressesAreCompletedAndShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://localhost:11434":                         "http://localhost:11434/v1/embeddings",
		"http://localhost:11434/":                        "http://localhost:11434/v1/embeddings",
		"https://api.openai.com/v1":                      "https://api.openai.com/v1/embeddings",
		"https://api.openai.com/v1/":                     "https://api.openai.com/v1/embeddings",
		"https://api.openai.com/v1/embeddings":           "https://api.openai.com/v1/embeddings",
		"https://gate.example/openai/v1":                 "https://gate.example/openai/v1/embeddings",
		"https://me:pass@gate.example/embed?key=abc#top": "https://gate.example/embed",
		"localhost:11434":                                "",
		"ftp://gate.example":                             "",
		"lexical":                                        "",
		"":                                               "",
		"http://%zz":                                     "",
	} {
		e := &embedding.Endpoint{URL: url}
		if got := e.Address(); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
		if want != "" {
			continue
		}
		if _, err := e.Embed(t.Context(), "text"); plimsoll.CodeOf(err) != plimsoll.CodeInvalid || plimsoll.HintOf(err) == "" {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestLongTextsBecomeTheMeanOfTheirPieces(t *testing.T) {
	t.Parallel()
	var requests, most atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request, a asked) {
		requests.Add(1)
		most.Store(max(most.Load(), int64(len(a.Input))))
		vectors(w, a, func(text string) []float64 {
			if strings.Contains(text, "ship") {
				return []float64{30, 0}
			}
			return []float64{0, 4}
		})
	})
	e := &embedding.Endpoint{URL: url, MaxBytes: 16}
	// 30 pieces of ships and 10 of tides, all of 16 bytes.
	v, err := e.Embed(t.Context(), strings.Repeat("ship ship ship \n", 30)+strings.Repeat("tide tide tide \n", 10))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{3 / 3.1622776601683795, 1 / 3.1622776601683795}
	if len(v) != 2 || max(v[0]-want[0], want[0]-v[0], v[1]-want[1], want[1]-v[1]) > 1e-12 {
		t.Errorf("%v, want %v", v, want)
	}
	if requests.Load() != 2 || most.Load() != 32 {
		t.Errorf("%d requests with up to %d texts", requests.Load(), most.Load())
	}
}

func TestAnswersOfServersInTroubleAreExplained(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		answer string
		code   plimsoll.Code
		want   []string
	}{
		{"a wrong key", 401, `{"error":{"message":"Incorrect API key provided: secret."}}`, plimsoll.CodeInvalid, []string{"401 Unauthorized: Incorrect API key provided: ….", "check the API key"}},
		{"a wrong path", 404, "404 page not found\n", plimsoll.CodeInvalid, []string{"404 Not Found: 404 page not found", "OpenAI-compatible embeddings endpoint"}},
		{"a wrong model", 400, `{"error":"model \"x\" not found"}`, plimsoll.CodeInvalid, []string{`model "x" not found`, "name of the model"}},
		{"an input too long", 413, `{"message":"too long"}`, plimsoll.CodeInvalid, []string{"too long", "shorter inputs"}},
		{"an odd status", 405, `{"detail":"Method Not Allowed"}`, plimsoll.CodeInvalid, []string{"Method Not Allowed"}},
		{"too many requests", 429, `{}`, plimsoll.CodeUnavailable, []string{"429 Too Many Requests", "quota"}},
		{"a broken server", 500, "<html>" + strings.Repeat("é", 500), plimsoll.CodeUnavailable, []string{"500 Internal Server Error: <html>é", "…", "try again later"}},
		{"no JSON", 200, "ok", plimsoll.CodeUnavailable, []string{"not a list of embeddings", "check that the address"}},
		{"half of an answer", 200, `{"data":[{"embedding":[1,`, plimsoll.CodeUnavailable, []string{"not a list of embeddings"}},
		{"another answer", 200, `{"choices":[]}`, plimsoll.CodeUnavailable, []string{"0 embeddings for 1 texts"}},
		{"an empty vector", 200, `{"data":[{"index":0,"embedding":[]}]}`, plimsoll.CodeUnavailable, []string{"the embedding of text 0 is empty"}},
		{"no vector", 200, `{"data":[{"index":0,"embedding":null}]}`, plimsoll.CodeUnavailable, []string{"the embedding of text 0 is empty"}},
		{"a vector of words", 200, `{"data":[{"index":0,"embedding":["a"]}]}`, plimsoll.CodeUnavailable, []string{"not a list of embeddings"}},
		{"a vector of something else", 200, `{"data":[{"index":1,"embedding":[1]}]}`, plimsoll.CodeUnavailable, []string{"an embedding of text 1, of 1"}},
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
			w.WriteHeader(tc.status)
			io.WriteString(w, tc.answer)
		})
		v, err := (&embedding.Endpoint{URL: url + "/v1?key=hidden", APIKey: "secret"}).Embed(t.Context(), "text")
		if v != nil || plimsoll.CodeOf(err) != tc.code {
			t.Errorf("%s: %v, %v", tc.name, v, err)
			continue
		}
		said := err.Error() + "\n" + plimsoll.HintOf(err)
		for _, w := range tc.want {
			if !strings.Contains(said, w) {
				t.Errorf("%s: %q does not say %q", tc.name, said, w)
			}
		}
		if strings.Contains(said, "secret") || strings.Contains(said, "hidden") || len(said) > 700 {
			t.Errorf("%s: %q says too much", tc.name, said)
		}
	}
}

func TestVectorsOfOneTextMustHaveOneLength(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("berth 4 is free\n", 40)
	sizes := 0
	for name, vector := range map[string]func(string) []float64{
		"in one answer":  func(string) []float64 { sizes++; return make([]float64, 1+sizes%2) },
		"across answers": func(string) []float64 { sizes++; return append(make([]float64, sizes/33), 1) },
	} {
		sizes = 0
		url := serve(t, func(w http.ResponseWriter, _ *http.Request, a asked) { vectors(w, a, vector) })
		_, err := (&embedding.Endpoint{URL: url, MaxBytes: 16}).Embed(t.Context(), text)
		if plimsoll.CodeOf(err) != plimsoll.CodeUnavailable || !strings.Contains(err.Error(), " numbers") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServersThatDoNotAnswerAreLeft(t *testing.T) {
	t.Parallel()
	url := serve(t, func(_ http.ResponseWriter, r *http.Request, _ asked) { <-r.Context().Done() })
	_, err := (&embedding.Endpoint{URL: url, Timeout: time.Millisecond}).Embed(t.Context(), "text")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(plimsoll.HintOf(err), "time limit") {
		t.Errorf("a slow server: %v, %s", err, plimsoll.HintOf(err))
	}

	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request, _ asked) { close(started); <-r.Context().Done() })
	go func() { <-started; cancel() }()
	if _, err := (&embedding.Endpoint{URL: slow}).Embed(ctx, "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v", err)
	}

	cutOff := serve(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"data":[`)
	})
	if _, err := (&embedding.Endpoint{URL: cutOff}).Embed(t.Context(), "text"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an answer that was cut off: %v", err)
	}

	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	_, err = (&embedding.Endpoint{URL: gone.URL}).Embed(t.Context(), "text")
	if plimsoll.CodeOf(err) != plimsoll.CodeUnavailable || !strings.Contains(plimsoll.HintOf(err), "server runs") {
		t.Errorf("no server: %v", err)
	}
}

func TestTextsOfNothingAreNotSent(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request, asked) { t.Error("a request was made") })
	if _, err := (&embedding.Endpoint{URL: url}).Embed(t.Context(), " \n"); plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
		t.Errorf("%v", err)
	}
}

func TestT10_AVectorWithNullInItIsNone(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[null,1]}]}`)
	})
	in := []json.RawMessage{json.RawMessage(`{"role":"user","content":"aaaa"}`), json.RawMessage(`{"role":"user","content":"bbb"}`)}
	got, err := trim.Messages(t.Context(), in, &trim.Options{Embedder: (&embedding.Endpoint{URL: url}).Embed})
	if err != nil || *got.Statistics.SemanticRetention != 0 {
		t.Errorf("retention %v, error %v; want 0.0", *got.Statistics.SemanticRetention, err)
	}
	if got.EmbedderError == nil || !strings.Contains(got.EmbedderError.Error(), "null") {
		t.Errorf("the reason is %v", got.EmbedderError)
	}
}

func TestT10_TrimMeasuresByAnEndpoint(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request, a asked) {
		vectors(w, a, func(text string) []float64 {
			return []float64{float64(strings.Count(text, "a")), float64(strings.Count(text, "b"))}
		})
	})
	in := []json.RawMessage{json.RawMessage(`{"role":"user","content":"aaaa"}`), json.RawMessage(`{"role":"user","content":"bbb"}`)}
	got, err := trim.Messages(t.Context(), in, &trim.Options{Embedder: (&embedding.Endpoint{URL: url}).Embed})
	if err != nil || got.EmbedderError != nil {
		t.Fatal(err, got.EmbedderError)
	}
	if r := *got.Statistics.SemanticRetention; r != 0.6 {
		t.Errorf("retention %v, want 0.6", r)
	}
}

func ExampleEndpoint() {
	e := &embedding.Endpoint{URL: "http://localhost:11434/v1", Model: "nomic-embed-text"}
	fmt.Println(e.Address())
	// Output: http://localhost:11434/v1/embeddings
}
