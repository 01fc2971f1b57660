//go:build amd64 && !purego

package bpe

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// smallestAVX2 is smallestPortable with the vector instructions of newer processors.
//
//go:noescape
func smallestAVX2(merges *[256]uint32, n int) uint32

func (p *parts) smallest(n int) uint32 {
	if hasAVX2 {
		return smallestAVX2(&p.merge, n)
	}
	return p.smallestPortable(n)
}
