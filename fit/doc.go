// Package fit is the engine: it makes a conversation fit its limit. One request goes
// one way, and each step has a file:
//
//	keeper.go    New, Fit, Plan: the doors
//	walk.go      the story of a request, top down
//	protect.go   which messages must survive, and what they weigh (the floor)
//	replay.go    what was cut for an earlier request is cut again, byte for byte
//	policy.go    whether a cut pays before the limit is reached
//	ladder.go    the rungs in order, until the goal is reached
//	recollect.go what the newest question needs of the missing messages
//	offer.go     tools that read what was cut
//	commit.go    what was cut is stored, and the decision remembered
//	compact.go   checkpoints; inflight.go: one at a time; breaker.go: not in vain
//	decision.go  a cut in a form that can be stored; memory.go: where it is stored
//	undo.go      a compaction taken back
//	observe.go   what was billed, into the accounts; anchor.go: and into the count
//
// A [Keeper] holds the configuration and what it remembers of conversations. A [Task]
// is one conversation with what holds for it alone. A [Work] is the state of one walk;
// a [Rung] sees its exported methods and gets a [Target].
//
// The engine knows no wire format, no tokenizer and no database: these come in
// through [plimsoll.Meter], [Archive], [Memory] and the functions of a task.
package fit
