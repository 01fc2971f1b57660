// Package build has the tools that the codecs in wire/internal are built with. Read it
// before you write a codec; docs/adding-an-api.md lists the steps.
//
// Requests: a [Scanner] walks the body once and makes the parts. [ReadRoot],
// [ReadMessages] and [ReadTools] read the lists that every API has, and fill a
// layout.Layout. [OpenCalls] finds the call of a result that does not name it. A
// layout.Identity hashes what a message says. The codec hands the
// layout to wire.NewRequest, together with a wire.Writer that embeds [Defaults].
//
// Answers: [Take] reads what all of them say beside their message, and [Refusal] says
// what an error must tell a client.
//
// Replies of several rounds: [NewStream] drives an [EventJoiner] for streams, and
// [NewWholeReply] a [Joiner] for whole answers. A [History] remembers the rounds and
// makes the wire.Record.
//
// The package knows no API.
package build
