//go:build amd64 && !purego

package split

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// classifyAVX2 fills m from block. The processor must have AVX2.
//
//go:noescape
func classifyAVX2(block *[windowLen]byte, m *masks)

func classify(block *[windowLen]byte, m *masks) {
	if hasAVX2 {
		classifyAVX2(block, m)
		return
	}
	classifyPortable(block, m)
}
