package wire

import "github.com/plimsoll/plimsoll/internal/rawjson"

// Bounds of what an index may hold, so that a body of a million empty parts does
// not take a hundred times its size in memory. Small bodies may hold as many
// messages, parts and members as they like; in large ones each must have so many
// bytes on average, which no client comes near.
const (
	freeMembers    = 1 << 16
	bytesPerMember = 256
)

// NewScanner returns a scanner for a request body.
func NewScanner(body []byte) *rawjson.Scanner {
	return rawjson.NewScanner(body).Limit(max(freeMembers, len(body)/bytesPerMember))
}
