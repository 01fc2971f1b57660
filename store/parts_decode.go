package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll"
)

// decodeParts reads what sourceOf wrote. The parts share the memory of stored.
func decodeParts(stored string, textLen int64) (plimsoll.List[plimsoll.Part], error) {
	if textLen < 0 || textLen >= int64(len(stored)) {
		return plimsoll.List[plimsoll.Part]{}, fmt.Errorf("text of %d bytes in %d: %w", textLen, len(stored), ErrCorrupt)
	}
	d := partsDecoder{text: stored[:textLen], rest: stored[textLen:]}
	if version := d.byte(); version != partsVersion {
		d.fail("parts of version %d", version)
	}
	if n := d.unsigned(); n != uint64(textLen) {
		d.fail("text of %d bytes, want %d", n, textLen)
	}
	list := d.list(0)
	if d.rest != "" {
		d.fail("%d bytes behind the parts", len(d.rest))
	}
	if d.err != nil {
		return plimsoll.List[plimsoll.Part]{}, d.err
	}
	return list, nil
}

// partsDecoder reads parts. After the first error it returns zero values.
type partsDecoder struct {
	text, rest string
	err        error
}

func (d *partsDecoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("stored parts: %s: %w", fmt.Sprintf(format, args...), ErrCorrupt)
	}
	d.rest = ""
}

func (d *partsDecoder) list(depth int) plimsoll.List[plimsoll.Part] {
	n := d.number()
	if n < 0 || n > int64(len(d.rest)) || depth > maxNesting {
		d.fail("list of %d, %d deep", n, depth)
		return plimsoll.List[plimsoll.Part]{}
	}
	var b plimsoll.ListBuilder[plimsoll.Part]
	for range n {
		p := d.part(depth)
		if d.err != nil {
			break
		}
		b.Append(p)
	}
	return b.List()
}

func (d *partsDecoder) part(depth int) plimsoll.Part {
	switch tag := d.byte(); tag {
	case tagText:
		return plimsoll.Text{Text: d.string()}
	case tagCall:
		return plimsoll.ToolCall{ID: d.string(), Name: d.string(), Arguments: d.string()}
	case tagResult:
		return d.result(depth)
	case tagReasoning:
		return plimsoll.Reasoning{Text: d.string(), Signature: d.string(), Redacted: d.bool()}
	case tagMedia:
		return plimsoll.Media{
			Kind: plimsoll.MediaKind(d.string()), MIME: d.string(), Data: d.string(), URL: d.string(), Detail: d.string(),
			Width: int(d.number()), Height: int(d.number()), Pages: int(d.number()), Seconds: d.float(),
		}
	case tagOpaque:
		return plimsoll.Opaque{Kind: d.string(), Raw: d.string()}
	default:
		d.fail("part of kind %q", tag)
		return nil
	}
}

func (d *partsDecoder) result(depth int) plimsoll.Part {
	r := plimsoll.ToolResult{CallID: d.string(), Name: d.string(), IsError: d.bool()}
	if d.bool() {
		r.Ref = &plimsoll.Ref{ID: d.string(), Bytes: d.number(), Lines: d.number()}
	}
	r.Content = d.list(depth + 1)
	return r
}

func (d *partsDecoder) string() string {
	n := d.unsigned()
	from, inText := d.rest, n&1 == 1
	if n >>= 1; inText {
		at := d.unsigned()
		if at > uint64(len(d.text)) {
			d.fail("text at %d of %d", at, len(d.text))
			return ""
		}
		from = d.text[at:]
	}
	if n > uint64(len(from)) {
		d.fail("text of %d bytes where %d are left", n, len(from))
		return ""
	}
	if !inText {
		d.rest = d.rest[n:]
	}
	return from[:n]
}

func (d *partsDecoder) byte() byte {
	if d.rest == "" {
		d.fail("they end too early")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *partsDecoder) bool() bool { return d.number() != 0 }

func (d *partsDecoder) unsigned() uint64 {
	n, size := binary.Uvarint([]byte(d.rest[:min(len(d.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		d.fail("a number is broken")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *partsDecoder) number() int64 {
	n, size := binary.Varint([]byte(d.rest[:min(len(d.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		d.fail("a number is broken")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *partsDecoder) float() float64 {
	if len(d.rest) < 8 {
		d.fail("they end too early")
		return 0
	}
	f := math.Float64frombits(binary.BigEndian.Uint64([]byte(d.rest[:8])))
	d.rest = d.rest[8:]
	return f
}
