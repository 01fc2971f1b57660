package bpe

import "slices"

// reference is byte-pair encoding as one would explain it: look at all neighbours, merge those whose concatenation has
// the lowest rank, the leftmost first, until none is a token. It knows tokens by their bytes and nothing of merges.
type reference struct {
	rank    map[string]uint32
	pattern interface{ Next(string, int) int }
}

func newReference(e *Encoding) *reference {
	r := &reference{rank: make(map[string]uint32), pattern: e.pattern}
	for id := range e.tables.size() {
		if token := e.tables.bytes(uint32(id)); len(token) > 0 {
			r.rank[string(token)] = uint32(id)
		}
	}
	return r
}

// references builds a reference for each encoding.
func references() map[string]*reference {
	all := make(map[string]*reference)
	for _, name := range Names() {
		e, err := Get(name)
		if err != nil {
			panic(err)
		}
		all[name] = newReference(e)
	}
	return all
}

func (r *reference) encode(text string) []uint32 {
	var ids []uint32
	for pos := 0; pos < len(text); {
		end := r.pattern.Next(text, pos)
		ids = append(ids, r.piece(text[pos:end])...)
		pos = end
	}
	return ids
}

func (r *reference) piece(piece string) []uint32 {
	if id, ok := r.rank[piece]; ok {
		return []uint32{id}
	}
	return r.merge(piece)
}

func (r *reference) merge(piece string) []uint32 {
	cuts := make([]int, len(piece)+1)
	for i := range cuts {
		cuts[i] = i
	}
	for {
		at, best := -1, uint32(1<<31)
		for i := 0; i+2 < len(cuts); i++ {
			if id, ok := r.rank[piece[cuts[i]:cuts[i+2]]]; ok && id < best {
				at, best = i, id
			}
		}
		if at < 0 {
			break
		}
		cuts = slices.Delete(cuts, at+1, at+2)
	}
	ids := make([]uint32, 0, len(cuts)-1)
	for i := range len(cuts) - 1 {
		ids = append(ids, r.rank[piece[cuts[i]:cuts[i+1]]])
	}
	return ids
}
