// Package sqlite keeps a store in one SQLite file: the default, for one machine. It
// needs nothing to be set up, and several processes may share the file.
//
// There is one connection that writes and a few that read, in every process. Writers
// wait for each other, readers do not wait (write-ahead log). What was
// acknowledged is on the disk (synchronous FULL). Deleted content is overwritten, and
// Sweep gives its space back.
//
// The package knows rows, not content: chunks are bytes to it, tenants are hashes.
package sqlite
