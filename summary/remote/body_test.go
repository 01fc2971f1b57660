package remote

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
)

// settled is what each dialect's request for a summary says beside the conversation.
var settled = map[plimsoll.Dialect]map[string]string{
	plimsoll.OpenAI:    {"stream": "false", "tool_choice": `"none"`, "max_tokens": "9192", "custom": `{"a" : 1}`, "response_format": "", "stop": "", "n": "", "stream_options": ""},
	plimsoll.Responses: {"stream": "false", "tool_choice": `"none"`, "max_output_tokens": "9192", "text": `{"verbosity":"low"}`, "background": "", "truncation": ""},
	plimsoll.Anthropic: {"stream": "false", "tool_choice": `{"type":"none"}`, "max_tokens": "9192", "stop_sequences": ""},
	plimsoll.Ollama:    {"stream": "false", "options": `{"num_ctx":8192,"temperature":0.50,"num_predict":9192}`, "format": ""},
	plimsoll.Gemini:    {"generationConfig": `{"temperature":0.50,"maxOutputTokens":9192}`, "toolConfig": `{"functionCallingConfig":{"mode":"NONE"}}`},
}

func TestC05_TheRequestSharesItsPrefixWithTheCallers(t *testing.T) {
	t.Parallel()
	for d := range callers {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			s := newServer(t, says(d, "<summary>Seven crates were counted.</summary>", stopEnd[d]))
			r := asks(t, d, summary.Retained, callers[d])
			got, err := s.summarizer(t, d, "").Summarize(t.Context(), r)
			if err != nil || got.Text != "Seven crates were counted." {
				t.Fatalf("%q, %v", got.Text, err)
			}
			body, caller := s.body(0), []byte(callers[d])
			for _, name := range []string{"model", "system", "instructions", "systemInstruction", "tools"} {
				if got, want := member(body, name), member(caller, name); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			for name, want := range settled[d] {
				if got := member(body, name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			sent, original := decode(t, d, body), decode(t, d, caller)
			n := r.Old.End
			for i := range n {
				if !bytes.Equal(sent.Raw(i), original.Raw(i)) {
					t.Errorf("message %d is %s, want %s", i, sent.Raw(i), original.Raw(i))
				}
			}
			messages := sent.Conversation().Messages
			if last := messages.At(messages.Len() - 1); messages.Len() != n+1 || last.Role != plimsoll.User || last.Text() != summary.Ask(r) {
				t.Errorf("%d messages, the last is %q", messages.Len(), last.Text())
			}
			if wrong := wire.Check(sent); len(wrong) > 0 {
				t.Errorf("the API would refuse it: %v", wrong)
			}
		})
	}
}

func TestPromptCacheMarksKeepTheChoiceOfTools(t *testing.T) {
	t.Parallel()
	marked := strings.Replace(callers[plimsoll.Anthropic], `"text":"Be  brief."`, `"text":"Be  brief.","cache_control":{"type":"ephemeral"}`, 1)
	for name, tt := range map[string]struct{ body, want string }{
		"no choice":       {marked, ""},
		"the usual one":   {strings.Replace(marked, `"custom":1`, `"tool_choice":{"type":"auto"}`, 1), `{"type":"auto"}`},
		"one that forces": {strings.Replace(marked, `"custom":1`, `"tool_choice":{"type":"any"}`, 1), `{"type":"none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, says(plimsoll.Anthropic, "<summary>Seven.</summary>", "end_turn"))
			if _, err := s.summarizer(t, plimsoll.Anthropic, "").Summarize(t.Context(), asks(t, plimsoll.Anthropic, summary.Retained, tt.body)); err != nil {
				t.Fatal(err)
			}
			if got := member(s.body(0), "tool_choice"); got != tt.want {
				t.Errorf("tool_choice %q, want %q", got, tt.want)
			}
		})
	}
}

func TestThinkingGetsItsRoom(t *testing.T) {
	t.Parallel()
	s := newServer(t, says(plimsoll.Anthropic, "<summary>Seven.</summary>", "end_turn"))
	body := strings.Replace(callers[plimsoll.Anthropic], `"custom":1`, `"thinking":{"type":"enabled","budget_tokens":2000}`, 1)
	if _, err := s.summarizer(t, plimsoll.Anthropic, "").Summarize(t.Context(), asks(t, plimsoll.Anthropic, summary.Retained, body)); err != nil {
		t.Fatal(err)
	}
	if got := member(s.body(0), "max_tokens"); got != "11192" {
		t.Errorf("max_tokens %s", got)
	}
}

func TestC07_CallsAtTheEndAreTakenOut(t *testing.T) {
	t.Parallel()
	// Each ends in a call that has no result yet; %s is what is said beside it.
	pending := map[plimsoll.Dialect]string{
		plimsoll.OpenAI:    `{"model":"m","messages":[{"role":"user","content":"Count."},{"role":"assistant","content":%s,"tool_calls":[{"id":"c1","type":"function","function":{"name":"sh","arguments":"{}"}}]}]}`,
		plimsoll.Responses: `{"model":"m","input":[{"role":"user","content":"Count."},{"role":"assistant","content":%s},{"type":"function_call","call_id":"c1","name":"sh","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"sh","arguments":"{}"}]}`,
		plimsoll.Anthropic: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Count."},{"role":"assistant","content":[{"type":"text","text":%s},{"type":"tool_use","id":"c1","name":"sh","input":{}}]}]}`,
		plimsoll.Ollama:    `{"model":"m","messages":[{"role":"user","content":"Count."},{"role":"assistant","content":%s,"tool_calls":[{"function":{"name":"sh","arguments":{}}}]}]}`,
		plimsoll.Gemini:    `{"contents":[{"role":"user","parts":[{"text":"Count."}]},{"role":"model","parts":[{"text":%s},{"functionCall":{"name":"sh","args":{}}}]}]}`,
	}
	for d := range callers {
		for name, text := range map[string]string{"with text": `"I look."`, "without": `""`} {
			t.Run(string(d)+" "+name, func(t *testing.T) {
				t.Parallel()
				r := asks(t, d, summary.Retained, fmt.Sprintf(pending[d], text))
				r.Old = plimsoll.Span{End: r.Conversation.Messages.Len()}

				unchanged := plimsoll.NewDraft(r.Conversation, nil)
				if _, err := unchanged.Insert(r.Old.End, plimsoll.Say(plimsoll.User, summary.Ask(r)), why); err != nil {
					t.Fatal(err)
				}
				broken, err := r.Encode(unchanged)
				if err != nil {
					t.Fatal(err)
				}
				if len(wire.Check(decode(t, d, broken))) == 0 && d != plimsoll.Ollama { // which takes anything
					t.Errorf("the API would take it as it is, so nothing is shown:\n%s", broken)
				}

				s := newServer(t, says(d, "<summary>x</summary>", stopEnd[d]))
				if _, err := s.summarizer(t, d, "").Summarize(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				sent := decode(t, d, s.body(0))
				if wrong := wire.Check(sent); len(wrong) > 0 {
					t.Errorf("the API would refuse it: %v\n%s", wrong, s.body(0))
				}
				want := []string{"Count.", "I look.", summary.Ask(r)}
				if text == `""` {
					want = []string{"Count.", summary.Ask(r)}
				}
				var got []string
				for _, m := range sent.Conversation().Messages.All() {
					if plimsoll.Has[plimsoll.ToolCall](m) {
						t.Error("a call is still there")
					}
					if m.Text() != "" || plimsoll.Has[plimsoll.ToolCall](m) {
						got = append(got, m.Text())
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		}
	}
}

func TestC07_WhatTheUserSaidBehindAnOldCallStays(t *testing.T) {
	t.Parallel()
	body := `{"model":"m","messages":[{"role":"user","content":"Count."},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"sh","arguments":"{}"}}]},{"role":"user","content":"Never mind."},{"role":"user","content":"Go on."}]}`
	s := newServer(t, says(plimsoll.OpenAI, "<summary>x</summary>", "stop"))
	r := asks(t, plimsoll.OpenAI, summary.Retained, body)
	if _, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if sent := string(s.body(0)); !strings.Contains(sent, "Never mind.") || strings.Contains(sent, "Go on.") {
		t.Errorf("sent %s", sent)
	}
}

func TestC08_TheModelOfTheOptionsWins(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ caller, configured, want string }{
		"the caller's if none is named":        {"", "", "gpt-4o"},
		"the caller's own, not that of a body": {"gpt-4.1", "", "gpt-4.1"},
		"the one that is named":                {"", "gpt-4o-mini", "gpt-4o-mini"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, says(plimsoll.OpenAI, "<summary>x</summary>", "stop"))
			r := asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI])
			if tt.caller != "" {
				r.Conversation.Model = tt.caller
			}
			got, err := s.summarizer(t, plimsoll.OpenAI, tt.configured).Summarize(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			body := s.body(0)
			if member(body, "model") != `"`+tt.want+`"` || got.By != "openai:"+tt.want {
				t.Errorf("asked %s, written by %s", member(body, "model"), got.By)
			}
			if plain := member(body, "tools") == ""; plain != (tt.configured != "") {
				t.Errorf("another model gets no tools, the caller's gets its own: %s", body)
			}
		})
	}
}

func TestAnotherAPIGetsTheConversationAsText(t *testing.T) {
	t.Parallel()
	for d := range callers {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			from := plimsoll.Anthropic
			if d == from {
				from = plimsoll.OpenAI
			}
			s := newServer(t, says(d, "<summary>Seven crates.</summary>", stopEnd[d]))
			r := asks(t, from, summary.Retained, callers[from])
			r.Prompt.System = "Sum up."
			if _, err := s.summarizer(t, d, "small").Summarize(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			sent := decode(t, d, s.body(0))
			c := sent.Conversation()
			asked := c.Messages.At(c.Messages.Len() - 1).Text()
			for _, want := range []string{"[user]\nCount the crates.", "[assistant calls sh]", "<tool_data origin=\"sh\">\nseven crates\n</tool_data>", "<summary>"} {
				if !strings.Contains(asked, want) {
					t.Errorf("the message does not have %q:\n%s", want, asked)
				}
			}
			if strings.Contains(asked, "barrels") || c.Tools.Len() > 0 || c.MaxOutput == 0 || len(wire.Check(sent)) > 0 {
				t.Errorf("tail, tools or no limit: %s", s.body(0))
			}
			system := plimsoll.TextOf(c.System)
			if d == plimsoll.OpenAI || d == plimsoll.Ollama {
				system = c.Messages.At(0).Text()
			}
			if system != "Sum up." {
				t.Errorf("the instructions are %q", system)
			}
		})
	}
}

func TestG09_TheInstructionIsTheCompressionPrompt(t *testing.T) {
	t.Parallel()
	for d := range callers {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			reply := "<scratchpad>hidden</scratchpad><state_snapshot><overall_goal>Count.</overall_goal></state_snapshot>"
			s := newServer(t, says(d, reply, stopEnd[d]))
			r := asks(t, d, summary.Snapshot, callers[d])
			r.Prompt.System = summary.CompressionPrompt
			got, err := s.summarizer(t, d, "").Summarize(t.Context(), r)
			if err != nil || strings.Contains(got.Text, "hidden") || !strings.Contains(got.Text, "<current_plan>") {
				t.Fatalf("%q, %v", got.Text, err)
			}
			sent := decode(t, d, s.body(0))
			c := sent.Conversation()
			system := plimsoll.TextOf(c.System)
			if d == plimsoll.OpenAI || d == plimsoll.Ollama {
				system = c.Messages.At(0).Text()
			}
			// The size and the directives follow the prompt, so that the sentence of the text is alone.
			if !strings.HasPrefix(system, summary.CompressionPrompt) || !strings.Contains(system, "tokens, about") || strings.Contains(string(s.body(0)), "Be  brief.") {
				t.Errorf("the instructions are %.80q", system)
			}
			if last := c.Messages.At(c.Messages.Len() - 1).Text(); last != "First, reason in your scratchpad. Then, generate the <state_snapshot>." {
				t.Errorf("asked by %q", last)
			}
			// Anthropic asks for tools wherever there are calls.
			if d != plimsoll.Anthropic && c.Tools.Len() > 0 || len(wire.Check(sent)) > 0 {
				t.Errorf("tools, or the API would refuse it: %v\n%s", wire.Check(sent), s.body(0))
			}
		})
	}
}

func TestG10_TheCompressionModelIsMappedFromTheMainModel(t *testing.T) {
	t.Parallel()
	for main, want := range map[string]string{
		"gemini-3-pro-preview":  "chat-compression-3-pro",
		"gemini-2.5-pro":        "chat-compression-2.5-pro",
		"gemini-2.5-flash":      "chat-compression-2.5-flash",
		"gemini-2.5-flash-lite": "chat-compression-2.5-flash-lite",
		"gpt-4o":                "chat-compression-default",
		"":                      "chat-compression-default",

		"models/gemini-2.5-pro":            "chat-compression-2.5-pro",
		"gemini-2.5-pro-preview-05-06":     "chat-compression-2.5-pro",
		"gemini-2.5-flash-preview-09-2025": "chat-compression-2.5-flash",
		"models/gemini-2.5-flash-lite-001": "chat-compression-2.5-flash-lite",
		"gemini-2.5-flash-image":           "chat-compression-default",
		"gemini-2.5-flash-lite-latest":     "chat-compression-2.5-flash-lite",
	} {
		if got := CompressionModel(main); got != want {
			t.Errorf("%q is compressed by %q, want %q", main, got, want)
		}
	}
	for name, tt := range map[string]struct{ configured, main, want string }{
		"the mapped one":          {"", "gemini-2.5-flash", "gemini-2.5-flash"},
		"the default of the map":  {"", "gemini-1.0", "gemini-2.5-pro"},
		"the one of the settings": {"gemini-2.0", "gemini-2.5-flash", "gemini-2.0"},
		"a name of the map":       {"chat-compression-2.5-flash-lite", "x", "gemini-2.5-flash-lite"},
	} {
		s := newServer(t, says(plimsoll.Gemini, "<state_snapshot><overall_goal>g</overall_goal></state_snapshot>", "STOP"))
		made, err := New(Options{Dialect: plimsoll.Gemini, Model: tt.configured, MapModel: CompressionModel, BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		r := asks(t, plimsoll.Gemini, summary.Snapshot, callers[plimsoll.Gemini])
		r.Conversation.Model, r.Prompt.System = tt.main, summary.CompressionPrompt
		if _, err := made.Summarize(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := s.sent[0].URL.Path; got != "/v1beta/models/"+tt.want+":generateContent" {
			t.Errorf("%s: asked %s", name, got)
		}
	}
}

func TestAnEarlierCheckpointIsInWhatIsShared(t *testing.T) {
	t.Parallel()
	d := plimsoll.OpenAI
	s := newServer(t, says(d, "<summary>Seven crates.</summary>", "stop"))
	r := asks(t, d, summary.Retained, callers[d])
	r.Old.Start = 4
	r.Previous = summary.Summary{Text: "Crates are to be counted."}
	r.Sent = func() *plimsoll.Draft {
		sent := plimsoll.NewDraft(r.Conversation, nil)
		if err := sent.Drop(plimsoll.Span{Start: 1, End: 4}, why); err != nil {
			t.Error(err)
		}
		if _, err := sent.Insert(1, plimsoll.Say(plimsoll.User, r.Previous.Text), why); err != nil {
			t.Error(err)
		}
		if _, err := sent.Insert(r.Old.End, plimsoll.Say(plimsoll.User, "For a question that stays."), why); err != nil {
			t.Error(err)
		}
		return sent
	}
	if _, err := s.summarizer(t, d, "").Summarize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range decode(t, d, s.body(0)).Conversation().Messages.All() {
		got = append(got, m.Text())
	}
	want := []string{"Be  brief.", "Crates are to be counted.", "Seven.", summary.Ask(r)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !strings.Contains(want[3], "Do not summarise it again") {
		t.Error("it is not asked for an update")
	}
}
