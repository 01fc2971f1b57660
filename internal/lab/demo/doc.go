// Package demo shows within seconds what the proxy does, without a key and without a
// network: a recorded agent session is played over HTTP to a scripted model, through
// a proxy with a window that is far too small for it.
//
// The session was recorded with the example agent at work on this repository: what the
// tools printed is real, what the model said is a script. The client sends each request
// as an agent does, with its whole history; the model reads back some of what was cut
// before it answers. What the model gets to see is compared with the recording, and so
// is, in the end, everything behind a reference.
//
// The package knows how to play and what to compare. The proxy is handed in, and the
// caller draws.
package demo

//go:generate sh record.sh
