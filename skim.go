package plimsoll

import "sync"

// Lender is a [Source] that can complete a part in memory that it is lent.
type Lender interface {
	Source
	// LendAt is like LoadAt. What the part holds may stand in the room, from its
	// beginning on; used is how much of the room it takes. The room has a capacity and
	// no length.
	LendAt(outline Part, at uint64, room []byte) (p Part, used int)
}

// Skim hands the parts of a list to read, whole. They are good until read returns:
// their texts may stand in memory that is then used for other texts. So a text that is
// only looked through, however large, takes no memory of its own.
func Skim(parts List[Part], read func(parts []Part)) {
	l := loans.Get().(*loan)
	used, wanted := 0, 0
	for _, p := range parts.items {
		d, isDeferred := p.(*deferred)
		if !isDeferred {
			l.parts = append(l.parts, p)
			continue
		}
		from, lends := d.source.(Lender)
		if !lends {
			l.parts = append(l.parts, d.load())
			continue
		}
		p, n := from.LendAt(d.outline, d.at, l.room[used:used:cap(l.room)])
		used += n
		if t, ok := p.(Text); ok {
			wanted += len(t.Text)
		}
		l.parts = append(l.parts, p)
	}
	read(l.parts)
	clear(l.parts)
	l.parts = l.parts[:0]
	if wanted > cap(l.room) {
		l.room = make([]byte, 0, min(2*wanted, mostRoom))
	}
	loans.Put(l)
}

// loan is what parts are lent.
type loan struct {
	parts []Part
	room  []byte
}

// mostRoom bounds what is kept for texts to stand in; what is larger is rare.
const mostRoom = 1 << 20

var loans = sync.Pool{New: func() any { return &loan{} }}
