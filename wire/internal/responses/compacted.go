package responses

import (
	"fmt"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// Compacted returns what a compaction of a request's conversation is answered with: an
// object of type response.compaction, whose output is the conversation of the draft.
// The output is made of plain items, which every server takes back as input; nothing in
// it is known to one server alone. Usage is what the compaction itself was billed for.
//
// A request that continues an answer must be made whole before, see [Rebuild]: what
// came earlier would be lost.
func Compacted(r *wire.Request, d *plimsoll.Draft, id string, created time.Time, usage plimsoll.Usage) ([]byte, error) {
	if previous := PreviousResponseID(r); previous != "" {
		return nil, fmt.Errorf("compacted: what came before is on the server, as %q: %w", previous, plimsoll.ErrUnsupported)
	}
	body, err := r.Encode(d)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	edited, err := (Codec{}).Decode(body)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	items, err := InputItems(edited)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	for i, item := range items {
		if items[i], err = spelledOut(item); err != nil {
			return nil, fmt.Errorf("compacted: item %d: %w", i, err)
		}
	}
	out := rawjson.AppendQuote([]byte(`{"id":`), id)
	out = append(out, `,"object":"response.compaction","created_at":`...)
	out = strconv.AppendInt(out, created.Unix(), 10)
	out = append(append(out, `,"output":`...), array(items)...)
	return append(appendUsage(append(out, `,"usage":`...), usage), '}'), nil
}

// spelledOut writes an item in the form that answers have: a message says that it is
// one, and its content is a list. Clients read answers more strictly than servers
// read requests.
func spelledOut(item []byte) ([]byte, error) {
	f := again(item, rawjson.Span{End: len(item)})
	if f.kind != kindMessage {
		return item, nil
	}
	var edits []rawjson.Edit
	typed := false
	s := rawjson.NewScanner(item)
	for key := range s.Members() {
		switch string(key) {
		case "type":
			typed = true
		case "content":
			if t, ok := s.String(); ok {
				edits = append(edits, rawjson.Edit{Span: t.Span, Text: listOfText(f.role, t.Of(item))})
			}
		}
	}
	if !typed {
		edits = append(edits, rawjson.Edit{Span: rawjson.Span{Start: 1, End: 1}, Text: []byte(`"type":"message",`)})
	}
	return rawjson.Splice(item, edits)
}

func listOfText(role string, text []byte) []byte {
	kind := "input_text"
	if role == string(plimsoll.Assistant) {
		kind = "output_text"
	}
	return fmt.Appendf(nil, `[{"type":%q,"text":%s}]`, kind, text)
}

func appendUsage(out []byte, u plimsoll.Usage) []byte {
	return fmt.Appendf(out, `{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},`+
		`"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.Prompt(), u.CacheRead, u.Output, u.Reasoning, u.Total())
}
