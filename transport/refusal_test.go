package transport_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/transport"
)

func TestARefusalSaysLoadAndLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{})
	a := b.agent(plimsoll.OpenAI, false)
	a.say(strings.Repeat("too long ", 10_000))
	a.header = http.Header{transport.HeaderLimit: {"4000"}}
	got := a.ask()
	x := <-b.exchanges
	if got.status != http.StatusBadRequest || x.Decision != transport.Refused || x.Before.Total < 20_000 || x.After.Total != 0 || x.Line.Window != 4000 {
		t.Errorf("%d, %s: %d tokens came, %d were sent, the line is %+v", got.status, x.Decision, x.Before.Total, x.After.Total, x.Line)
	}
	for name, want := range map[string]int{transport.HeaderLoad: x.Before.Total, transport.HeaderLimit: x.Line.Limit(), transport.HeaderSaved: 0} {
		if got.header.Get(name) != strconv.Itoa(want) {
			t.Errorf("%s is %q, want %d", name, got.header.Get(name), want)
		}
	}
}

func TestAPlanForAnUnknownModelHasNoLimit(t *testing.T) {
	t.Parallel()
	if got := transport.KnownLimit(func(string) model.Limit { return model.Limit{Source: model.SourceDefault} })("new"); got.Tokens != report.Unbounded {
		t.Errorf("the limit of an unknown model is %d, reports know it as %d", got.Tokens, report.Unbounded)
	}
	b := newBench(t, nil, transport.Options{})
	got := b.postRaw("/v1/chat/completions", []byte(`{"model":"unknown-model","messages":[{"role":"user","content":"hi"}]}`), http.Header{transport.HeaderDryRun: {"1"}})
	var plan map[string]any
	if err := json.Unmarshal(got.body, &plan); err != nil || plan["before"] == nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	if plan["line"] != nil || plan["goal"] != nil || got.header.Get(transport.HeaderLimit) != "" {
		t.Errorf("line %v, goal %v, limit %q: want none", plan["line"], plan["goal"], got.header.Get(transport.HeaderLimit))
	}
}
