// Package fit is the engine: it makes a conversation fit its limit. One request goes
// one way, and each step has a file:
//
//	keeper.go    New, Fit, Plan: the doors; loop.go: three more for an agent's loop
//	scope.go     whose conversation it is
//	walk.go      the story of a request, top down; work.go: what a rung sees of it
//	protect.go   which messages must survive, and what they weigh (the floor)
//	pin.go       messages that the client or the operator protects
//	replay.go    what was cut for an earlier request is cut again, byte for byte
//	policy.go    whether a cut pays before the limit is reached
//	ladder.go    the rungs in order, until the goal is reached
//	recollect.go what the newest question needs of the missing messages
//	offer.go     tools that read what was cut
//	commit.go    what was cut is stored, and the decision remembered
//	compact.go   checkpoints; compaction.go: the words for them
//	inflight.go  one checkpoint at a time; breaker.go: none in vain; hooks.go: who hears of it
//	span.go      dropped messages in a form that can be archived
//	decision.go  a cut in a form that can be stored; memory.go: where it is stored
//	undo.go      a compaction taken back
//	observe.go   what was billed, into the accounts; bill.go: what it would have been
//	anchor.go    what was billed, into the count of the next request
//
// A [Keeper] holds the configuration and what it remembers of conversations. A [Task]
// is one conversation with what holds for it alone. A [Work] is the state of one walk;
// a [Rung] sees its exported methods and gets a [Target].
//
// The engine knows no wire format, no tokenizer and no database: these come in
// through [plimsoll.Meter], [Archive], [Memory] and the functions of a task.
package fit
