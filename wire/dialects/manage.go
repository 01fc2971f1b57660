package dialects

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/anthropic"
)

// Manage writes a request with the edits of a draft, as [wire.Request.Encode] does,
// and places the marks for the provider's prompt cache where the API asks for them.
func Manage(r *wire.Request, d *plimsoll.Draft) ([]byte, error) {
	if r.Dialect() == plimsoll.Anthropic {
		return anthropic.Manage(r, d)
	}
	return r.Encode(d)
}
