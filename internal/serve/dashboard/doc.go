// Package dashboard is the dashboard: pages that show an operator what the proxy does to the
// conversations that pass through it. They answer three questions: how near is each
// conversation to its load line, why is a message not there any more and what was in
// it, and what did all of it save.
//
//	transport ─▶ Watch ─▶ queue ─▶ live ─┐
//	                                     ├─▶ views ─▶ pages, or the same as JSON
//	store: accounts, contents ─▶ ledger ─┘
//
// A [Dashboard] is shown every managed request. What it remembers of them is bounded
// and gone when the process ends; the accounts and the contents behind references are
// read from the store, where they stay. Each page says which is which.
//
// It never holds up a request: what it is shown goes into a short queue, and what does
// not fit into that is counted and forgotten. Whatever goes wrong here is not noticed
// by clients.
//
// Pages are made on the server, with one style sheet and one small script that keeps
// them up to date; without the script they are as they were when they were asked for.
// Every page can be had as JSON, by ".json" behind its path or by the header Accept.
//
// Pages show content of all tenants, so who may see them is decided before a request
// comes here: the package knows no tokens and is to be put behind the operator's side
// of package proxy, which checks names, origins and the admin's token. Content is never
// part of an address, and is shown as text whatever it looks like.
package dashboard
