//go:build !amd64 || purego

package needle

func (s *Set) find(text string, blocks int) (passed int, hits uint64) {
	return s.findPortable(text, blocks)
}
