// Package job is the work that real clients are given: read some dozens of files, one
// after the other, until what was read is more than the model's window holds. It is
// the model's side of it, as a script for package scripted: which tool to call next,
// of those that the client offers, and what to ask the cache tools for once something
// was cut.
//
// Every file carries marks, so that it can be said afterwards of each whether the
// model still has it before it, can have it back, or has lost it.
package job
