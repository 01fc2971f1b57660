// Package fit compares how Plimsoll and other libraries make conversations fit
// into a budget: it reads recorded conversations, has each library cut them down,
// and judges every result by the same rules and the same counter. It also keeps
// what the keeper itself was measured to take. Package report makes tables of it.
package fit

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Model names the vocabulary that everybody counts with: o200k_base.
const Model = "gpt-4o"

// Case is a recorded conversation as a request of OpenAI's Chat Completions.
type Case struct {
	ID     string `json:"id"`
	Corpus string `json:"-"`
	// Messages is the list as JSON.
	Messages json.RawMessage `json:"messages"`
	// Tokens of all messages; Budgets to fit them into.
	Tokens  int      `json:"-"`
	Budgets []Budget `json:"budgets"`
	// Tools says that it has tool calls.
	Tools bool `json:"-"`
}

// Budget is a limit for the messages.
type Budget struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// BudgetNames lists the budgets: parts of what a conversation weighs, and one
// that is the same for all which weigh more.
var BudgetNames = []string{"75 %", "50 %", "25 %", "8,000"}

func budgets(tokens int) []Budget {
	all := []Budget{{BudgetNames[0], tokens * 3 / 4}, {BudgetNames[1], tokens / 2}, {BudgetNames[2], tokens / 4}}
	if tokens > 8000 {
		all = append(all, Budget{BudgetNames[3], 8000})
	}
	return all
}

// newCase renders a conversation. It returns nil if nobody could send that to the
// API as it is, or if it has nothing to cut.
func newCase(id, corpus string, messages []plimsoll.Message) (*Case, error) {
	messages = untilAsked(messages)
	if len(messages) < 3 {
		return nil, nil
	}
	list, err := render(messages)
	if err != nil {
		return nil, err
	}
	request, err := decode(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	if len(wire.Check(request)) > 0 {
		return nil, nil
	}
	c := request.Conversation()
	load := token.NewMeter(nil).Weigh(c)
	return &Case{
		ID: id, Corpus: corpus, Messages: list, Tokens: load.Total, Budgets: budgets(load.Total), Tools: len(c.Outline().Pairs) > 0,
	}, nil
}

// untilAsked leaves out what follows the last message that a model answered, so
// that the list is what a program would send.
func untilAsked(messages []plimsoll.Message) []plimsoll.Message {
	for len(messages) > 0 && messages[len(messages)-1].Role == plimsoll.Assistant {
		messages = messages[:len(messages)-1]
	}
	return messages
}

// Body makes a request of a list of messages.
func Body(messages json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"model":%q,"messages":%s}`, Model, messages)
}

func decode(messages json.RawMessage) (*wire.Request, error) {
	return dialects.Codec(plimsoll.OpenAI).Decode(Body(messages))
}
