//go:build !amd64 || purego

package needle

func (s *Set) find(text string, all []marks) { s.findPortable(text, all) }
