package preset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

func TestTheWindowThatARequestAsksForDecides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, preset, model string
		asked, named        int
		want                plimsoll.Line
	}{
		{"smaller than the model's", "", "gpt-4o", 2048, 0, plimsoll.Line{Window: 2048, Reserve: 600}},
		{"of an unknown model", "", "smollm2", 32_768, 0, plimsoll.Line{Window: 32_768, Reserve: 600}},
		{"of an unknown model where models must be known", preset.NameAgent, "smollm2", 32_768, 0, plimsoll.Line{Window: 32_768, Reserve: 600}},
		{"smaller than the one that the user names", "", "gpt-4o", 2048, 4096, plimsoll.Line{Window: 2048, Reserve: 600}},
		{"larger than the one that the user names", "", "gpt-4o", 8192, 2048, plimsoll.Line{Window: 2048, Reserve: 512}},
	} {
		options, err := preset.Named(tt.preset, &preset.Options{Window: tt.named})
		if err != nil {
			t.Fatal(err)
		}
		k, err := fit.New(options)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.Line(plimsoll.Conversation{Model: tt.model, Window: tt.asked, MaxOutput: 600})
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

// TestG04_F03_AnExplicitLimitKeepsNoReserveWhereTheTextKnowsNone: text 004 fires at 0.95 of
// what remains of the limit, and text 003 fills it.
func TestG04_F03_AnExplicitLimitKeepsNoReserveWhereTheTextKnowsNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{preset.NameGemini, preset.NameMultichat, preset.NameCookbook} {
		byModel := func(string) model.Limit { return model.Limit{Tokens: 1000, Source: model.SourceEnv} }
		for how, o := range map[string]*preset.Options{"a window": {Window: 1000}, "a variable": {Limit: byModel}, "the client": {}} {
			k, task := keeper(t, name, o), fit.Task{Conversation: plimsoll.Conversation{Model: "gpt-4o", MaxOutput: 500, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "hi"))}}
			if how == "the client" {
				task.Scope.Limit = 1000
			}
			plan, err := k.Plan(t.Context(), task)
			if err != nil || plan.Line.Limit() != 1000 {
				t.Errorf("%s by %s: %+v, %v; want 1,000", name, how, plan.Line, err)
			}
		}
	}
}

// TestG04_AReserveOfZeroIsAValue: it is not the same as none given, in any preset.
func TestG04_AReserveOfZeroIsAValue(t *testing.T) {
	t.Parallel()
	for _, name := range preset.Names() {
		k := keeper(t, name, &preset.Options{Window: 32_000, Reserve: new(0)})
		line, err := k.Line(plimsoll.Conversation{Model: "gpt-4o", MaxOutput: 4000})
		if err != nil || line.Limit() != 32_000 {
			t.Errorf("%s: %+v, %v", name, line, err)
		}
	}
}

// TestF03_MultichatDropsTurnsAndDoesNothingElse: text 002 says that old turns are dropped
// only, so no message takes their place, even if there is a store.
func TestF03_MultichatDropsTurnsAndDoesNothingElse(t *testing.T) {
	t.Parallel()
	var messages []plimsoll.Message
	for range 9 {
		messages = append(messages, plimsoll.Say(plimsoll.User, strings.Repeat("question ", 30)), plimsoll.Say(plimsoll.Assistant, strings.Repeat("answer ", 30)))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "and now?"))
	archive := shelf(t)
	tool := plimsoll.Tool{Name: "tool_output_cache", Schema: "{}"}
	plan, err := keeper(t, preset.NameMultichat, &preset.Options{Window: 300, Archive: archive, Memory: archive.Memory()}).
		Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}, Offer: []plimsoll.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range plan.Edits {
		if e.Kind != plimsoll.EditDrop {
			t.Errorf("beside dropping it did %+v", e)
		}
	}
	if got := plan.Conversation(); got.Messages.Len() != 9 || got.Tools.Len() != 0 {
		t.Errorf("%d messages and %d tools are left", got.Messages.Len(), got.Tools.Len())
	}
}

