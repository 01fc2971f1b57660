package bpe

import (
	"testing"
	"unicode/utf8"
	"unsafe"
)

// Borders inside tokens that are no text must be frayed. The tables look only at the ends of a token, which is enough
// because no vocabulary has one that is broken in its middle alone.
func TestBordersInTokensThatAreNoTextAreFrayed(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		e, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for id := range uint32(e.tables.size()) {
			spelling := e.tables.bytes(id)
			if utf8.Valid(spelling) {
				continue
			}
			for i := 1; i < len(spelling); i++ {
				if a, b := spelling[i-1], spelling[i]; utf8.RuneStart(b) && !e.tables.isFrayed(a, b) {
					t.Errorf("%s: token %d (%q): the border between %#x and %#x is not frayed", name, id, spelling, a, b)
				}
			}
		}
	}
}

func TestGroupsOfWordsAreCacheLines(t *testing.T) {
	t.Parallel()
	var w worker
	if at, size := unsafe.Offsetof(w.words), groupLen*unsafe.Sizeof(w.words[0]); at%64 != 0 || size != 64 {
		t.Errorf("words start at %d, their groups have %d bytes", at, size)
	}
}
