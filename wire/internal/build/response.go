package build

import "github.com/plimsoll/plimsoll/wire"

// Take adds what an answer or a part of it says beside its message: the model, and
// raw usage and error. What is empty leaves what was known; usage stands
// for the whole answer so far.
func Take(r *wire.Response, model string, usage, apiError []byte) {
	if model != "" {
		r.Model = model
	}
	if u, err := wire.ParseUsage(usage); err == nil {
		r.Usage, r.HasUsage = u, true
	}
	if e := wire.ParseAPIError(apiError); e != nil {
		r.Error = e
	}
}
