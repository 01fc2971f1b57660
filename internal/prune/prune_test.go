package prune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/token"
)

// letters counts a character as a token, as the cases of the text do.
type letters struct{}

func (letters) Count(text string) int { return len([]rune(text)) }

func (letters) Info() plimsoll.CounterInfo { return plimsoll.CounterInfo{Strategy: "letters"} }

// said makes a history of "role:text" lines.
func said(lines ...string) plimsoll.Conversation {
	var messages []plimsoll.Message
	for _, line := range lines {
		role, text, _ := strings.Cut(line, ":")
		messages = append(messages, plimsoll.Say(plimsoll.Role(role), text))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

func texts(c plimsoll.Conversation) []string {
	var all []string
	for _, m := range c.Messages.All() {
		all = append(all, m.Text())
	}
	return all
}

type conformanceCase struct {
	ID, Name       string
	History        []string
	System         string
	Max            int
	Kept           []string
	Error          string
	TurnsToRemove  int `json:"turns_to_remove"`
	OriginalLength int `json:"original_length"`
	PrunedLength   int `json:"pruned_length"`
}

func TestS02_S03_S04_S06_S07_F03_F04_F05_Conformance(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []conformanceCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(tt.ID+" "+tt.Name, func(t *testing.T) {
			t.Parallel()
			history := said(tt.History...)
			o := &prune.Options{MaxTokens: tt.Max, System: tt.System, Counter: letters{}}
			got, err := prune.History(t.Context(), history, o)
			info, infoErr := prune.InfoFor(t.Context(), history, o)
			if !reflect.DeepEqual(history.Messages.Slice(), said(tt.History...).Messages.Slice()) {
				t.Error("the history was changed")
			}
			if tt.Error != "" {
				checkRefused(t, err, tt.Error)
				checkRefused(t, infoErr, tt.Error)
				return
			}
			if err != nil || infoErr != nil {
				t.Fatal(err, infoErr)
			}
			if diff := cmp.Diff(tt.Kept, texts(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			want := prune.Info{TurnsToRemove: tt.TurnsToRemove, OriginalLength: tt.OriginalLength, PrunedLength: tt.PrunedLength}
			if info != want {
				t.Errorf("info %+v, want %+v", info, want)
			}
		})
	}
}

func checkRefused(t *testing.T, err error, want string) {
	t.Helper()
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) || over.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestS01_ATurnIsAQuestionWithAllItsReplies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		turns := rapid.IntRange(1, 6).Draw(t, "turns")
		for i := range turns {
			lines = append(lines, fmt.Sprintf("user:q%d", i))
			for _, role := range rapid.SliceOfN(rapid.SampledFrom([]string{"assistant", "gemini", "chatgpt"}), 0, 3).Draw(t, "replies") {
				lines = append(lines, fmt.Sprintf("%s:a%d", role, i))
			}
		}
		history := said(lines...)
		o := &prune.Options{MaxTokens: rapid.IntRange(1, 2*len(lines)).Draw(t, "max"), Counter: letters{}}
		got, err := prune.History(t.Context(), history, o)
		if err != nil {
			return
		}
		kept := texts(got)
		whole := texts(history)
		if diff := cmp.Diff(whole[len(whole)-len(kept):], kept); diff != "" {
			t.Fatalf("what is kept is not the end of the history:\n%s", diff)
		}
		if len(kept) == 0 || !strings.HasPrefix(kept[0], "q") {
			t.Fatalf("a turn was cut in two: %v", kept)
		}
		if cut := len(whole) - len(kept); cut > 0 {
			oldest := 0
			for _, text := range whole[:cut] {
				if text[1:] == whole[cut-1][1:] {
					oldest += len(text)
				}
			}
			if 2*len(kept)+oldest <= o.MaxTokens {
				t.Fatalf("a turn was dropped that would have fitted: %v of %v in %d", kept, whole, o.MaxTokens)
			}
		}
	})
}

func TestS05_CountsAsTheModelDoesOrWithAMargin(t *testing.T) {
	t.Parallel()
	hello := token.Tiktoken("gpt-4o").Count("Hello")
	for _, tt := range []struct {
		name, model, text string
		want              int
	}{
		{"OpenAI's models by their vocabulary and 3 a message", "gpt-4o", "Hello", hello + 3},
		{"others by 4 characters a token, times 1.2", "gemini-2.0-flash", strings.Repeat("abcd", 10), 12 + 3},
		{"Japanese by 1.5 characters a token, times 1.2", "gemini-2.0-flash", strings.Repeat("あ", 15), 12 + 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			info, err := prune.InfoFor(t.Context(), said("user:"+tt.text), &prune.Options{MaxTokens: 1000, Model: tt.model})
			if err != nil {
				t.Fatal(err)
			}
			if info.OriginalLength != tt.want {
				t.Errorf("%d tokens, want %d", info.OriginalLength, tt.want)
			}
		})
	}
}

