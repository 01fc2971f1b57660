// Package examples holds what comes with plimsoll to try it on. It knows nothing
// of what is done with it.
package examples

import _ "embed"

// HarbourName is the name of [Harbour].
const HarbourName = "harbour.json"

//go:embed harbour.json
var harbour string

// Harbour returns an agent session in OpenAI's format, written for plimsoll: an
// assistant helps the crew of a harbour office with its berth planner. The bytes
// are the caller's own.
func Harbour() []byte { return []byte(harbour) }
