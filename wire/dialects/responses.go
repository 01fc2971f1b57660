package dialects

import (
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// PreviousResponseID returns the answer that a request continues, or "". Then the
// request holds only what is new, and the server holds the history before it. Only
// OpenAI's Responses API has such requests.
func PreviousResponseID(r *wire.Request) string { return responses.PreviousResponseID(r) }

// Rebuild returns a request that continues an answer as one that stands alone. Earlier
// is what the server remembers, oldest first: the items of each earlier request (see
// [InputItems]) with those of its answer (see [OutputItems]).
func Rebuild(r *wire.Request, earlier [][]byte) ([]byte, error) {
	return responses.Rebuild(r, earlier)
}

// InputItems returns the raw items of a Responses request. A bare string becomes the
// message that it means. The items share the bytes of the request.
func InputItems(r *wire.Request) ([][]byte, error) { return responses.InputItems(r) }

// OutputItems returns the raw items of a Responses answer: of a complete one, or of
// the event that ends a stream. They share the bytes of body.
func OutputItems(body []byte) ([][]byte, error) { return responses.OutputItems(body) }

// Compacted returns the answer to a Responses request for compaction: an object of type
// response.compaction, whose output is the conversation of the draft. Usage is what the
// compaction itself was billed for.
func Compacted(r *wire.Request, d *plimsoll.Draft, id string, created time.Time, usage plimsoll.Usage) ([]byte, error) {
	return responses.Compacted(r, d, id, created, usage)
}
