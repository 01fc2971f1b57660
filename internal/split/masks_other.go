//go:build !amd64 || purego

package split

func classify(block *[windowLen]byte, m *masks) { classifyPortable(block, m) }
