package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Attachment is a part of stored content that is no text: a [plimsoll.Media] or a
// [plimsoll.Opaque]. In the text a word in brackets stands for it.
type Attachment struct {
	Part plimsoll.Part
	// Offset is where the word begins in the text, Line the number of its line,
	// counted from 0.
	Offset, Line int64
}

// Attachments returns the parts of [KindParts] that are no text, in order, byte for
// byte; of other kinds there are none. It holds all of them in memory, which takes
// what [Object] has in Stored beyond Bytes, and none of the text.
func (r *Reader) Attachments(ctx context.Context) ([]Attachment, error) {
	if r.object.Kind != KindParts {
		return nil, nil
	}
	rest, err := r.behindText(ctx)
	if err != nil {
		return nil, r.fault(err)
	}
	d := partsDecoder{textLen: r.object.Bytes, rest: rest}
	d.whole()
	if d.err != nil {
		return nil, r.fault(d.err)
	}
	return d.attached, r.number(ctx, d.attached)
}

// behindText reads what follows the text.
func (r *Reader) behindText(ctx context.Context) (string, error) {
	c := r.tenant.newCursor(ctx, r.object, r.object.Stored)
	defer c.close()
	if err := c.seek(r.object.Bytes); err != nil {
		return "", err
	}
	var rest strings.Builder
	for {
		b, err := c.next()
		if errors.Is(err, io.EOF) {
			return rest.String(), nil
		}
		if err != nil {
			return "", err
		}
		rest.Write(b.Data)
	}
}

// number says in which lines attachments stand. It reads the blocks that they stand in.
func (r *Reader) number(ctx context.Context, all []Attachment) error {
	for i := 0; i < len(all); {
		from := i
		for b, err := range r.blocks(ctx, all[i].Offset) {
			if err != nil {
				return err
			}
			for ; i < len(all) && all[i].Offset < b.Offset+int64(len(b.Data)); i++ {
				all[i].Line = b.Line + int64(bytes.Count(b.Data[:all[i].Offset-b.Offset], []byte{'\n'}))
			}
			break
		}
		if i == from {
			return r.fault(ErrCorrupt)
		}
	}
	return nil
}
