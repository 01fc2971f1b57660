package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

func scales() *report.Scales {
	return report.NewScales(token.Options{Registry: model.Default()}, nil, report.Words{Asked: "option", Given: "request", Unknown: "give a limit"})
}

func TestTheSharesOfACountAddUpToItsTotal(t *testing.T) {
	t.Parallel()
	s := scales()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab 岸\n")), 0, 40, -1)
		var messages []plimsoll.Message
		for i := range rapid.IntRange(0, 4).Draw(t, "rounds") {
			id := strconv.Itoa(i)
			messages = append(
				messages, plimsoll.Say(plimsoll.User, text.Draw(t, "user")),
				plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: text.Draw(t, "said")}, plimsoll.ToolCall{ID: id, Name: "depth", Arguments: "{}"}),
				plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text.Draw(t, "result")})}),
			)
		}
		c := plimsoll.Conversation{
			Dialect:  rapid.SampledFrom([]plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Anthropic, plimsoll.Gemini}).Draw(t, "dialect"),
			System:   plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text.Draw(t, "system")}),
			Messages: plimsoll.ListOf(messages...),
		}
		got, err := s.Conversation(c)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, share := range got.Space {
			sum += share.Tokens
		}
		if sum != got.Total || len(got.Messages) != len(messages) || got.Freeboard != got.Limit-got.Total {
			t.Errorf("shares come to %d of %d, %d of %d messages, %d free of %d", sum, got.Total, len(got.Messages), len(messages), got.Freeboard, got.Limit)
		}
	})
}

func TestWhoNamedTheModelAndTheLimitIsSaid(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Model: "gpt-4o", Dialect: plimsoll.OpenAI, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "hi"))}
	for _, tt := range []struct {
		name             string
		change           func(*report.Scales)
		model            string
		modelFrom, limit string
	}{
		{"the request alone", func(*report.Scales) {}, "gpt-4o", "request", "registry"},
		{"another model is asked for", func(s *report.Scales) { s.Model = "gpt-4" }, "gpt-4", "option", "registry"},
		{"a limit is asked for", func(s *report.Scales) { s.Limit = 5 }, "gpt-4o", "request", "option"},
	} {
		s := scales()
		tt.change(s)
		got, err := s.Conversation(c)
		if err != nil || got.Model != tt.model || got.ModelFrom != tt.modelFrom || got.LimitFrom != tt.limit {
			t.Errorf("%s: %s by %s, limit by %s, %v", tt.name, got.Model, got.ModelFrom, got.LimitFrom, err)
		}
	}
}

func TestTheWindowThatARequestAsksForIsTheLimitOfItsCount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, model string
		asked       int // by the request
		option      int
		limit       int
		from        string
	}{
		{"smaller than the model's", "gpt-4o", 2048, 0, 2048, "request"},
		{"larger than the model's", "gpt-4o", 1_000_000, 0, 128_000, "registry"},
		{"of an unknown model", "smollm2", 32_768, 0, 32_768, "request"},
		{"beside a limit", "gpt-4o", 2048, 5000, 5000, "option"},
	} {
		c := plimsoll.Conversation{Model: tt.model, Window: tt.asked, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "hi"))}
		s := scales()
		s.Limit = tt.option
		got, err := s.Conversation(c)
		if err != nil || got.Limit != tt.limit || got.LimitFrom != tt.from {
			t.Errorf("%s: %d by %s, %v", tt.name, got.Limit, got.LimitFrom, err)
		}
	}
}

func TestAModelThatNobodyKnowsIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	s := scales()
	s.Model = "gtp-4o"
	_, err := s.Conversation(plimsoll.Conversation{})
	if !errors.Is(err, plimsoll.ErrUnknownModel) || !strings.Contains(plimsoll.HintOf(err), "did you mean gpt-4o") || !strings.Contains(plimsoll.HintOf(err), "give a limit") {
		t.Errorf("%v, hint %q", err, plimsoll.HintOf(err))
	}
}

// ledger is a list of accounts in pages.
type ledger []account.Account

func (l ledger) Accounts(_ context.Context, after string, limit int) ([]account.Account, error) {
	if after == "" {
		return l[:min(len(l), limit)], nil
	}
	for i, a := range l {
		if a.Conversation == after {
			return l[i+1 : min(len(l), i+1+limit)], nil
		}
	}
	return nil, plimsoll.ErrNotFound
}

func TestAStatementAddsUpEveryPageAndListsTheFirst(t *testing.T) {
	t.Parallel()
	var all ledger
	for i := range 2500 {
		all = append(all, account.Account{Conversation: "c" + strconv.Itoa(i), Model: []string{"a", "b"}[i%2], Requests: 2})
	}
	s, err := report.ReadStatement(t.Context(), all, 3)
	if err != nil || s.All != 2500 || len(s.Listed) != 3 || s.Total.Requests != 5000 || len(s.Models) != 2 || s.Models[1].Requests != 2500 {
		t.Fatalf("%+v, %v", s, err)
	}
	text, err := json.Marshal(s.Accounts())
	if err != nil || !strings.Contains(string(text), `"total":{"requests":5000,`) {
		t.Errorf("%s, %v", text, err)
	}
	empty, err := report.ReadStatement(t.Context(), ledger{}, 0)
	if text, _ := json.Marshal(empty.Accounts()); err != nil || !strings.HasPrefix(string(text), `{"conversations":[],"models":[],"total":{"requests":0`) {
		t.Errorf("%s, %v", text, err)
	}
}
