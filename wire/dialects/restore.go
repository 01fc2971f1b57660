package dialects

import (
	"bytes"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Restore puts archived messages, a JSON list as [plimsoll.SpanOf] returns it, in the
// place of the checkpoint that names the reference. Everything else keeps its bytes.
func Restore(r *wire.Request, ref string, list []byte) ([]byte, error) {
	span, ok := plimsoll.CheckpointSpan(r.Conversation(), ref)
	items := &r.Layout().Messages
	if !ok || span.End > items.Len() {
		return nil, &plimsoll.Error{
			Op: "undo", Err: fmt.Errorf("no checkpoint with ref=%s in this request: %w", ref, plimsoll.ErrNotFound),
			Hint: "name the reference that the checkpoint or its receipt carries",
		}
	}
	if _, err := messagesOf(r.Dialect(), list); err != nil {
		return nil, err
	}
	inside := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(list), []byte("[")), []byte("]")))
	body := r.Body()
	out := append([]byte{}, body[:items.At(span.Start).Start]...)
	out = append(out, inside...)
	return append(out, body[items.At(span.End-1).End:]...), nil
}

// messagesOf reads a list of messages as a request of the dialect would hold it.
func messagesOf(d plimsoll.Dialect, list []byte) ([]plimsoll.Message, error) {
	c := Codec(d)
	r, err := c.Decode(fmt.Appendf(nil, `{"model":"","%s":%s}`, c.Traits().Messages, list))
	if err != nil {
		return nil, fmt.Errorf("archived messages: %w", err)
	}
	return r.Conversation().Messages.Slice(), nil
}
