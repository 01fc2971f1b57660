//go:build amd64 || arm64

package bpe

import "unsafe"

// load64 reads the eight bytes at text+offset, lowest first. All eight must be readable. These processors take an
// address that is no multiple of eight, and this form is short enough to be inlined where it matters.
func load64(text unsafe.Pointer, offset int) uint64 { return *(*uint64)(unsafe.Add(text, offset)) }

// load32 is load64 for four bytes.
func load32(text unsafe.Pointer, offset int) uint32 { return *(*uint32)(unsafe.Add(text, offset)) }
