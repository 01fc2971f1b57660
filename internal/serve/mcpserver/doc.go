// Package mcpserver offers the tools of package expand to any client of the Model
// Context Protocol, so that an agent that was given a reference can read and search
// what it names.
//
// A server speaks over a pair of streams ([Server.Serve]), as agents run it as a
// child, or over streamable HTTP ([Server.Listen]). Over HTTP it keeps no sessions,
// and refuses whatever a web page could have sent: foreign names in Host, foreign
// origins, requests across sites.
//
// The package knows one tenant's part of a store and no policy.
package mcpserver