func ExampleHistory() {
	history := plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "Name a harbour."),
		plimsoll.Say(plimsoll.Assistant, "Hamburg."),
		plimsoll.Say(plimsoll.User, "And a lighthouse?"),
	)}
	pruned, err := prune.History(context.Background(), history, &prune.Options{MaxTokens: 10})
	fmt.Println(texts(pruned), err)
	// Output: [And a lighthouse?] <nil>
}

// TestS03_AHistoryThatFitsIsNotChanged: at exactly max_tokens nothing is done.
func TestS03_AHistoryThatFitsIsNotChanged(t *testing.T) {
	t.Parallel()
	history := said("user:Q1", "assistant:A1", "user:Q2", "assistant:A2")
	for _, limit := range []int{8, 9, 1000} {
		plan, err := prune.Plan(t.Context(), history, &prune.Options{MaxTokens: limit, Counter: letters{}})
		if err != nil || plan.Changed() {
			t.Errorf("limit %d: %v, %v", limit, plan.Edits, err)
		}
	}
	if plan, err := prune.Plan(t.Context(), history, &prune.Options{MaxTokens: 7, Counter: letters{}}); err != nil || !plan.Changed() {
		t.Errorf("a token less changes nothing: %v", err)
	}
}

// TestS04_TurnsAreTakenFromTheNewestOnUntilTheBudgetIsFull: the oldest turn is small and
// would fit, but an older turn never stays where a newer one went.
func TestS04_TurnsAreTakenFromTheNewestOnUntilTheBudgetIsFull(t *testing.T) {
	t.Parallel()
	history := said("user:Q1", "assistant:A1", "user:a long question", "assistant:A2", "user:Q3", "assistant:A3", "user:Q4", "assistant:A4")
	for limit, want := range map[int]string{4: "Q4 A4", 7: "Q4 A4", 8: "Q3 A3 Q4 A4", 12: "Q3 A3 Q4 A4", 24: "Q3 A3 Q4 A4", 25: "a long question A2 Q3 A3 Q4 A4", 28: "a long question A2 Q3 A3 Q4 A4", 29: "Q1 A1 a long question A2 Q3 A3 Q4 A4"} {
		got, err := prune.History(t.Context(), history, &prune.Options{MaxTokens: limit, Counter: letters{}})
		if kept := strings.Join(texts(got), " "); err != nil || kept != want {
			t.Errorf("limit %d: %q, %v; want %q", limit, kept, err, want)
		}
	}
}

// TestS06_PruneReturnsANewHistory has every argument of the text: history, max_tokens,
// model_name, system_prompt and token_calculator.
func TestS06_PruneReturnsANewHistory(t *testing.T) {
	t.Parallel()
	history := said("user:Q1", "assistant:A1", "user:Q2", "assistant:A2")
	got, err := prune.History(t.Context(), history, &prune.Options{MaxTokens: 8, Model: "gpt-4o", System: "four", Counter: letters{}})
	if kept := strings.Join(texts(got), " "); err != nil || kept != "Q2 A2" {
		t.Errorf("%q, %v; want the system prompt to take 4 of 8", kept, err)
	}
	if whole := strings.Join(texts(history), " "); whole != "Q1 A1 Q2 A2" || got.System.Len() != 0 {
		t.Errorf("the history became %q, with %d system parts in the result", whole, got.System.Len())
	}
	if got, err = prune.History(t.Context(), plimsoll.Conversation{}, &prune.Options{MaxTokens: 8, Counter: letters{}}); err != nil || got.Messages.Len() != 0 {
		t.Errorf("an empty history: %v, %v", got, err)
	}
	// Without a calculator the model decides: 3 tokens around each message.
	one := said("user:Hello")
	info, err := prune.InfoFor(t.Context(), one, &prune.Options{MaxTokens: 100, Model: "gpt-4o"})
	if want := token.Tiktoken("gpt-4o").Count("Hello") + 3; err != nil || info.OriginalLength != want {
		t.Errorf("gpt-4o counts %d, %v; want %d", info.OriginalLength, err, want)
	}
}

// TestS05_R08_TheMarginIsADefault: the estimate of 40 letters is 10 tokens.
func TestS05_R08_TheMarginIsADefault(t *testing.T) {
	t.Parallel()
	one := said("user:" + strings.Repeat("x", 40))
	for factor, want := range map[float64]int{0: 12 + 3, 1.2: 12 + 3, 1: 10 + 3, 1.5: 15 + 3, 2: 20 + 3} {
		info, err := prune.InfoFor(t.Context(), one, &prune.Options{MaxTokens: 100, Model: "gemini-2.5-pro", BufferFactor: factor})
		if err != nil || info.OriginalLength != want {
			t.Errorf("factor %v: %d, %v; want %d", factor, info.OriginalLength, err, want)
		}
	}
}
