//go:build !amd64 || purego

package bpe

func (p *parts) smallest(n int) uint32 { return p.smallestPortable(n) }
