package preset_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/summary/remote"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// The four checkpoints of the text, through the preset agent.

// loop is an agent's conversation of many rounds, of which the last is pending.
func loop(rounds int) plimsoll.Conversation {
	var outputs []string
	for i := range rounds {
		outputs = append(outputs, fmt.Sprintf("output %d: ", i)+strings.Repeat("word word word word\n", 200))
	}
	c := toolRounds(outputs...)
	pending := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: "One more."}, plimsoll.ToolCall{ID: "call_x", Name: "run", Arguments: "{}"})
	c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), pending)...)
	c.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "run", Description: "Runs.", Schema: `{"type":"object"}`})
	return c
}

func TestC13_1_OutputsOverTheirBudgetAreTrimmedOldestFirst(t *testing.T) {
	t.Parallel()
	plan, err := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Archive: shelf(t), Outputs: preset.Outputs{Budget: 5_000}}).Fit(t.Context(), fit.Task{Conversation: loop(10)})
	if err != nil {
		t.Fatal(err)
	}
	got := results(plan.Conversation())
	if text := plimsoll.TextOf(got[0].Content); got[0].Ref == nil || text != "[tool output trimmed; ref="+got[0].Ref.ID+"]" {
		t.Errorf("the oldest output is %.60q", text)
	}
	if text := plimsoll.TextOf(got[9].Content); !strings.HasPrefix(text, "output 9: word") {
		t.Errorf("the newest output is %.60q", text)
	}
}

func TestC13_2_ATrimmedOutputIsAPlaceholderInTheRequest(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		body, err := wiretest.Rewrite(dialects.Codec(d), loop(10))
		if err != nil {
			t.Fatal(err)
		}
		request := wiretest.Decode(t, dialects.Codec(d), string(body))
		plan, err := keeper(t, preset.NameAgent, &preset.Options{Model: "gpt-4o", Window: 100_000, Archive: shelf(t), Outputs: preset.Outputs{Budget: 5_000}}).
			Fit(t.Context(), preset.Task(request, preset.Client{Offered: true}))
		if err != nil {
			t.Fatal(err)
		}
		out, err := request.Encode(plan.Draft)
		if err != nil || !bytes.Contains(out, []byte("[tool output trimmed; ref=")) || bytes.Contains(out, []byte("output 0: word")) || !bytes.Contains(out, []byte("output 9: word")) {
			t.Errorf("%s: error %v in %.200s", d, err, out)
		}
	}
}

func TestC13_3_OverTheThresholdTheHistoryBecomesRetainAndSummary(t *testing.T) {
	t.Parallel()
	k := keeper(t, preset.NameAgent, &preset.Options{Window: 10_000, Outputs: preset.Outputs{Off: true}, Compaction: preset.CompactionOptions{RetainPrompt: "all", Summarizer: &scribe{retain: "keep this", text: "that happened"}}})
	under, err := k.Fit(t.Context(), fit.Task{Conversation: loop(6)})
	if err != nil || under.Changed() {
		t.Fatalf("below the threshold: %d tokens, edits %v, error %v", under.Before.Total, under.Edits, err)
	}
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: loop(10)})
	if err != nil {
		t.Fatal(err)
	}
	got := said(plan.Conversation())
	if plan.Before.Total < 8_000 || got[0] != "user: keep this" || got[1] != "user: that happened" {
		t.Errorf("%d tokens became %q", plan.Before.Total, got)
	}
}

func TestC13_4_ATrailingCallBreaksTheRequestForASummaryUnlessItIsTakenOff(t *testing.T) {
	t.Parallel()
	model := scripted.New(nil)
	server := httptest.NewServer(model)
	defer server.Close()
	body, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), loop(10))
	if err != nil {
		t.Fatal(err)
	}
	request := wiretest.Decode(t, dialects.Codec(plimsoll.OpenAI), strings.Replace(string(body), "{", `{"model":"gpt-4o",`, 1))
	k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: preset.CompactionOptions{Summarizer: asks(t, server.URL), KeepTurns: -1}})
	made, err := k.Compact(t.Context(), preset.Task(request, preset.Client{}), fit.CompactOptions{Force: true})
	if err != nil || made.Status != fit.Compressed || len(model.Log()) == 0 {
		t.Fatalf("%+v, error %v, %d requests", made, err, len(model.Log()))
	}
	// The same with the call in it, as it would be without the care.
	draft := plimsoll.NewDraft(request.Conversation(), nil)
	if _, err := draft.Insert(request.Conversation().Messages.Len(), plimsoll.Say(plimsoll.User, "Summarise."), plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	broken, err := request.Encode(draft)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.Post(server.URL+"/v1/chat/completions", "application/json", bytes.NewReader(broken))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusBadRequest {
		t.Errorf("with the call: %s %s", reply.Status, text)
	}
}

// asks is a summariser that asks the model at an address.
func asks(t *testing.T, address string) summary.Summarizer {
	t.Helper()
	s, err := remote.New(remote.Options{Dialect: plimsoll.OpenAI, BaseURL: address + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
