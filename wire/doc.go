// Package wire reads and writes the APIs that clients speak, without touching a
// byte that need not change.
//
// A [Codec] indexes a request body into a [Request]: where the system prompt, the
// tools, the messages and their parts stand. The request offers them as a
// [plimsoll.Conversation], whose texts are unescaped only when they are read, and
// turns a [plimsoll.Draft] of it back into a body by splicing. With no edits the
// output is the input, byte for byte; with edits only the edited spans differ, so
// that number forms, key order, escapes, unknown fields and above all the
// provider's prompt cache survive.
//
// The codecs are in wire/internal: openai, responses, anthropic, gemini, ollama and converse; package
// dialects has them all and finds the right one. What they are built with is in
// wire/internal/build and wire/internal/layout. Here is what a program uses: requests,
// their validity, what an answer says, answers of several rounds that become one
// [Reply], and which errors mean that a context is full. The package knows no policy:
// it never decides what to cut.
package wire
