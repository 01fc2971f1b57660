//go:build !amd64 || purego

package bpe

// sure is for processors whose vector instructions find merges that are sure to happen.
type sure struct{}

// startASCII fills in the parts to start from for a piece whose characters are single bytes, with their merges. It
// returns their number, twice because no merges are done.
func (w *worker) startASCII(piece string) (n, left int) {
	n = w.startBytes(piece)
	w.link(n)
	return n, n
}

func (p *parts) smallest(n int) uint32 { return p.smallestPortable(n) }
