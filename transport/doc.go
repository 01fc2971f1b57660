// Package transport manages the conversations in HTTP traffic with language models.
//
// A [Transport] is an [http.RoundTripper]. It recognises the requests that carry a
// conversation by their path, in four dialects, makes the conversation fit, sends it,
// and reads the answer on the side while it passes. Everything else goes through
// untouched. So any client of any SDK is managed by giving it another transport:
//
//	client := &http.Client{Transport: managed}
//
// and package proxy does the same for programs in other languages.
//
// # The life of a request
//
//	read ─▶ decode ─▶ put back what the client was not shown ─▶ fit ─▶ send ─▶ answer
//
// A conversation under its line is sent byte for byte as it came. An upstream that
// says that the context is full, before anything has reached the client, is asked once
// more with less, and its limit is remembered. A model that asks for what was taken
// out of its conversation gets it from here, and the client does not notice.
//
// # When something fails
//
// The request goes on. If the store cannot be reached, if a summary cannot be had, if
// there is a mistake in this program, then the request is sent as it came if it fits,
// and else with what needs no store. The answer says so in a header. Only where going
// on could harm somebody is a request refused: a body that two parsers may read
// differently is never edited.
package transport
