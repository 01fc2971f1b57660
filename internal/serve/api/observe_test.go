package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// The opening of a chat, what a provider answers with its bill, and the same chat later.
const (
	asked     = `{"model":"claude-sonnet-4-5","max_tokens":99,"system":"You answer for the harbour.","messages":[{"role":"user","content":"Which berths are free?"}]}`
	said      = `{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Two of them."}],"stop_reason":"end_turn","usage":{"input_tokens":40,"cache_read_input_tokens":900,"output_tokens":7}}`
	goesOn    = `{"model":"claude-sonnet-4-5","max_tokens":99,"system":"You answer for the harbour.","messages":[{"role":"user","content":"Which berths are free?"},{"role":"assistant","content":"Two of them."},{"role":"user","content":"Until when?"}]}`
	billedAll = 940
)

// TestABillAnchorsTheCountWhoeverSawIt hands a bill in by its usage, by its answer, and by
// the answer that the transport passes on. Another process must then count the same.
func TestABillAnchorsTheCountWhoeverSawIt(t *testing.T) {
	t.Parallel()
	var fresh plimsoll.Plan
	post(newHandler(t, newStore(t), nil), "plan", goesOn).read(t, &fresh)
	counts := map[string]plimsoll.Load{}
	for name, observe := range map[string]func(*testing.T, *store.Store){
		"by its usage": func(t *testing.T, s *store.Store) {
			var got api.Observed
			post(newHandler(t, s, nil), "observe", `{"request":`+asked+`,"usage":{"input_tokens":40,"cache_read_input_tokens":900,"output_tokens":7}}`).read(t, &got)
			if got.Usage != (plimsoll.Usage{Input: 40, CacheRead: 900, Output: 7}) || got.Billed != billedAll || got.Estimated == 0 || got.Estimated >= 100 {
				t.Errorf("observed %+v", got)
			}
		},
		"by its answer": func(t *testing.T, s *store.Store) {
			var got api.Observed
			post(newHandler(t, s, nil), "observe", `{"request":`+asked+`,"answer":`+said+`}`).read(t, &got)
		},
		"by the transport": func(t *testing.T, s *store.Store) {
			keeper, err := newKeeper(api.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			through, err := transport.New(&transport.Options{
				Base: answering(said), Keeper: func(string) (*fit.Keeper, error) { return keeper, nil }, Store: s,
				Tenant: func(*http.Request) string { return "" }, Expand: transport.ExpandOff,
			})
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.anthropic.com/v1/messages", strings.NewReader(asked))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := through.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if err := through.Close(); err != nil { // so that the store has the bill
				t.Fatal(err)
			}
		},
	} {
		s := newStore(t)
		observe(t, s)
		var plan plimsoll.Plan
		other := newHandler(t, s, nil)
		post(other, "plan", goesOn).read(t, &plan)
		counts[name] = plan.Before
		var count struct{ Total, Band int }
		post(other, "count", goesOn).read(t, &count)
		if count.Total != plan.Before.Total || count.Band != plan.Before.Band {
			t.Errorf("%s: count says %+v, plan %d ± %d", name, count, plan.Before.Total, plan.Before.Band)
		}
	}
	want := counts["by the transport"]
	if want.Total <= billedAll || want.Total > billedAll+fresh.Before.Total {
		t.Errorf("after a bill of %d the chat weighs %d, before %d", billedAll, want.Total, fresh.Before.Total)
	}
	for name, got := range counts {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-transport +got):\n%s", name, diff)
		}
	}
}

// answering is an upstream that says the same to everything.
type answering string

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r}, nil
}

// TestABillIsForWhatWasSent hands in the bill of a request that fit has cut, and of one
// that the client has sent whole although fit would have cut it.
func TestABillIsForWhatWasSent(t *testing.T) {
	t.Parallel()
	for _, name := range preset.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			billedAsSent(t, name)
		})
	}
}

func billedAsSent(t *testing.T, preset string) {
	body := string(examples.Harbour())
	h := newHandler(t, newStore(t), nil)
	var cut edited[plimsoll.Plan]
	options := "?window=12000&preset=" + preset
	post(h, "fit"+options, body).read(t, &cut)
	bill := func(tokens int) string {
		return fmt.Sprintf(`{"window":12000,"preset":%q,"request":%s,"usage":{"prompt_tokens":%d,"completion_tokens":5}}`, preset, body, tokens)
	}
	var got api.Observed
	post(h, "observe", bill(cut.Report.After.Total+100)).read(t, &got)
	var plan plimsoll.Plan
	post(h, "plan"+options, body).read(t, &plan)
	if got.Estimated != cut.Report.After.Total || plan.After.Total != got.Billed {
		t.Errorf("the request that was cut to %d was billed as %+v, and weighs %d then", cut.Report.After.Total, got, plan.After.Total)
	}
	h = newHandler(t, newStore(t), nil)
	post(h, "observe", bill(cut.Report.Before.Total+100)).read(t, &got)
	post(h, "plan"+options, body).read(t, &plan)
	if got.Estimated != cut.Report.Before.Total || plan.Before.Total != got.Billed {
		t.Errorf("the request of %d that was sent whole was billed as %+v, and weighs %d then", cut.Report.Before.Total, got, plan.Before.Total)
	}
	var accounts struct{ Requests int }
	ask(h, "", http.MethodGet, "accounts/total", "").read(t, &accounts)
	if accounts.Requests != 1 {
		t.Errorf("the accounts have %d requests", accounts.Requests)
	}
}

func TestABillThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	for name, tt := range map[string]struct{ path, body, want string }{
		"if there is none":                 {"observe", asked, `"option \"usage\": it is not given"`},
		"if there are two":                 {"observe", `{"request":` + asked + `,"usage":{},"answer":{}}`, "it is given more than once"},
		"if it is of another request":      {"observe", `{"request":` + asked + `,"usage":{"input_tokens":10}}`, "10 tokens were billed, and the request has about"},
		"if it has no figures":             {"observe", `{"request":` + asked + `,"usage":{}}`, "none of the known token counts"},
		"if it is no object":               {"observe", `{"request":` + asked + `,"usage":7}`, "want an object"},
		"if the answer has no usage":       {"observe", `{"request":` + asked + `,"answer":{"type":"message","role":"assistant","content":[]}}`, "it has no usage"},
		"if it is in the query":            {"observe?usage=7", asked, "send it in the body"},
		"if there is no request beside it": {"observe", `{"usage":{"prompt_tokens":1}}`, "no request of an API"},
	} {
		if got := post(h, tt.path, tt.body); got.status != http.StatusBadRequest || !strings.Contains(got.text, tt.want) {
			t.Errorf("%s: status %d, %s; want %s", name, got.status, got.text, tt.want)
		}
	}
}
