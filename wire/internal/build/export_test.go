package build

// LimitEvents sets the size of the largest event that a stream reads.
func LimitEvents(s *Stream, bytes int) { s.limit = bytes }
