// Package embedding turns texts into vectors whose angle says how alike the texts
// are: by a model behind an OpenAI-compatible endpoint, or by counting what the
// texts are written with.
//
// It exists to measure what trimming leaves of a conversation. [Endpoint.Embed]
// asks a neural model and so compares meaning. [Lexical] needs nothing and
// compares wording only; its figures must not be taken for the other's. The
// package knows no messages and no budgets.
package embedding
