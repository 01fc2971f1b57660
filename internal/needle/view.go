package needle

import "unsafe"

// view returns bytes as a text for as long as they are not changed.
func view(b *[blockLen + reach]byte) string { return unsafe.String(&b[0], len(b)) }
