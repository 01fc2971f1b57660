// Package api is the HTTP API beside the proxy: programs in any language count,
// plan, fit, trim, prune and compact requests with it, take a compaction back, and
// read what was taken out and what it saved. It answers in the shapes of package
// report, in which the command line prints the same.
//
// A body is a request of any API as it would be sent to a model, with wishes in the
// query, or an object that has the request under "request" and the wishes beside it.
// What comes back under "request" has the client's own bytes wherever nothing was
// edited.
//
// No wish names a file, an address or a program: what the service may reach is the
// operator's to say. The package does not know who may call it; hosts, origins and
// tokens are checked by the server in front of it.
package api
