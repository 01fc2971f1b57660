// Package prune shortens a chat by dropping whole turns, oldest first: the sliding
// window of chat programs. A turn is a user's message with all replies to it,
// however many models gave one. It is a small way in to the keeper for programs
// that hold a history in memory; the work is done by the preset multichat.
package prune

import (
	"context"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// Options say what a history may weigh and how it is counted.
type Options struct {
	// MaxTokens is what system prompt and history may weigh together. Required.
	MaxTokens int
	// Model to count for; empty means the one that the history names.
	Model string
	// System is a system prompt that is sent beside the history. It counts and is
	// never dropped.
	System string
	// Counter counts every text, without framing; nil means that of the model,
	// with 3 tokens around each message.
	Counter plimsoll.Counter
	// Token options choose the vocabularies; BufferFactor is the margin on estimates, 0
	// for 1.2.
	Token        token.Options
	BufferFactor float64
}

// Info says what pruning would do.
type Info struct {
	// TurnsToRemove counts turns, not messages.
	TurnsToRemove int `json:"turns_to_remove"`
	// OriginalLength and PrunedLength are tokens, the system prompt included.
	OriginalLength int `json:"original_length"`
	PrunedLength   int `json:"pruned_length"`
}

// History returns the history without the oldest turns that do not fit; the same
// history if all of it fits. The newest turn always stays: if it does not fit
// beside the system prompt, the error is a [plimsoll.OverloadError].
func History(ctx context.Context, history plimsoll.Conversation, o *Options) (plimsoll.Conversation, error) {
	plan, err := Plan(ctx, history, o)
	if err != nil {
		return plimsoll.Conversation{}, err
	}
	pruned := plan.Conversation()
	pruned.System, pruned.Model = history.System, history.Model
	return pruned, nil
}

// InfoFor returns what History would do, without doing it.
func InfoFor(ctx context.Context, history plimsoll.Conversation, o *Options) (Info, error) {
	plan, err := Plan(ctx, history, o)
	if err != nil {
		return Info{}, err
	}
	return InfoOf(plan), nil
}

// InfoOf returns what a plan of [Plan] does.
func InfoOf(plan *plimsoll.Plan) Info {
	dropped := map[int]bool{}
	for _, e := range plan.Edits {
		if e.Kind == plimsoll.EditDrop {
			dropped[e.Message] = true
		}
	}
	info := Info{OriginalLength: plan.Before.Total, PrunedLength: plan.After.Total}
	for _, turn := range plan.Draft.Outline().Turns {
		if dropped[turn.Start] {
			info.TurnsToRemove++
		}
	}
	return info
}

// Plan returns every edit that pruning makes, with its reason.
func Plan(ctx context.Context, history plimsoll.Conversation, o *Options) (*plimsoll.Plan, error) {
	options := &preset.Options{Model: o.Model, Window: o.MaxTokens, Token: o.Token, BufferFactor: o.BufferFactor}
	if o.Counter != nil {
		none := token.Framing{TextOnly: true}
		options.Meter = token.NewMeter(&token.MeterOptions{Counter: o.Counter, Framing: &none})
	}
	k, err := preset.Multichat(options)
	if err != nil {
		return nil, err
	}
	k.Best = nil // the caller says what counts
	keeper, err := fit.New(k)
	if err != nil {
		return nil, err
	}
	if o.Model != "" {
		history.Model = o.Model
	}
	if o.System != "" {
		history.System = plimsoll.ListOf(append(history.System.Slice(), plimsoll.Part(plimsoll.Text{Text: o.System}))...)
	}
	// The line is given, not looked up, so that a limit of 0 is one, too.
	return keeper.Plan(ctx, fit.Task{Conversation: history, Line: &plimsoll.Line{Window: o.MaxTokens}})
}
