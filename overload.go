package plimsoll

import (
	"fmt"
	"strings"
)

// OverloadError says that a conversation cannot be made to fit, what is in the way
// and what would help. It wraps [ErrOverLimit].
type OverloadError struct {
	// Line that was in force.
	Line Line
	// Floor is what no rung may remove.
	Floor int
	// Items make up the floor, largest first.
	Items []FloorItem
	// Load is the least that the rungs reached; 0 if they were not tried, because
	// the floor alone is over the limit.
	Load int
	// Rungs that were tried.
	Rungs []RungReport
}

// FloorItem is something that no rung may remove.
type FloorItem struct {
	Kind FloorKind `json:"kind"`
	// Message is the index of the first message of the item, or -1.
	Message int `json:"message"`
	Tokens  int `json:"tokens"`
}

// FloorKind says what an item of the floor is.
type FloorKind string

// The kinds of what cannot be removed.
const (
	FloorSystem  FloorKind = "system"
	FloorTools   FloorKind = "tools"
	FloorFraming FloorKind = "framing"
	FloorPinned  FloorKind = "pinned"
	// FloorTurn is the newest turn, or the message that opened it.
	FloorTurn FloorKind = "newest turn"
	// FloorRound is the newest round of the newest turn.
	FloorRound FloorKind = "newest round"
)

// Unwrap returns [ErrOverLimit].
func (e *OverloadError) Unwrap() error { return ErrOverLimit }

// Of returns the tokens of one kind of item.
func (e *OverloadError) Of(kind FloorKind) int {
	n := 0
	for _, i := range e.Items {
		if i.Kind == kind {
			n += i.Tokens
		}
	}
	return n
}

// Error names the first thing that does not fit, with the numbers.
func (e *OverloadError) Error() string {
	limit := e.Line.Limit()
	system := e.Of(FloorSystem)
	fixed := system + e.Of(FloorTools) + e.Of(FloorFraming)
	newest := fixed + e.Of(FloorTurn) + e.Of(FloorRound)
	switch {
	case system > limit:
		return fmt.Sprintf("System prompt (%d tokens) exceeds max context length (%d tokens)", system, limit)
	case fixed > limit:
		return fmt.Sprintf("System prompt and tools (%d tokens) exceed max context length (%d tokens)", fixed, limit)
	case newest > limit:
		return fmt.Sprintf("Single turn too long: %d tokens exceeds max context (%d tokens)", newest, limit)
	case e.Floor > limit:
		return fmt.Sprintf("Pinned messages and the newest turn (%d tokens) exceed max context length (%d tokens)", e.Floor, limit)
	}
	return fmt.Sprintf("Conversation cannot be made to fit: %d tokens are left, max context is %d tokens%s", e.Load, limit, e.undone())
}

func (e *OverloadError) undone() string {
	var b strings.Builder
	for _, r := range e.Rungs {
		if r.Undone != "" {
			fmt.Fprintf(&b, "; %s was undone: %s", r.Rung, r.Undone)
		}
	}
	return b.String()
}

// Hint says what would help, largest item first.
func (e *OverloadError) Hint() string {
	if window := e.Line.Window; window > 0 && e.Line.Reserve >= window {
		return fmt.Sprintf("the reserve (%s) leaves nothing of the window (%s): choose a smaller one", tokens(e.Line.Reserve), tokens(window))
	}
	var hints []string
	for _, i := range e.Items {
		hint := i.hint()
		if hint != "" && i.Tokens*20 >= e.Floor {
			hints = append(hints, fmt.Sprintf("%s (%s)", hint, tokens(i.Tokens)))
		}
	}
	hints = append(hints, "or choose a larger window or a smaller reserve")
	return strings.Join(hints, "; ")
}

func tokens(n int) string {
	if n == 1 {
		return "1 token"
	}
	return fmt.Sprintf("%d tokens", n)
}

func (i FloorItem) hint() string {
	switch i.Kind {
	case FloorSystem:
		return "shorten the system prompt"
	case FloorTools:
		return "declare fewer tools, or describe them in fewer words"
	case FloorPinned:
		return fmt.Sprintf("unpin message %d", i.Message)
	case FloorTurn:
		return fmt.Sprintf("shorten the newest turn, from message %d on", i.Message)
	case FloorRound:
		return fmt.Sprintf("shorten the newest tool round, from message %d on", i.Message)
	}
	return ""
}
