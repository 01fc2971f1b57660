package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// weather is an upstream that fails now and then.
type weather struct {
	seed  uint64
	model *scripted.Model
	odd   string // how it says that the context is full; empty for the API's own words
	mu    sync.Mutex
	sent  map[string][]sending
	// leave, if not nil, is called when the next request arrives.
	leave func()
}

// sending is one request that arrived, and what became of it.
type sending struct {
	body     []byte
	status   int
	mood     string
	overflow bool
}

func (w *weather) of(id string) []sending {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent[id]
}

// moods are what an upstream does, the likely ones more often.
var moods = []string{"fine", "fine", "fine", "fine", "fine", "fine", "fine", "fine", "coded", "coded", "slow", "429", "500", "529", "cut", "cut at once", "garbage", "empty"}

func (w *weather) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	id := r.Header.Get("X-Storm")
	w.mu.Lock()
	n := len(w.sent[id])
	number, _ := strconv.Atoi(id)
	mood := moods[rand.New(rand.NewPCG(w.seed, uint64(number*100+n))).IntN(len(moods))]
	w.sent[id] = append(w.sent[id], sending{body: body, mood: mood})
	if w.leave != nil {
		w.leave()
		mood = "left"
	}
	w.mu.Unlock()
	if mood == "left" {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	rec := httptest.NewRecorder()
	switch mood {
	case "429", "500", "529":
		status, _ := strconv.Atoi(mood)
		rec.Header().Set("Retry-After", "1")
		rec.WriteHeader(status)
		fmt.Fprintf(rec, `{"error":{"message":"mood %s","type":"overloaded_error"}}`, mood)
	case "garbage":
		_, _ = rec.WriteString("<html>no JSON, no events</html>")
	case "empty":
		rec.WriteHeader(http.StatusOK)
	case "slow":
		time.Sleep(5 * time.Millisecond)
		fallthrough
	default:
		w.model.ServeHTTP(rec, r)
	}
	overflow := rec.Code == http.StatusBadRequest && bytes.Contains(rec.Body.Bytes(), []byte("token")) || bytes.Contains(rec.Body.Bytes(), []byte("context_length_exceeded"))
	text := rec.Body.Bytes()
	if overflow && w.odd != "" && rec.Code == http.StatusBadRequest {
		text = []byte(w.odd)
	}
	w.mu.Lock()
	w.sent[id][n].status, w.sent[id][n].overflow = rec.Code, overflow
	w.mu.Unlock()
	w.answer(rw, r, mood, rec, text)
}

// answer writes what was recorded, as the mood wants it.
func (w *weather) answer(rw http.ResponseWriter, r *http.Request, mood string, rec *httptest.ResponseRecorder, text []byte) {
	if mood == "cut at once" {
		panic(http.ErrAbortHandler)
	}
	for name, values := range rec.Header() {
		if name != "Content-Length" {
			rw.Header()[name] = values
		}
	}
	if mood == "coded" && strings.Contains(r.Header.Get("Accept-Encoding"), "zstd") {
		rw.Header().Set("Content-Encoding", "zstd")
		text = zstdOf(text)
	}
	rw.WriteHeader(rec.Code)
	if mood == "cut" {
		_, _ = rw.Write(text[:len(text)/2])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = rw.Write(text)
}

// oddOverflows are ways to say that the context is full.
var oddOverflows = map[plimsoll.Dialect][]string{
	plimsoll.OpenAI: {
		"", "", `{"error":{"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","code":400}}`,
		`{"object":"error","message":"This model's maximum context length is exceeded","type":"BadRequestError","code":400}`,
	},
	plimsoll.Anthropic: {"", "", `{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit"}}`},
	plimsoll.Gemini:    {"", "", `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed.","status":"INVALID_ARGUMENT"}}]`},
	plimsoll.Responses: {""},
	plimsoll.Ollama:    {"", `{"error":"the input length exceeds the context length"}`},
	plimsoll.Converse:  {"", "", `{"message":"The model returned the following errors: prompt is too long"}`},
}

func zstdOf(text []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(text, nil)
}

func unzstd(t *testing.T, text []byte) []byte {
	t.Helper()
	plain, err := coding.Decode("zstd", text, 1<<30, nil)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
