package rung

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Choice is what [Select] chooses from.
type Choice struct {
	// Messages is how many there are.
	Messages int
	// Tokens of each message.
	Tokens []int
	// Budget is what the kept messages may weigh together.
	Budget int
	// System is the message that Select takes first, or -1 if there is none.
	System int
	// Groups are messages that stay or go together, by index. Groups that share a
	// message are one group. Any other message is a group of its own.
	Groups [][]int
}

// Select says which messages to keep. It takes the system message first, then the
// others from the newest to the oldest while they fit. It skips one that does not fit,
// and may still take an older, smaller one. It always keeps the system message and the
// newest of the others, with their groups, so the result may exceed the budget.
func Select(c Choice) ([]bool, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	units := unitsOf(c)
	kept := make([]bool, c.Messages)
	weight := 0
	take := func(unit []int, forced bool) {
		sum := 0
		for _, i := range unit {
			sum += c.Tokens[i]
		}
		if !forced && weight+sum > c.Budget {
			return
		}
		weight += sum
		for _, i := range unit {
			kept[i] = true
		}
	}
	if c.System >= 0 {
		take(units[c.System], true)
	}
	newest := true
	for i := c.Messages - 1; i >= 0; i-- {
		if i == c.System {
			continue
		}
		// The newest message of a group decides when the group is weighed.
		if unit := units[i]; !kept[i] && unit[len(unit)-1] == i {
			take(unit, newest)
		}
		newest = false
	}
	return kept, nil
}

func (c Choice) check() error {
	if len(c.Tokens) != c.Messages {
		return fmt.Errorf("%w: messages and per_message_tokens must align: %d and %d", plimsoll.ErrInvalid, c.Messages, len(c.Tokens))
	}
	if c.System < -1 || c.System >= c.Messages {
		return fmt.Errorf("%w: the system message is %d of %d", plimsoll.ErrInvalid, c.System, c.Messages)
	}
	for _, group := range c.Groups {
		for _, i := range group {
			if i < 0 || i >= c.Messages {
				return fmt.Errorf("%w: message %d of a group of %d messages", plimsoll.ErrInvalid, i, c.Messages)
			}
		}
	}
	return nil
}

// unitsOf returns, for each message, the messages that go with it, itself
// included, in order.
func unitsOf(c Choice) [][]int {
	root := make([]int, c.Messages)
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, group := range c.Groups {
		for _, i := range group {
			root[find(i)] = find(group[0])
		}
	}
	members := make([][]int, c.Messages)
	for i := range c.Messages {
		members[find(i)] = append(members[find(i)], i)
	}
	units := make([][]int, c.Messages)
	for i := range units {
		units[i] = members[find(i)]
	}
	return units
}
