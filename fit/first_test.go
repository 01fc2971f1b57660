package fit_test

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// TestHowMuchACutKeepsDependsOnWhetherTheConversationGoesOn cuts nine messages of 1,000
// tokens to a limit of 6,000.
func TestHowMuchACutKeepsDependsOnWhetherTheConversationGoesOn(t *testing.T) {
	t.Parallel()
	marks := fit.Watermarks{First: 1, Low: 0.5}
	memory := &notebook{}
	anchored := fit.Options{Marks: marks, Rungs: []fit.Rung{&rung.Slide{}}, Anchored: true, Memory: memory}
	for _, tt := range []struct {
		name    string
		options fit.Options
		// before is what happens before the request.
		before func(*testing.T, *fit.Keeper)
		task   fit.Task
		// left is what the client sends first.
		left []plimsoll.Message
		// want is how many messages stay. Slide takes whole turns.
		want int
	}{
		{name: "a conversation that was not seen before fills its limit", want: 5},
		{
			name: "one whose beginning was seen keeps the low mark", want: 3,
			before: func(t *testing.T, k *fit.Keeper) { fits(t, k, thousands(3)) },
		},
		{
			name: "one that the client has cut as the keeper did keeps the low mark", want: 3,
			before: func(t *testing.T, k *fit.Keeper) {
				fits(t, k, fit.Task{Conversation: plimsoll.Conversation{Model: "m", Messages: plimsoll.ListOf(slices.Delete(thousands(19).Conversation.Messages.Slice(), 1, 9)...)}})
			},
		},
		{
			name: "one that has the receipt of a cut keeps the low mark", want: 3,
			left: []plimsoll.Message{plimsoll.Receipt("2 earlier messages")},
		},
		{
			name: "one that has what stands for an output keeps the low mark", want: 3,
			left: []plimsoll.Message{
				plimsoll.Say(plimsoll.User, "read it"),
				plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "read", Arguments: "{}"}),
				plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[tool output trimmed]"})}),
			},
		},
		{
			name: "a request that is sent again is cut as before", want: 5,
			before: func(t *testing.T, k *fit.Keeper) { fits(t, k, thousands(9)) },
		},
		{
			name: "a plan is no request", want: 5,
			before: func(t *testing.T, k *fit.Keeper) {
				_, err := k.Plan(t.Context(), thousands(3))
				testkit.Must(t, err)
			},
		},
		{
			name: "another tenant's conversation says nothing", want: 5,
			before: func(t *testing.T, k *fit.Keeper) { fits(t, k, inScope(thousands(3), fit.Scope{Tenant: "other"})) },
		},
		{
			name: "a bill in the store says that it goes on", want: 3, options: anchored,
			before: func(t *testing.T, _ *fit.Keeper) { observed(t, newKeeper(t, 6000, anchored), thousands(3), 3050) },
		},
		{
			name: "a request that the provider refused goes down to the low mark", want: 3,
			task: fit.Task{GoesOn: true},
		},
		{
			name: "a low mark without a first mark holds for all", want: 3,
			options: fit.Options{Marks: fit.Watermarks{Low: 0.5}, Rungs: []fit.Rung{&rung.Slide{}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.options.Rungs == nil {
				tt.options = fit.Options{Marks: marks, Rungs: []fit.Rung{&rung.Slide{}}}
			}
			k := newKeeper(t, 6000, tt.options)
			if tt.before != nil {
				tt.before(t, k)
			}
			c := thousands(9).Conversation
			c.Messages = plimsoll.ListOf(append(tt.left, c.Messages.Slice()...)...)
			tt.task.Conversation = c
			plan := fits(t, k, tt.task)
			if got := plan.After.Total / 1000; got != tt.want {
				t.Errorf("%d thousand tokens are left, want %d", got, tt.want)
			}
		})
	}
}

func fits(t *testing.T, k *fit.Keeper, task fit.Task) *plimsoll.Plan {
	t.Helper()
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	return plan
}
