package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/wire"
)

const plain = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`

func TestErrorsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), func(o *api.Options) { o.MaxBody = 1 << 20 })
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code, message, hint      string
	}{
		{"an empty body", "POST", "fit", " \n", 400, "invalid", "empty", "send a request"},
		{"broken JSON", "POST", "fit", `{"model":"gpt-4o","messages":[}`, 400, "invalid", "offset 30", "correct the JSON"},
		{"something else", "POST", "fit", `{"a":1}`, 400, "invalid", "no request", `{"request":…}`},
		{"a bare list", "POST", "fit", `[{"role":"user","content":"hi"}]`, 400, "invalid", "no request", `{"messages":[…]}`},
		{"a request in a request", "POST", "fit", `{"request":{"request":` + plain + `}}`, 400, "invalid", "no request", ""},
		{"a body that is too large", "POST", "fit", strings.Repeat(" ", 1<<20+1), 413, "invalid", "1048576 bytes", "send less"},
		{"a huge name of a model", "POST", "fit?window=900", `{"model":"` + strings.Repeat("m", 513) + `","messages":[{"role":"user","content":"hi"}]}`, 400, "invalid", "more than 512 bytes", ""},
		{"a huge name of a model to count for", "POST", "count?model=" + strings.Repeat("m", 513), plain, 400, "invalid", "more than 512 bytes", ""},
		{"an option that is not there", "POST", "fit?windw=5", plain, 400, "invalid", `"windw"`, "window"},
		{"an option of another operation", "POST", "count?rungs=slide", plain, 400, "invalid", `"rungs"`, "limit"},
		{"a limit beside a window", "POST", "fit?limit=5&window=5", plain, 400, "invalid", "beside an option", "leave out window"},
		{"a limit beside a window to count for", "POST", "count?limit=5&window=5", plain, 400, "invalid", "beside an option", "window or limit"},
		{"an option that could reach outside", "POST", "compact?summarizer=openai:x@http://10.0.0.1", plain, 400, "invalid", "summarizer", ""},
		{"an embedder that is an address", "POST", "trim?max=5&embedder=http://10.0.0.1", plain, 400, "invalid", "embedder", "lexical"},
		{"an option that is no number", "POST", "fit?window=many", plain, 400, "invalid", `"many"`, "whole number"},
		{"a negative number", "POST", "fit?window=-5", plain, 400, "invalid", "-5", "whole number"},
		{"no window at all", "POST", "fit?window=0", plain, 400, "invalid", "0 is not between 1", "above 0"},
		{"a number that is too large", "POST", "fit?window=99999999999999999999", plain, 400, "invalid", "no whole number", ""},
		{"an option given twice", "POST", "fit?window=5&window=6", plain, 400, "invalid", "more than once", ""},
		{"a member given twice", "POST", "fit", `{"window":5,"window":6,"request":` + plain + `}`, 400, "invalid", "more than once", ""},
		{"a text for a number", "POST", "fit", `{"window":"5","request":` + plain + `}`, 400, "invalid", "something else", "whole number"},
		{"null in a list", "POST", "fit", `{"pins":[null],"request":` + plain + `}`, 400, "invalid", "something else", "list"},
		{"a member in another case", "POST", "fit", `{"Window":5,"request":` + plain + `}`, 400, "invalid", `"Window"`, "window"},
		{"a dialect that nobody knows", "POST", "fit?dialect=latin", plain, 400, "invalid", "latin", "anthropic"},
		{"a preset that nobody knows", "POST", "fit?preset=magic", plain, 400, "invalid", "magic", ""},
		{"an encoding that nobody knows", "POST", "count?encoding=magic", plain, 400, "invalid", "magic", ""},
		{"a model that nobody knows", "POST", "count?model=gtp-4o", plain, 400, "unknown_model", "gtp-4o", "did you mean gpt-4o"},
		{"text and request", "POST", "count", `{"text":"a","request":` + plain + `}`, 400, "invalid", "text", "either"},
		{"text in the query", "POST", "count?text=a", plain, 400, "invalid", "text", "body"},
		{"no budget to trim to", "POST", "trim", plain, 400, "invalid", "max", "tokens"},
		{"no messages to trim", "POST", "trim?max=5", `{"messages":5}`, 400, "invalid", "trim", "list of messages"},
		{"no budget to prune to", "POST", "prune", plain, 400, "invalid", "max", "tokens"},
		{"no reference to undo", "POST", "undo", plain, 400, "invalid", "ref", "reference"},
		{"a reference that is not there", "POST", "undo?ref=abc", plain, 404, "not_found", "abc", "reference"},
		{"content that is not there", "GET", "refs/abc", "", 404, "not_found", "", ""},
		{"a reference with a path in it", "GET", "refs/%2e%2e%2fsecret", "", 404, "not_found", "no such operation", ""},
		{"a reference with an escaped slash", "GET", "refs/a%2fb", "", 404, "not_found", "no such operation", ""},
		{"a path with an empty part", "GET", "accounts//total", "", 404, "not_found", "no such operation", ""},
		{"nothing to look for", "GET", "refs/abc/grep", "", 400, "invalid", "pattern", ""},
		{"no such operation", "GET", "secrets", "", 404, "not_found", "no such operation", "openapi.json"},
		{"the wrong method", "GET", "fit", "", 405, "invalid", "another method", "use POST"},
		{"the other wrong method", "POST", "accounts", plain, 405, "invalid", "another method", "use GET"},
		{"too many parts", "POST", "fit", `{"messages":[{"role":"user","content":[` + strings.Repeat("0,", wire.MaxItems) + `0]}]}`, 413, "too_large", "200,000 parts", "shorten"},
		{"what does not fit", "POST", "fit?window=20&reserve=0", `{"model":"gpt-4o","messages":[{"role":"user","content":"` + strings.Repeat("word ", 100) + `"}]}`, 413, "over_limit", "too long", "newest turn"},
	} {
		got := ask(h, "", tt.method, tt.path, tt.body)
		var failure api.Failure
		if err := json.Unmarshal([]byte(got.text), &failure); err != nil {
			t.Errorf("%s: %v in %q", tt.name, err, got.text)
		}
		e := failure.Error
		if got.status != tt.status || string(e.Code) != tt.code || !strings.Contains(e.Message, tt.message) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %d %s", tt.name, got.status, got.text)
		}
		if (e.Overload != nil) != (tt.code == "over_limit") {
			t.Errorf("%s: %+v", tt.name, e.Overload)
		}
		if allow := got.header.Get("Allow"); (allow != "") != (tt.status == 405) {
			t.Errorf("%s: Allow is %q", tt.name, allow)
		}
	}
}

func TestAPathOfTheDashboardSaysHowToSwitchItOn(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	newHandler(t, nil, nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/plimsoll/", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "the dashboard is off") || !strings.Contains(w.Body.String(), "--dashboard") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestALimitOfZeroIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, api.Root+"fit", strings.NewReader(plain))
	r.Header.Set("X-Plimsoll-Limit", "0")
	w := httptest.NewRecorder()
	newHandler(t, nil, nil).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "above zero; leave the header out") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestACodedBodyIsRefused(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, api.Root+"fit", strings.NewReader(plain))
	r.Header.Set("Content-Encoding", "zstd")
	w := httptest.NewRecorder()
	newHandler(t, nil, nil).ServeHTTP(w, r)
	if w.Code != http.StatusUnsupportedMediaType || !strings.Contains(w.Body.String(), "uncompressed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestWithoutAStoreThereIsNothingToRead(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	for _, got := range []reply{
		ask(h, "", "GET", "accounts", ""), ask(h, "", "GET", "accounts/total", ""), ask(h, "", "GET", "refs/abc", ""),
		ask(h, "", "GET", "refs/abc/grep?pattern=a", ""), post(h, "undo?ref=abc", plain),
	} {
		if got.status != http.StatusNotFound || !strings.Contains(got.text, "start the service with a store") {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	if got := post(h, "fit", plain); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.text)
	}
}

func TestWhatIsOurOwnFaultIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(api.Settings) (*fit.Keeper, error){
		"an error": func(api.Settings) (*fit.Keeper, error) {
			return nil, errors.New("open /srv/private: no such file")
		},
		"a bug": func(api.Settings) (*fit.Keeper, error) { panic("private") },
	} {
		var log bytes.Buffer
		h := newHandler(t, nil, func(o *api.Options) {
			o.Keeper, o.Logger = fail, slog.New(slog.NewTextHandler(&log, nil))
		})
		got := post(h, "fit", plain)
		if got.status != http.StatusInternalServerError || strings.Contains(got.text, "private") || !strings.Contains(log.String(), "private") {
			t.Errorf("%s: %d %s, log %s", name, got.status, got.text, &log)
		}
	}
}

func TestKeepersAreMadeOnceAndNotWithoutEnd(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	h := newHandler(t, nil, func(o *api.Options) {
		o.Keeper = func(s api.Settings) (*fit.Keeper, error) {
			made.Add(1)
			return newKeeper(s)
		}
	})
	fit := func(reserve int) {
		if got := post(h, fmt.Sprintf("fit?reserve=%d", reserve), plain); got.status != http.StatusOK {
			t.Fatal(got.text)
		}
	}
	for range 5 {
		fit(1000)
		fit(2000)
	}
	if made.Load() != 2 {
		t.Errorf("%d keepers were made for two settings", made.Load())
	}
	for i := range 100 {
		fit(3000 + i)
		fit(1000)
	}
	if made.Load() != 102 {
		t.Errorf("%d keepers were made, want 102: the one in use stays", made.Load())
	}
	fit(2000)
	if made.Load() != 103 {
		t.Errorf("%d keepers were made, want 103: one that was long unused goes", made.Load())
	}
}

func TestARequestThatFitsIsNeverChanged(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.StringOfN(rapid.RuneFrom([]rune(" \n\t\r")), 0, 3, -1)
		texts := rapid.SampledFrom([]string{`"a"`, `"\u003c\/é"`, `"\ud83d\ude00 😀"`, `""`, `"<&>"`})
		body := "{" + blank.Draw(t, "a") + `"messages"` + blank.Draw(t, "b") + ":" + blank.Draw(t, "c") + "["
		for i := range rapid.IntRange(1, 4).Draw(t, "messages") {
			if i > 0 {
				body += "," + blank.Draw(t, "d")
			}
			body += `{"role":"user",` + blank.Draw(t, "e") + `"content":` + texts.Draw(t, "text") + blank.Draw(t, "f") + "}"
		}
		body += "]" + blank.Draw(t, "g") + `,"temperature":` + rapid.SampledFrom([]string{"1.0", "1e0", "-0", "1.10"}).Draw(t, "number") + "}"
		if got := post(h, "fit", body); !strings.HasPrefix(got.text, `{"request":`+body+`,"report":`) {
			t.Errorf("%q became %q", body, got.text)
		}
	})
}

func FuzzAnyBodyIsAnsweredInJSON(f *testing.F) {
	for _, seed := range []string{
		plain, oddly, `{"request":` + plain + `,"window":100}`, `{"text":"a"}`, `[]`, `{"request":null}`, `{"input":"a"}`,
		`{"contents":[{"parts":[{"text":"a"}]}]}`, `{"system":"s","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]}`,
		`{"request":[{"role":"user","content":"a"}],"max":3}`, strings.Repeat(`{"request":`, 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := newHandler(t, nil, nil)
		for _, path := range []string{"count", "plan?window=50", "fit?window=50", "trim?max=5", "prune?max=20", "compact?force=true&window=50"} {
			got := post(h, path, body)
			if got.status >= 500 || !json.Valid([]byte(got.text)) {
				t.Errorf("%s: %d %q", path, got.status, got.text)
			}
		}
	})
}

// failing is a body that the server in front of the handler ends.
type failing int

func (f failing) Error() string            { return "there is no memory" }
func (f failing) HTTPStatus() int          { return int(f) }
func (f failing) Read([]byte) (int, error) { return 0, f }

func TestABodyThatTheServerEndsIsAnsweredWithTheServersStatus(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusRequestTimeout, http.StatusBadRequest} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, api.Root+"count", failing(status)))
		if w.Code != status || (w.Header().Get("Retry-After") != "") != (status == http.StatusServiceUnavailable) || !strings.Contains(w.Body.String(), "there is no memory") {
			t.Errorf("want %d, got %d %v %s", status, w.Code, w.Header(), w.Body)
		}
	}
}
