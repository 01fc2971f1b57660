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
