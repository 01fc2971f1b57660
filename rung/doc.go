// Package rung holds the ways to make a conversation smaller. A rung knows
// conversations, drafts and tokens. It knows no wire format, no provider and no policy:
// the [fit.Keeper] decides when a rung runs and how far it goes.
//
// From cheap to expensive:
//
//   - [View] cuts large tool outputs.
//   - [Dedupe] replaces outputs that a later message repeats, or that a later write
//     made stale.
//   - [Clear] replaces the oldest outputs by placeholders.
//   - [Reasoning] removes old thinking.
//   - [Compact] replaces old messages by a checkpoint with a summary.
//   - [Slide] drops whole turns, then whole rounds, oldest first.
//   - [Trim] keeps messages one by one, newest first. The preset cookbook uses it.
//
// A rung puts what it takes out of a result into the archive, and a placeholder in the
// conversation names the reference. Without an archive the placeholder has none.
package rung
