package split

// masks holds one bit for each of 64 bytes in every class: bit i is byte i.
// Bytes that are in none of letter, digit, space and high are symbols.
type masks struct {
	letter  uint64 // A-Z a-z
	upper   uint64 // A-Z
	digit   uint64 // 0-9
	space   uint64 // \t \n \v \f \r and blank
	newline uint64 // \n \r
	blank   uint64 // U+0020
	quote   uint64 // '
	slash   uint64 // /
	control uint64 // other control characters
	high    uint64 // everything outside ASCII that is in no other class
	trail   uint64 // further bytes of symbols outside ASCII
	wide    uint64 // letters and symbols outside ASCII
}

// The portable classifier gives every byte a code of four bits. Sixteen bytes
// at a time are gathered into a word of four lanes, lane k collecting bit k of
// each code, so that one load and one addition per byte yield all classes.
const (
	laneBits = 16
	laneMask = 1<<laneBits - 1
)

// classifyPortable fills m from block.
func classifyPortable(block *[windowLen]byte, m *masks) {
	var a, b, c, d uint64
	for i := laneBits - 1; i >= 0; i-- {
		a = a<<1 + codeLanes[block[i]]
		b = b<<1 + codeLanes[block[i+16]]
		c = c<<1 + codeLanes[block[i+32]]
		d = d<<1 + codeLanes[block[i+48]]
	}
	p0 := a&laneMask | b&laneMask<<16 | c&laneMask<<32 | d<<48
	p1 := a>>16&laneMask | b>>16&laneMask<<16 | c>>16&laneMask<<32 | d>>16<<48
	p2 := a>>32&laneMask | b>>32&laneMask<<16 | c>>32&laneMask<<32 | d>>32<<48
	p3 := a>>48 | b>>48<<16 | c>>48<<32 | d>>48<<48
	m.fromPlanes(p0, p1, p2, p3)
}

// fromPlanes decodes the four bits of the codes that gen.go assigns:
//
//	0000 symbol  0001 slash  0010 quote  0011 digit
//	0100 high    0101 blank  0110 newline  0111 other space
//	1000 lower   1001 upper  1010 control
func (m *masks) fromPlanes(p0, p1, p2, p3 uint64) {
	low := ^(p2 | p3)
	m.letter = p3 &^ p1
	m.upper = p3 & p0
	m.digit = p1 & p0 & low
	m.space = p2 & (p1 | p0)
	m.newline = p2 & p1 &^ p0
	m.blank = p2 & p0 &^ p1
	m.quote = p1 & low &^ p0
	m.slash = p0 & low &^ p1
	m.control = p3 & p1
	m.high = p2 &^ (p1 | p0)
}
