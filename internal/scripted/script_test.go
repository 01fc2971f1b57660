package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/summary"
)

func TestStepsAreChosenByWhatTheRequestEndsWith(t *testing.T) {
	t.Parallel()
	script := func() scripted.Script {
		return scripted.Steps(
			scripted.Step{On: scripted.On{End: scripted.EndTool, Tool: "grep"}, Text: "after grep"},
			scripted.Step{On: scripted.On{End: scripted.EndTool, Contains: "drydock"}, Text: "after a drydock"},
			scripted.Step{On: scripted.On{End: scripted.EndTool}, Text: "after a tool"},
			scripted.Step{On: scripted.On{End: scripted.EndUser, Contains: "hello"}, Text: "after hello"},
			scripted.Step{On: scripted.On{End: scripted.EndSummary}, Text: "after a demand"},
			scripted.Step{Text: "anything"},
		)
	}
	for _, tt := range []struct{ name, last, want string }{
		{"a result of the tool that is named", `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"grep","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}`, "after grep"},
		{"a result with the text that is named", `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"the drydock"}`, "after a drydock"},
		{"another result", `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}`, "after a tool"},
		{"the text that is named", `{"role":"user","content":"oh hello"}`, "after hello"},
		{"a demand for a summary", `{"role":"user","content":"Write a <summary> now."}`, "after a demand"},
		{"another text", `{"role":"user","content":"good bye"}`, "anything"},
		{"a summary that stands at the end", `{"role":"user","content":"<state_snapshot>x</state_snapshot>"}`, "anything"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := scripted.New(&scripted.Options{Script: script()})
			got := ask(t, model, plimsoll.OpenAI, `{"model":"gpt-4o","messages":[{"role":"user","content":"a"},`+tt.last+`]}`)
			if got.said.Message.Text() != tt.want {
				t.Errorf("answered %q, want %q", got.said.Message.Text(), tt.want)
			}
		})
	}
}

func TestAStepIsUsedOnceUnlessItIsForAgain(t *testing.T) {
	t.Parallel()
	model := scripted.New(&scripted.Options{Script: scripted.Steps(
		scripted.Say("one"), scripted.Say("two"), scripted.Step{Text: "more", Again: true},
	)})
	var said []string
	for range 5 {
		said = append(said, ask(t, model, plimsoll.OpenAI, bodies[plimsoll.OpenAI]).said.Message.Text())
	}
	if got, want := strings.Join(said, " "), "one two more more more"; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
}

func TestWithoutAScriptADemandGetsAWellFormedSummaryThatNamesThings(t *testing.T) {
	t.Parallel()
	const history = `{"role":"user","content":"mend <the> crane"},` +
		`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"path\":\"harbour/crane.go\"}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"func lift_load() {}"},{"role":"assistant","content":"so"},`
	for _, tt := range []struct {
		name, demand string
		want         []string
	}{
		{"a snapshot", "Reason first. Then write the <state_snapshot>.", []string{
			"<state_snapshot>", "<overall_goal>mend (the) crane</overall_goal>", "<key_knowledge>", "<file_system_state>", "<recent_actions>", "<current_plan>",
		}},
		{"a summary", "Reply with a <SUMMARY>.", []string{"<summary>"}},
		{"what to retain and a summary", "Reply with <retain> and <summary>.", []string{"<retain>\nmend (the) crane\n</retain>", "<summary>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"model":"gpt-4o","messages":[` + history + `{"role":"user","content":"` + tt.demand + `"}]}`
			text := ask(t, scripted.New(nil), plimsoll.OpenAI, body).said.Message.Text()
			for _, want := range append(tt.want, "- harbour/crane.go", "- lift_load") {
				if !strings.Contains(text, want) {
					t.Errorf("the summary lacks %q:\n%s", want, text)
				}
			}
			if open, closed := strings.Count(text, "<"), strings.Count(text, "</"); open != 2*closed {
				t.Errorf("%d tags and %d of them closing:\n%s", open, closed, text)
			}
		})
	}
}

func TestOurOwnPromptsAreTakenForDemands(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*summary.Request{
		"a snapshot":                            {Format: summary.Snapshot},
		"a snapshot by the system instruction":  {Format: summary.Snapshot, Prompt: summary.Prompt{System: summary.CompressionPrompt}},
		"a summary":                             {Format: summary.Retained},
		"what to retain and a summary":          {Format: summary.Retained, Prompt: summary.Prompt{Retain: "Keep the refs."}},
		"a summary that brings one up to date":  {Format: summary.Retained, Previous: summary.Summary{Text: "so far"}},
		"a snapshot that brings one up to date": {Format: summary.Snapshot, Previous: summary.Summary{Text: "<state_snapshot></state_snapshot>"}},
	} {
		demand, err := json.Marshal(summary.Ask(r))
		if err != nil {
			t.Fatal(err)
		}
		reply := ask(t, scripted.New(nil), plimsoll.OpenAI, `{"model":"gpt-4o","messages":[{"role":"user","content":"mend the crane"},{"role":"assistant","content":"yes"},{"role":"user","content":`+string(demand)+`}]}`)
		got, err := summary.Parse(r, reply.said.Message.Text())
		if err != nil || !strings.Contains(got.Text, "mend the crane") {
			t.Errorf("%s: %v: %s", name, err, reply.body)
		}
	}
}
