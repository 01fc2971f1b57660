package main

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/token"
)

// growth answers what it costs to weigh a conversation of about so many tokens
// after one more message, and one more, as it grows: from nothing, by the hashes of
// the messages, and by their digests.
func growth(tokens int) (string, error) {
	plain, digested := conversation(tokens, false), conversation(tokens, true)
	meter := token.NewMeter(nil)
	known := meter.Weigh(plain.before)
	if known.Total < tokens*9/10 {
		return "", fmt.Errorf("conversation has %d tokens, want %d", known.Total, tokens)
	}
	ways := []struct {
		name  string
		grown grown
		weigh func(plimsoll.Conversation)
	}{
		{"recount", plain, func(c plimsoll.Conversation) { token.NewMeter(nil).Weigh(c) }},
		{"hashed", plain, func(c plimsoll.Conversation) { meter.Weigh(c) }},
		{"digest", digested, func(c plimsoll.Conversation) { meter.Weigh(c) }},
	}
	answer := []string{"ok", fmt.Sprint(known.Total)}
	step := 1 << 30
	for _, way := range ways {
		best := time.Hour
		for range rounds {
			all := way.grown.next(&step)
			meter.Weigh(way.grown.before)
			best = min(best, timed(all, way.weigh))
		}
		answer = append(answer, way.name, fmt.Sprint(best.Nanoseconds()))
	}
	return strings.Join(answer, "\t"), nil
}

// A round appends a batch of messages between two looks at the clock, whose
// resolution is a microsecond, and begins from the first length again.
const (
	rounds = 20
	batch  = 8
)

// timed returns the CPU time of weighing one of the conversations.
func timed(all []plimsoll.Conversation, weigh func(plimsoll.Conversation)) time.Duration {
	start := line.CPU()
	for _, c := range all {
		weigh(c)
	}
	return (line.CPU() - start) / time.Duration(len(all))
}

type grown struct {
	before plimsoll.Conversation
	digest bool
}

// next returns a batch of conversations, each of which has one message more than
// the one before, that no meter has seen.
func (g grown) next(step *int) []plimsoll.Conversation {
	all := make([]plimsoll.Conversation, batch)
	last := g.before
	for i := range all {
		*step++
		last.Messages = plimsoll.ListOf(append(last.Messages.Slice(), g.message(*step))...)
		all[i] = last
	}
	return all
}

func (g grown) message(i int) plimsoll.Message {
	role := plimsoll.User
	if i%2 == 1 {
		role = plimsoll.Assistant
	}
	m := plimsoll.Say(role, body(i))
	if g.digest {
		binary.LittleEndian.PutUint64(m.Digest[:], uint64(i)+1)
	}
	return m
}

// body is a message of about two hundred tokens that differs from every other.
func body(i int) string {
	var b strings.Builder
	for line := range 8 {
		fmt.Fprintf(&b, "%d: step %d of the build wrote %d files to out/part-%d and left %d warnings for review.\n", line, i, i%97, i%13, i%7)
	}
	return b.String()
}

func conversation(tokens int, digest bool) grown {
	g := grown{digest: digest}
	var messages []plimsoll.Message
	for n, i := 0, 0; n < tokens; i++ {
		messages = append(messages, g.message(i))
		n += bpe.O200K().Count(body(i)) + 4
	}
	g.before = plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4.1", Messages: plimsoll.ListOf(messages...)}
	return g
}
