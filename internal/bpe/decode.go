package bpe

import "fmt"

// UnknownTokenError reports an id that is no token of the encoding.
type UnknownTokenError struct {
	// ID is the unknown id and Index its place in the slice that was to be decoded.
	ID    uint32
	Index int
}

func (e *UnknownTokenError) Error() string {
	return fmt.Sprintf("bpe: token %d at index %d is not in the vocabulary", e.ID, e.Index)
}

// Decode appends the bytes of the tokens to dst and returns the extended slice. Special tokens are spelled out. The
// result of a part of a token sequence need not be valid UTF-8, because a character may take several tokens. An id
// that is no token gives an *UnknownTokenError and dst extended by what came before.
func (e *Encoding) Decode(ids []uint32, dst []byte) ([]byte, error) {
	for i, id := range ids {
		if int64(id) < int64(e.tables.size()) && e.tables.lenOf(id) > 0 {
			dst = append(dst, e.tables.bytes(id)...)
			continue
		}
		text, ok := e.specialText(id)
		if !ok {
			return dst, &UnknownTokenError{ID: id, Index: i}
		}
		dst = append(dst, text...)
	}
	return dst, nil
}

func (e *Encoding) specialText(id uint32) (text string, ok bool) {
	for _, s := range e.specials {
		if s.id == id {
			return s.text, true
		}
	}
	return "", false
}
