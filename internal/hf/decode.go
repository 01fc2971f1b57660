package hf

import (
	"bytes"
	"fmt"
)

// decoder turns tokens back into text. The steps of the file reduce to a few questions, because all
// of them work on one token at a time except for what is stripped from the whole.
type decoder struct {
	alphabet   *byteAlphabet // byte level; nil otherwise
	fallback   bool          // <0xE2> is a byte
	replace    [][2][]byte
	stripped   string // removed up to stripStart times from the start
	stripStart int
	firstDrops []byte // not shown in the first token
	spaced     bool   // no decoder: tokens are separated by a space
}

func compileDecoder(steps []component) (*decoder, error) {
	if err := checkGrowth("decoder", steps); err != nil {
		return nil, err
	}
	d := &decoder{spaced: steps == nil}
	for i, s := range steps {
		switch {
		case s.Type == "ByteLevel":
			d.alphabet = newByteAlphabet()
		case s.Type == "ByteFallback":
			d.fallback = true
		case s.Type == "Fuse":
		case s.Type == "Replace" && s.Pattern.String != nil && *s.Pattern.String != "":
			d.replace = append(d.replace, [2][]byte{[]byte(*s.Pattern.String), []byte(s.Content)})
		case s.Type == "Strip" && s.Stop == 0 && s.Content != "" && i > 0 && steps[i-1].Type == "Fuse":
			d.stripped, d.stripStart = s.Content, s.Start
		case s.Type == "Metaspace" && s.Replacement != "":
			d.replace = append(d.replace, [2][]byte{[]byte(s.Replacement), []byte(" ")})
			if s.PrependScheme != "never" && orDefault(s.AddPrefixSpace, true) {
				d.firstDrops = []byte(s.Replacement)
			}
		default:
			return nil, &FormatError{
				Field: fmt.Sprintf("decoder[%d]", i), Found: quote(s.Type),
				Supported: "ByteLevel, ByteFallback, Fuse, Metaspace, Replace of a string, Strip at the start after Fuse",
			}
		}
	}
	return d, nil
}

// Decode returns the text of tokens, special ones included. What normalisation changed stays
// changed. Bytes are returned as they are, also where they are not valid UTF-8.
func (t *Tokenizer) Decode(ids []uint32) (string, error) {
	d := t.tables.decoder
	var out, token []byte
	for i, id := range ids {
		var ok bool
		if token, ok = t.tables.token(token[:0], id); !ok {
			return "", fmt.Errorf("hf: decode: token %d has id %d, which %s does not have", i, id, t.describe())
		}
		if d.spaced && i > 0 {
			out = append(out, ' ')
		}
		if i == 0 && d.firstDrops != nil {
			token = bytes.ReplaceAll(token, d.firstDrops, nil)
		}
		out = d.append(out, token)
	}
	for n := d.stripStart; n > 0 && bytes.HasPrefix(out, []byte(d.stripped)); n-- {
		out = out[len(d.stripped):]
	}
	return string(out), nil
}

func (t *Tokenizer) describe() string {
	if t.options.Name == "" {
		return "the tokenizer"
	}
	return t.options.Name
}

// token appends the string of a token in the form of the file.
func (t *tables) token(dst []byte, id uint32) ([]byte, bool) {
	if name, ok := t.names[id]; ok {
		return append(dst, name...), true
	}
	text, ok := t.vocab.get(id)
	return append(dst, text...), ok
}

func (d *decoder) append(dst, token []byte) []byte {
	if d.alphabet != nil {
		if out, ok := d.alphabet.appendBytes(dst, token); ok {
			return out
		}
		return append(dst, token...)
	}
	if d.fallback {
		if b, ok := parseFallback(token); ok {
			return append(dst, b)
		}
	}
	for _, r := range d.replace {
		token = bytes.ReplaceAll(token, r[0], r[1])
	}
	return append(dst, token...)
}
