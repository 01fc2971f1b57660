// Package expand lets a model have back what was taken out of its conversation: two
// tools, one that reads stored content by lines and one that searches it, with their
// schemas ([Tools]) and their execution ([Call]).
//
// Answers are bounded, in bytes, in time and in what a pattern may cost, and say how
// to go on. Content is streamed: a gigabyte is read and searched in constant memory,
// however long its lines are. Nothing is cut inside a character.
//
// The package knows the store and no wire format: who offers the tools to a model,
// and how, is the business of a proxy, of an MCP server or of a program's own loop.
package expand
