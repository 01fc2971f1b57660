package hf

import "unsafe"

// view is a string over a buffer of this package. It is valid until the buffer is written again.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
