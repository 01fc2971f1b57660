// Package scripted is a language model without one: a server that speaks all five
// dialects and answers by a script. Tests and demonstrations need an upstream that
// is as strict as the real ones and costs nothing, so it refuses what the real APIs
// refuse, in their words, counts tokens, says when its window is full, and bills as
// if it had a prompt cache.
//
// It knows nothing of what stands between it and the client, and it never edits a
// request.
package scripted
