package replay

import "github.com/plimsoll/plimsoll"

// mention is where an identifier stands in a history.
type mention struct{ item, part int32 }

// visible is what a model can see of a history in a request.
type visible struct {
	// stands says which messages are in the request, changed which of their parts
	// are not as they were.
	stands  []bool
	changed map[plimsoll.PartRef]bool
	// words are what management put there: placeholders, summaries, ledgers.
	words []*managedText
}

// managedText is a text that management wrote, with the identifiers, content words and
// references in it.
type managedText struct {
	atoms map[atom]bool
	words []atom
	refs  []string
}

// sight is how an identifier can be seen.
type sight struct {
	// verbatim in an unedited message; named by what management wrote;
	// stored behind a reference that can be seen; alike means that another one with
	// the same base name can be seen.
	verbatim, named, stored, alike bool
}

func (s sight) exact() bool { return s.verbatim || s.named }

// history is what has been said so far in one run.
type history struct {
	*track
	items []item
	where [][]mention
	// links are the identities of the prefixes, for the keeper.
	links []plimsoll.Digest
	// texts remembers what stands in the words of management.
	texts   map[string]*managedText
	archive *archive
}

func newHistory(t *track) *history {
	return &history{track: t, links: []plimsoll.Digest{{}}, texts: map[string]*managedText{}, archive: newArchive(t.names)}
}

// say adds messages.
func (h *history) say(items ...item) {
	for _, it := range items {
		i := int32(len(h.items))
		h.items = append(h.items, it)
		for j, atoms := range it.atoms {
			for _, a := range atoms {
				for int(a) >= len(h.where) {
					h.where = append(h.where, make([][]mention, len(h.names.base)-len(h.where))...)
				}
				h.where[a] = append(h.where[a], mention{i, int32(j)})
			}
		}
		h.links = append(h.links, link(h.links[len(h.links)-1], it.message.Digest))
	}
}

// places returns where an identifier stands.
func (h *history) places(a atom) []mention {
	if int(a) >= len(h.where) {
		return nil
	}
	return h.where[a]
}

// read returns what stands in a text of management.
func (h *history) read(text string) *managedText {
	w, ok := h.texts[text]
	if !ok {
		w = &managedText{atoms: map[atom]bool{}, words: h.wordsIn(text), refs: h.archive.refsIn(text)}
		for _, a := range h.names.in(text) {
			w.atoms[a] = true
		}
		h.texts[text] = w
	}
	return w
}

// see says how an identifier can be seen.
func (h *history) see(v *visible, a atom) sight {
	s := h.glance(v, a)
	if s.exact() {
		s.stored, s.alike = true, true
		return s
	}
	for _, w := range v.words {
		for _, id := range w.refs {
			if h.archive.has(id, a) {
				s.stored = true
			}
		}
	}
	for _, b := range h.names.sameBase(a) {
		if !s.alike && b != a && h.glance(v, b).exact() {
			s.alike = true
		}
	}
	return s
}

// glance looks for the identifier itself.
func (h *history) glance(v *visible, a atom) sight {
	var s sight
	for _, at := range h.places(a) {
		if v.stands[at.item] && !v.changed[plimsoll.PartRef{Message: int(at.item), Part: int(at.part)}] {
			s.verbatim = true
			return s
		}
	}
	for _, w := range v.words {
		if w.atoms[a] {
			s.named = true
			break
		}
	}
	return s
}
