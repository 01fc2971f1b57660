// Package plimsoll keeps a conversation with a language model under its load
// line: it knows what the conversation weighs in tokens, where it may be made
// lighter, and what was taken out, so that what is sent is always valid, always
// fits and has lost as little as possible.
//
// This package is the dictionary. It holds the words that every other package
// speaks and the rules that no other package may break; it knows no wire
// format, no tokenizer, no database and no policy, and it imports the standard
// library only.
//
//   - A [Conversation] is what one request says: system, tools and messages. It
//     is immutable, all the way down.
//   - A [Message] has a role and [Part]s: [Text], [ToolCall], [ToolResult],
//     [Reasoning], [Media], or [Opaque] for what a provider adds tomorrow.
//   - [Conversation.Outline] finds the turns and rounds. A turn is a user
//     message that carries no tool result, and everything up to the next one. A
//     round is an assistant message with its tool calls and all their results;
//     calls and results are never separated.
//   - A [Load] says what a conversation weighs, per part, and whether that
//     figure is exact. A [Meter] makes it; the meter of package token counts
//     exactly where the vocabulary is public.
//   - A [Draft] is the only way to change a conversation. It records an [Edit]
//     for every change, with the rung that made it, the reason and the tokens
//     saved, and it can be rolled back.
//   - A [Ref] names stored content that stands outside the conversation.
//   - A [Usage] is what the provider billed.
//
// Every value is safe for concurrent use unless its comment says otherwise;
// a Draft belongs to one goroutine.
package plimsoll
