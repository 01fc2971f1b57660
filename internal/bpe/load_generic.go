//go:build !amd64 && !arm64

package bpe

import "unsafe"

// load64 reads the eight bytes at text+offset, lowest first. All eight must be readable.
func load64(text unsafe.Pointer, offset int) uint64 {
	b := (*[8]byte)(unsafe.Add(text, offset))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load32 is load64 for four bytes.
func load32(text unsafe.Pointer, offset int) uint32 {
	b := (*[4]byte)(unsafe.Add(text, offset))
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
