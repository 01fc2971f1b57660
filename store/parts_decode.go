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
	d := partsDecoder{text: stored[:textLen], textLen: textLen, rest: stored[textLen:]}
	list := d.whole()
	if d.err != nil {
		return plimsoll.List[plimsoll.Part]{}, d.err
	}
	return list, nil
}

// partsDecoder reads parts. After the first error it returns zero values.
type partsDecoder struct {
	// text is what the parts refer to. It may be left out; then strings that stand in
	// it are empty.
	text    string
	textLen int64
	rest    string
	// pos is where the next part stands in the text.
	pos int64
	// attached are the parts that the text has a word for, without their lines.
	attached []Attachment
	err      error
}

// whole reads everything.
func (d *partsDecoder) whole() plimsoll.List[plimsoll.Part] {
	if version := d.byte(); version != partsVersion {
		d.fail("parts of version %d", version)
	}
	if n := d.unsigned(); n != uint64(d.textLen) {
		d.fail("text of %d bytes, want %d", n, d.textLen)
	}
	list := d.list(0)
	if d.rest != "" {
		d.fail("%d bytes behind the parts", len(d.rest))
	}
	return list
}

// attach notes a part for which a word stands in the text.
func (d *partsDecoder) attach(p plimsoll.Part, word string) plimsoll.Part {
	if d.pos+int64(len(word)) > d.textLen {
		d.fail("a part at %d of %d", d.pos, d.textLen)
	}
	d.attached = append(d.attached, Attachment{Part: p, Offset: d.pos})
	d.pos += int64(len(word))
	return p
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
	var parts []plimsoll.Part
	for i := range n {
		if i > 0 {
			d.pos++ // the newline between parts
		}
		p := d.part(depth)
		if d.err != nil {
			break
		}
		parts = append(parts, p)
	}
	return plimsoll.ListOf(parts...)
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
		m := plimsoll.Media{
			Kind: plimsoll.MediaKind(d.string()), MIME: d.string(), Data: d.string(), URL: d.string(), Detail: d.string(),
			Width: int(d.number()), Height: int(d.number()), Pages: int(d.number()), Seconds: d.float(),
		}
		return d.attach(m, wordFor(m.Kind))
	case tagOpaque:
		o := plimsoll.Opaque{Kind: d.string(), Raw: d.string()}
		return d.attach(o, wordForOpaque(o.Kind))
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
	inText := n&1 == 1
	n >>= 1
	if inText {
		return d.inText(n, d.unsigned())
	}
	if n > uint64(len(d.rest)) {
		d.fail("text of %d bytes where %d are left", n, len(d.rest))
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// inText returns a string that stands in the text.
func (d *partsDecoder) inText(n, at uint64) string {
	if all := uint64(d.textLen); at > all || n > all-at {
		d.fail("text of %d bytes at %d of %d", n, at, d.textLen)
		return ""
	}
	d.pos = int64(at + n)
	if d.text == "" {
		return ""
	}
	return d.text[at : at+n]
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
