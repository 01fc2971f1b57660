package bpe

// filter is a set of hashes that may also say yes to one that was never added. The largest vocabulary sets one bit in
// ten.
type filter [1 << filterBits / 64]uint64

const filterBits = 21

func (f *filter) add(hash uint64) {
	at := hash >> (64 - filterBits)
	f[at/64] |= 1 << (at % 64)
}

func (f *filter) has(hash uint64) bool { return f.bit(hash) != 0 }

// bit is 1 for a hash that may have been added, 0 for any other.
func (f *filter) bit(hash uint64) int {
	at := hash >> (64 - filterBits)
	return int(f[at/64] >> (at % 64) & 1)
}
