package interop_test

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/interop/agent"
	"github.com/plimsoll/plimsoll/interop/rig"
)

func TestWhatIsNoConversationPassesThrough(t *testing.T) {
	r := rig.New(t, rig.Limited, &rig.Options{Window: small})
	o := openai.NewClient(option.WithBaseURL(r.URL+"/v1"), option.WithAPIKey(agent.Key), option.WithMaxRetries(0))
	models, err := o.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "scripted" {
		t.Errorf("the models are %+v, %v", models, err)
	}
	if _, err := o.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: "e", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("x")}}); err == nil {
		t.Error("the upstream has no embeddings, and nobody says so")
	} else if status, _, _ := refusal(err); status != 404 {
		t.Errorf("the upstream's 404 came as %v", err)
	}
	a := anthropic.NewClient(anthropicoption.WithBaseURL(r.URL), anthropicoption.WithAPIKey(agent.Key), anthropicoption.WithMaxRetries(0))
	count, err := a.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
		Model: "claude-sonnet-4-5", Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("How many ships?"))},
	})
	if err != nil || count.InputTokens == 0 {
		t.Errorf("the count is %+v, %v", count, err)
	}
	g, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: agent.Key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: r.URL}})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := g.Models.CountTokens(t.Context(), "gemini-2.5-flash", genai.Text("How many ships?"), nil)
	if err != nil || tokens.TotalTokens == 0 {
		t.Errorf("the count is %+v, %v", tokens, err)
	}
	log := r.Upstream.Log()
	for i, p := range r.Passages() {
		if i >= len(log) || p.Path != log[i].Path || string(p.Body) != string(log[i].Body) && log[i].Body != nil {
			t.Errorf("%s did not pass as it was", p.Path)
		}
		if d := p.Header.Get("X-Plimsoll-Decision"); d != "" && d != "bypass" {
			t.Errorf("%s was managed: %s", p.Path, d)
		}
	}
}

func TestConversationsThatTheServerKeepsGoOnByTheirID(t *testing.T) {
	r := rig.New(t, rig.Limited, &rig.Options{Window: small, Script: scripted.Steps(scripted.Say("Three."), scripted.Say("Two of them."))})
	o := openai.NewClient(option.WithBaseURL(r.URL+"/v1"), option.WithAPIKey(agent.Key), option.WithMaxRetries(0))
	ask := func(text, previous string) *responses.Response {
		params := responses.ResponseNewParams{Model: "gpt-5", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
		if previous != "" {
			params.PreviousResponseID = openai.String(previous)
		}
		got, err := o.Responses.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := ask("How many ships?", "")
	if got := ask("And how many are moored?", first.ID).OutputText(); got != "Two of them." {
		t.Errorf("the second answer is %q", got)
	}
	log := r.Upstream.Log()
	if n := log[len(log)-1].Call.Conversation.Messages.Len(); n != 3 {
		t.Errorf("the model had %d messages before it, want 3", n)
	}
}
