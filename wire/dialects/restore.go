package dialects

import (
	"bytes"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Restore replaces the messages of a span by archived ones, a JSON list in the form of
// the request's API. Everything else keeps its bytes.
func Restore(r *wire.Request, span plimsoll.Span, list []byte) ([]byte, error) {
	items := r.Layout().Messages.Items
	if span.End > len(items) {
		return nil, fmt.Errorf("restore messages %d to %d of %d: %w", span.Start, span.End, len(items), plimsoll.ErrInvalid)
	}
	if _, err := Messages(r.Dialect(), list); err != nil {
		return nil, err
	}
	inside := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(list), []byte("[")), []byte("]")))
	body := r.Body()
	out := append([]byte{}, body[:items[span.Start].Start]...)
	out = append(out, inside...)
	return append(out, body[items[span.End-1].End:]...), nil
}

// Messages reads a list of messages as a request of the dialect would hold it.
func Messages(d plimsoll.Dialect, list []byte) ([]plimsoll.Message, error) {
	c := Codec(d)
	r, err := c.Decode(fmt.Appendf(nil, `{"model":"","%s":%s}`, c.Traits().Messages, list))
	if err != nil {
		return nil, fmt.Errorf("archived messages: %w", err)
	}
	return r.Conversation().Messages.Slice(), nil
}
