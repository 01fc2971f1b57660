// Package plimsoll keeps a conversation with a language model under its load line, so
// that what is sent is always valid, always fits and has lost as little as possible.
//
// This package is the dictionary: the types that every other package uses and the rules
// that no other package may break. It knows no wire format, no tokenizer, no database
// and no policy, and it imports the standard library only. To make a conversation fit,
// use package fit with the options of package preset, or package transport for HTTP.
//
//   - A [Conversation] is what one request says: system, tools and messages. It is
//     immutable, all the way down.
//   - A [Message] has a role and [Part]s: [Text], [ToolCall], [ToolResult],
//     [Reasoning], [Media], or [Opaque] for what a provider adds tomorrow.
//   - [Conversation.Outline] finds the turns, the rounds, and the result of each call.
//   - A [Load] says what a conversation weighs, per part, and whether that is exact. A
//     [Meter] makes it; package token has one.
//   - A [Draft] is the only way to change a conversation. It records an [Edit] for
//     every change, and it can be rolled back.
//   - A [Plan] says how a conversation is made to fit, and has the bytes to send.
//   - A [Ref] names stored content. A [Usage] is what the provider billed.
//
// Every value is safe for concurrent use unless its comment says otherwise; a Draft
// belongs to one goroutine.
//
// # Words
//
// Each word has one meaning, in code, JSON, metrics, command line and dashboard:
//
//	window      the model's limit in tokens, prompt and answer together
//	reserve     tokens of the window that stay free for the answer
//	limit       the most that a prompt may weigh: window minus reserve
//	line        window and reserve together; a load over its limit must be cut
//	load        tokens of system, tools and messages together
//	watermark   a fraction of the limit: high, where rungs must act; low, what they
//	            aim at; soft, where a summary is begun in the background
//	floor       tokens that no rung may remove
//	turn        a user message without tool results, and everything up to the next one
//	round       an assistant message with its tool calls and all their results
//	part        a piece of a message
//	ref         an unguessable name of stored content
//	placeholder the text that replaces a tool output; a view is an output cut short
//	draft, edit a conversation that is being changed, and one entry of its log
//	rung        one way to make a conversation smaller; the ladder is all, in order;
//	            rungs on arrival cut every request, whatever its load
//	keeper      the engine with its configuration; it gets a task for each request, and
//	            a walk is one task on its way through it
//	checkpoint  what replaces old messages: the user's words, a ledger, a summary
//	receipt     a message that says what was removed and where it is kept
//	decision    what was cut for a prefix; replayed on every request that begins with it
//	            if cuts are sticky
//	scope       tenant, conversation name, preset, window, limit; decisions never cross it
//	policy      says when to cut a conversation that is still under its limit
//	preset      a named configuration
//	dialect     one of the APIs that conversations are written in
//
// docs/glossary.md has the words of serving, too.
package plimsoll