// TestF08_NoMethodRefusesWhatSystemAndNewestTurnFit: in a window too small for a summary,
// methods B and C drop turns as A does.
func TestF08_NoMethodRefusesWhatSystemAndNewestTurnFit(t *testing.T) {
	t.Parallel()
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "Be brief.")}
	for range 30 {
		messages = append(messages, plimsoll.Say(plimsoll.User, strings.Repeat("question ", 30)), plimsoll.Say(plimsoll.Assistant, strings.Repeat("answer ", 30)))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "ok?"))
	for _, name := range []string{preset.NameAuto, preset.NameAgent, preset.NameMultichat, preset.NameGemini} {
		for _, method := range []string{preset.MethodWindow, preset.MethodSummary, preset.MethodHybrid} {
			for _, window := range []int{40, 80, 150, 250, 350, 1000} {
				plan, err := keeper(t, name, &preset.Options{Window: window, Method: method}).
					Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}})
				if err != nil {
					t.Errorf("%s, method %s, window %d: %v", name, method, window, err)
					continue
				}
				got := plan.Conversation().Messages
				if first, last := got.At(0).Text(), got.At(got.Len()-1).Text(); first != "Be brief." || last != "ok?" || plan.After.Total > window {
					t.Errorf("%s, method %s, window %d: %d tokens from %q to %q", name, method, window, plan.After.Total, first, last)
				}
			}
		}
	}
}

// TestF06_PresetsWithCountsOfTheirOwnTakeVocabularies: one word of 7 letters is 4 tokens of
// the vocabulary, whatever the preset's estimate says.
func TestF06_PresetsWithCountsOfTheirOwnTakeVocabularies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "llama3.json"), []byte(`{"added_tokens": [], "normalizer": null,
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}, "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "merges": ["h a", "ha r", "b o"],
  "vocab": {"a": 0, "b": 1, "h": 2, "o": 3, "r": 4, "u": 5, "ha": 6, "har": 7, "bo": 8, "Ċ": 9}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, framing := range map[string]int{preset.NameMultichat: 3, preset.NameGemini: 0, preset.NameCookbook: 4} {
		options, err := preset.Named(name, &preset.Options{Token: token.Options{Tokenizers: dir}})
		if err != nil {
			t.Fatal(err)
		}
		load := options.Meter.Weigh(plimsoll.Conversation{Model: "llama3.1", Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "harbour"))})
		if load.Total != 4+framing {
			t.Errorf("%s counts %d, want %d", name, load.Total, 4+framing)
		}
	}
}

// TestR04_F08_AHybridKeepsTheOpeningAndImportantInstructions: method C of text 003 has a
// summary with the opening of the conversation beside the recent turns.
func TestR04_F08_AHybridKeepsTheOpeningAndImportantInstructions(t *testing.T) {
	t.Parallel()
	const opening, rule = "Port the tide tables to Go.", "Never delete the old tables."
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, opening), plimsoll.Say(plimsoll.Assistant, "I shall."), plimsoll.Say(plimsoll.User, rule), plimsoll.Say(plimsoll.Assistant, "I see.")}
	for i := range 40 {
		messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprint("Table ", i, ": ", strings.Repeat("what does the next column mean? ", 20))),
			plimsoll.Say(plimsoll.Assistant, strings.Repeat("It is a height above the datum. ", 20)))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "And the last one?"))
	plan, err := keeper(t, preset.NameAuto, &preset.Options{Window: 6000, Method: preset.MethodHybrid}).
		Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}})
	if err != nil {
		t.Fatal(err)
	}
	got := plan.Conversation().Messages
	if n := got.Len(); n >= len(messages) || got.At(n-1).Text() != "And the last one?" || got.At(n-2).Text() != messages[len(messages)-2].Text() {
		t.Errorf("%d of %d messages are left, and the recent turns are not as they were", n, len(messages))
	}
	// A summary of people's words leaves out articles.
	summary := got.At(0).Text() + got.At(1).Text() + got.At(2).Text()
	for _, want := range []string{"tide tables to Go", "Never delete", "old tables"} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is not in the summary: %.900s", want, summary)
		}
	}
}
