// Package line is the protocol between the driver and the programs that measure
// one tokenizer each. A program reads commands from standard input, one per line
// with fields separated by tabs, and answers each with one line:
//
//	open ENCODING                 ok
//	load NAME FILE                ok
//	count ENCODING NAME MILLIS    ok TOKENS NANOSECONDS PASSES
//	encode ENCODING NAME MILLIS   ok TOKENS NANOSECONDS PASSES
//	ids ENCODING BATCH FILE       ok TEXTS
//	append TOKENS                 ok TOKENS WAY NANOSECONDS ... (Plimsoll only)
//
// or "error MESSAGE". A program that is started with the arguments "first
// ENCODING" counts one short text, prints "ok TOKENS NANOSECONDS" and ends.
//
// Nanoseconds are the CPU time of the whole process, garbage collector and
// compiler threads included: the mean of as many passes over the text as the
// milliseconds take, at least one, after one that is not timed. With 0
// milliseconds there is one pass, and it is timed. Texts are read and decoded
// before. A batch is a sequence of texts, each after its length as a
// little-endian uint32; the ids are written in the same way, number first.
//
// The programs for other languages speak it too, so the protocol has nothing
// that is awkward without a library.
package line

// Sample is the text of which a fresh process takes its first count.
const Sample = "Hello, world! How many tokens is this?"
