// Package transport manages the conversations in HTTP traffic with language models.
//
// A [Transport] is an [http.RoundTripper]. It recognises the requests that carry a
// conversation by their path, in six dialects, makes the conversation fit, sends it,
// and reads the answer on the side while it passes. Everything else goes through
// untouched. So any client of any SDK is managed by giving it another transport:
//
//	client := &http.Client{Transport: managed}
//
// and package proxy does the same for programs in other languages.
//
// # The life of a request
//
//	read ─▶ decode ─▶ restore what the client was not shown ─▶ fit ─▶ send ─▶ answer
//
// A conversation under its limit is sent byte for byte. If the upstream says that the
// context is full before the client has got anything, Plimsoll cuts more, sends the
// request again and remembers the limit. If the model asks for what was cut, Plimsoll
// answers the model, and the client does not notice.
//
// The files follow that way:
//
//	transport.go  New, RoundTrip, Close
//	request.go    what the client asks; immutable once something is sent
//	trip.go       one round trip: attempts until the upstream takes one
//	fit.go        the plan and the body of an attempt; line.go: the limit in force
//	answer.go     an answer that passes; rounds.go: one with calls of our tools
//	accounts.go   the one writer of accounts
//	exchange.go   what observers get about a request
//
// The packages answer, history, limit and breaker in transport/internal hold what can be
// understood without a round trip. Package internal/modelserver asks servers of local
// models for their window.
//
// # When something fails
//
// The request goes on. If the store cannot be reached, if there is no summary, or if
// Plimsoll itself fails, the request is sent unchanged if it fits, and else with cuts
// that need no store. A header of the answer says so. A request is refused only where
// going on could do harm: a body that two parsers may read differently is never edited.
package transport
