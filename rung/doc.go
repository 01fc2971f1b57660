// Package rung holds the ways to make a conversation smaller, one file each. A
// rung knows conversations, drafts and tokens; it knows no wire format, no
// provider and no policy: when it is applied, and how far it goes, is decided by
// the keeper that gives it its work.
//
// From cheap to dear:
//
//   - [View] cuts tool outputs that are larger than anybody reads.
//   - [Dedupe] replaces outputs that stand in the conversation a second time, or
//     that a later write has made stale.
//   - [Clear] replaces the oldest outputs by placeholders.
//   - [Reasoning] removes old thinking.
//   - [Slide] drops whole turns, then whole rounds, oldest first.
//   - [Trim] keeps messages one by one, newest first; it is what the preset
//     cookbook does.
//
// What a rung takes out of a result goes to the archive of its work, if there is
// one, and the conversation keeps a reference; without an archive the placeholder
// says that the content is gone.
package rung
