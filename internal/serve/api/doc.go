// Package api is the HTTP API beside the proxy. Programs in any language count, plan,
// fit, trim, prune and compact requests with it, undo a compaction, hand in bills, and
// read what Plimsoll cut and what that saved. Its answers have the shapes of package report, in
// which the command line prints the same.
//
// Each operation is a struct, such as fitRequest. The fields are the options, with
// their names and descriptions in tags; the method do is the operation. [Handler]
// routes to it, one decoder fills it from the query and the body, and the OpenAPI
// document follows from it. The list of operations is in api.go.
//
// A body is a request of any provider's API with options in the query, or an object
// that has the request under "request" and the options beside it. The answer's
// "request" has the client's own bytes wherever nothing was edited.
//
// No option names a file, an address or a program: the operator decides what the
// service may reach. The package does not know who may call it; the server in front of
// it checks hosts, origins and tokens.
package api
