package build

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Take adds what an answer or a part of it says beside its message: the model, and
// raw usage and error. What is empty leaves what was known, and so does a usage of zeros,
// with which some servers end a stream; any other stands for the whole answer so far.
func Take(r *wire.Response, model string, usage, apiError []byte) {
	if model != "" {
		r.Model = model
	}
	if u, err := wire.ParseUsage(usage); err == nil && (u != plimsoll.Usage{} || !r.HasUsage) {
		r.Usage, r.HasUsage = u, true
	}
	if e := wire.ParseAPIError(apiError); e != nil {
		r.Error = e
	}
}
