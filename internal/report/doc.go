// Package report has the shapes of reports about conversations: what
// they weigh, what a compaction made of them, what they used and saved. The command
// line prints them as JSON and the HTTP API answers with them, so that a script that
// reads the one can read the other.
//
// It says what others found out and decides nothing: it knows no wire format, no
// store and no way to make a conversation smaller.
package report
