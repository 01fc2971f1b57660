package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/token"
)

// newStore returns a store in a file.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newKeeper makes keepers as the command does, without a configuration.
func newKeeper(s api.Settings) (*fit.Keeper, error) {
	o := &preset.Options{Method: s.Method, Rungs: s.Rungs, Reserve: s.Reserve}
	if s.Low != nil {
		o.Marks.Low = *s.Low
	}
	for _, pin := range s.Pins {
		role, ok := strings.CutPrefix(pin, "role=")
		if !ok {
			return nil, &plimsoll.Error{Op: "pins", Code: plimsoll.CodeInvalid, Err: plimsoll.ErrInvalid, Hint: "want role=NAME"}
		}
		o.Pins = append(o.Pins, fit.Pin{Role: plimsoll.Role(role)})
	}
	options, err := preset.Named(s.Preset, o)
	if err != nil {
		return nil, err
	}
	options.Marks.Soft = 0
	return fit.New(options)
}

// newHandler returns a handler whose tenants are named by a header.
func newHandler(t *testing.T, s *store.Store, change func(*api.Options)) *api.Handler {
	t.Helper()
	o := &api.Options{
		Keeper: newKeeper,
		Scales: report.NewScales(token.Options{Registry: model.Default()}, nil, report.Words{}),
	}
	if s != nil {
		o.Tenant = func(r *http.Request) *store.Tenant { return s.Tenant(r.Header.Get("X-Tenant")) }
	}
	if change != nil {
		change(o)
	}
	h, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// reply is an answer of the API.
type reply struct {
	status int
	header http.Header
	text   string
}

func ask(h http.Handler, tenant, method, path, body string) reply {
	r := httptest.NewRequest(method, api.Root+path, strings.NewReader(body))
	r.Header.Set("X-Tenant", tenant)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, _ := io.ReadAll(w.Body) // a recorder does not fail
	return reply{w.Code, w.Header(), string(text)}
}

func post(h http.Handler, path, body string) reply { return ask(h, "", http.MethodPost, path, body) }

// read decodes an answer and fails if it is no success.
func (r reply) read(t *testing.T, into any) {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d: %s", r.status, r.text)
	}
	if err := json.Unmarshal([]byte(r.text), into); err != nil {
		t.Fatalf("%v in %s", err, r.text)
	}
}

// edited is an answer with a request in it.
type edited[R any] struct {
	Request json.RawMessage `json:"request"`
	Report  R               `json:"report"`
}

// TestLimitAndWindowMeanTheSameInEveryOperation: a window is for prompt and answer, a limit
// is what the prompt may fill.
func TestLimitAndWindowMeanTheSameInEveryOperation(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	for option, want := range map[string]int{"window=9000": 8438, "limit=9000": 9000} {
		var counted struct{ Limit int }
		post(h, "count?"+option, plain).read(t, &counted)
		var plan plimsoll.Plan
		post(h, "plan?"+option, plain).read(t, &plan)
		if counted.Limit != want || plan.Line.Limit() != want {
			t.Errorf("%s: count has the limit %d, plan %d; want %d", option, counted.Limit, plan.Line.Limit(), want)
		}
	}
}
