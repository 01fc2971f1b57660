package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// upstream answers every request and notes the last body.
type upstream struct{ got string }

func (m *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	m.got = string(body)
	answer := `{"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"aye"},"finish_reason":"stop"}]}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, err
}

// TestUndoReachesTheProxy lets the transport and the API share one keeper and one store,
// as the command does. Once the API has undone a compaction, the transport must make a
// new one and not replay its own copy of the old one.
func TestUndoReachesTheProxy(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{
		"of a conversation without a name":     {},
		"of a named conversation":              {"X-Plimsoll-Conversation": {"deck"}},
		"of a request with a limit of its own": {"X-Plimsoll-Limit": {"8500"}},
		"of a request with all three":          {"X-Plimsoll-Conversation": {"deck"}, "X-Plimsoll-Limit": {"8500"}, "X-Plimsoll-Preset": {"auto"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, err := preset.Named("auto", &preset.Options{Window: 9000, Method: "summary"})
			if err != nil {
				t.Fatal(err)
			}
			options.Marks.Soft = 0
			keeper, err := fit.New(options)
			if err != nil {
				t.Fatal(err)
			}
			s, provider := newStore(t), &upstream{}
			through, err := transport.New(&transport.Options{
				Base: provider, Keeper: func(string) (*fit.Keeper, error) { return keeper, nil }, Store: s, Window: 9000,
				Tenant: func(*http.Request) string { return "anna" }, Expand: transport.ExpandOff,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = through.Close() })
			handler := newHandler(t, s, func(o *api.Options) {
				o.Keeper = func(api.Settings) (*fit.Keeper, error) { return keeper, nil }
				o.Tenant = func(*http.Request) *store.Tenant { return s.Tenant("anna") }
			})
			undo := func(header http.Header) *httptest.ResponseRecorder {
				ref := regexp.MustCompile(`tokens\), archived=(\w+)`).FindStringSubmatch(provider.got)
				if ref == nil {
					t.Fatalf("no reference in %s", provider.got)
				}
				r := httptest.NewRequest(http.MethodPost, api.Root+"undo?ref="+ref[1], strings.NewReader(string(examples.Harbour())))
				r.Header = header.Clone()
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			proxied(t, through, header, "compact")
			if w := undo(http.Header{"X-Plimsoll-Conversation": {"another"}}); w.Code != http.StatusNotFound {
				t.Errorf("another conversation: undo answers %d %s", w.Code, w.Body)
			}
			proxied(t, through, header, "recall")
			if w := undo(header); w.Code != http.StatusOK {
				t.Errorf("undo answers %d %s", w.Code, w.Body)
			}
			proxied(t, through, header, "compact")
		})
	}
}

// proxied sends the example through the transport, which must decide as wanted.
func proxied(t *testing.T, through http.RoundTripper, header http.Header, want string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.openai.com/v1/chat/completions", strings.NewReader(string(examples.Harbour())))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	resp, err := through.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if got := resp.Header.Get(transport.HeaderDecision); got != want {
		t.Errorf("the transport decides %q, want %q", got, want)
	}
}
