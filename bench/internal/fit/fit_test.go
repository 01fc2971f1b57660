package fit

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

const round = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},
	{"role":"tool","tool_call_id":"a","content":"text of the file"}`

func TestOutcomesAreJudgedByTheSameRules(t *testing.T) {
	t.Parallel()
	c := Case{Messages: json.RawMessage(`[{"role":"system","content":"be brief"},{"role":"user","content":"old"},` + round + `,{"role":"user","content":"new"}]`)}
	for _, tt := range []struct {
		name   string
		o      Outcome
		want   Kind
		newest bool
	}{
		{"a valid list within the budget is usable", messages(`{"role":"user","content":"old"},` + round + `,{"role":"user","content":"new"}`), Usable, true},
		{"a newest message that was shortened is not the newest message", messages(`{"role":"user","content":"n.."}`), Usable, false},
		{"a result without its call is a broken pair", messages(`{"role":"tool","tool_call_id":"a","content":"text"},{"role":"user","content":"new"}`), Broken, true},
		{"a call without its result is a broken pair", messages(strings.Split(round, "\n")[0] + `{"role":"user","content":"new"}`), Broken, true},
		{"a role that nobody knows is invalid", messages(`{"role":"friend","content":"x"}`), Invalid, false},
		{"instructions alone are nothing", messages(`{"role":"system","content":"be brief"}`), Nothing, false},
		{"no message at all is nothing", messages(``), Nothing, false},
		{"a list over the budget by both counts is over", heavy(1_000), Over, false},
		{"a list that the library counts as within the budget is not over", heavy(10), Usable, false},
		{"a refusal is one", Outcome{Refused: "too long"}, Refused, false},
		{"an input that came back after an error is a failure", Outcome{Failed: "error"}, Failed, false},
		{"a call that took too long was stopped", Outcome{Stopped: true}, Stopped, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := judge(c, Budget{"50 %", 100}, "auto", tt.o, token.NewMeter(nil))
			if err != nil {
				t.Fatal(err)
			}
			if v.Kind != tt.want || v.Newest != tt.newest {
				t.Errorf("got %s (%s), newest %v; want %s, newest %v", v.Kind, v.Why, v.Newest, tt.want, tt.newest)
			}
		})
	}
}

func TestConversationsWithoutAUserLoseNoMessageOfHis(t *testing.T) {
	t.Parallel()
	c := Case{Messages: json.RawMessage(`[{"role":"system","content":"be brief"},` + round + `]`)}
	v, err := judge(c, Budget{"50 %", 100}, "auto", messages(round), token.NewMeter(nil))
	if err != nil || v.Kind != Usable || !v.Newest {
		t.Errorf("got %+v, %v", v, err)
	}
}

func messages(list string) Outcome { return Outcome{Messages: json.RawMessage("[" + list + "]")} }

// heavy weighs more than a hundred tokens, and as much as it says by its own count.
func heavy(own int) Outcome {
	o := messages(`{"role":"user","content":"` + strings.Repeat("word ", 200) + `"}`)
	o.Tokens = own
	return o
}

func TestRenderingMakesAMessageOfEachResult(t *testing.T) {
	t.Parallel()
	content := func(s string) plimsoll.List[plimsoll.Part] {
		return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: s})
	}
	got, err := render([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "go"),
		plimsoll.NewMessage(
			plimsoll.Assistant, plimsoll.Reasoning{Text: "hm"},
			plimsoll.ToolCall{ID: "a", Name: "f", Arguments: "{}"}, plimsoll.ToolCall{ID: "b", Name: "g", Arguments: "{}"},
		),
		plimsoll.NewMessage(
			plimsoll.User, plimsoll.ToolResult{CallID: "a", Content: content("A")}, plimsoll.ToolResult{CallID: "b", Content: content("B")},
			plimsoll.Text{Text: "go on"},
		),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "only thinking"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
		`{"role":"tool","content":"A","tool_call_id":"a"},{"role":"tool","content":"B","tool_call_id":"b"},` +
		`{"role":"user","content":"go on"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCasesEndWhereAModelIsAsked(t *testing.T) {
	t.Parallel()
	c, err := newCase("x", "corpus", []plimsoll.Message{
		plimsoll.Say(plimsoll.User, "one"), plimsoll.Say(plimsoll.Assistant, "two"), plimsoll.Say(plimsoll.User, "three"), plimsoll.Say(plimsoll.Assistant, "four"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(c.Messages), "four") || !strings.Contains(string(c.Messages), "three") {
		t.Errorf("got %s", c.Messages)
	}
	if len(c.Budgets) != 3 || c.Budgets[1].Tokens != c.Tokens/2 {
		t.Errorf("budgets %v of %d tokens", c.Budgets, c.Tokens)
	}
}

func TestRecordsThatNobodyCouldSendAreLeftOut(t *testing.T) {
	t.Parallel()
	c, err := newCase("x", "corpus", []plimsoll.Message{
		plimsoll.Say(plimsoll.User, "one"), plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "a", Name: "f", Arguments: "{}"}),
		plimsoll.Say(plimsoll.User, "never mind"),
	})
	if c != nil || err != nil {
		t.Errorf("got %v, %v; want neither", c, err)
	}
}

func TestRecordsLoseWhatWasNeverInThePrompt(t *testing.T) {
	t.Parallel()
	r, err := parse([]byte(`{"id":"x","domain":"d","messages":[
		{"role":"notice","content":"started"},
		{"role":"user","content":"hi"},
		{"role":"user","content":null,"tool_calls":[{"id":"u","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"u","content":"seen","requestor":"user"},
		{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_ids":["a"],"content":"done"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	list, err := render(r.messages)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"user","content":"hi"},{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"done","tool_call_id":"a"}]`
	if string(list) != want {
		t.Errorf("got  %s\nwant %s", list, want)
	}
}

func TestMissingCorporaSayWhatToDo(t *testing.T) {
	t.Parallel()
	_, _, err := Cases(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "PLIMSOLL_SHARED") {
		t.Errorf("got %v, want the variable to set", err)
	}
}

func TestLinesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lines")
	if err := WriteLines(file, []Outcome{{Stopped: true, CPU: time.Second}, {Refused: "no"}}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadLines[Outcome](file)
	if err != nil || len(got) != 2 || !got[0].Stopped || got[0].CPU != time.Second || got[1].Refused != "no" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSummariesCountUsableResultsOnly(t *testing.T) {
	t.Parallel()
	half, full := Budget{"50 %", 100}, Budget{"25 %", 50}
	r := Result{Verdicts: []Verdict{
		{Case: "a", Way: "auto", Budget: half, Kind: Usable, Tokens: 90, Newest: true, CPU: 3},
		{Case: "a", Way: "auto", Budget: full, Kind: Refused, CPU: 1},
		{Case: "a", Way: "litellm", Budget: half, Kind: Over, Tokens: 900, CPU: 5},
		{Case: "a", Way: "litellm", Budget: full, Kind: Usable, Tokens: 50, CPU: 5},
	}}
	s := r.Summary("auto", func(Verdict) bool { return true })
	if s.Cases != 2 || s.Kinds[Usable] != 1 || s.Used != 0.9 || s.Newest != 1 || s.Total != 4 {
		t.Errorf("got %+v", s)
	}
	if n := r.Rescued("auto", "litellm"); n != 1 {
		t.Errorf("%d rescued, want 1", n)
	}
	r.Verdicts[2].Kind = Usable
	if m := r.Match("auto", "litellm", func(Verdict) bool { return true }); m.Cases != 1 || m.Ours != 0.9 || m.Theirs != 9 {
		t.Errorf("got %+v, want the case that both made usable", m)
	}
}
