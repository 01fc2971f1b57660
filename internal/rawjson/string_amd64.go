//go:build amd64 && !purego

package rawjson

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// skipTextAVX2 is skipText for processors with AVX2. It reads 64 bytes at a time
// and never beyond data.
//
//go:noescape
func skipTextAVX2(data []byte, i int) (end int, escaped bool)

// skipText walks on through a string from an offset within it and returns where it
// stops: before the closing quote, a control character or an escape that is none,
// or somewhere in the last bytes of data. It stops before an escape or behind it,
// and says whether it passed one.
func skipText(data []byte, i int) (end int, escaped bool) {
	if hasAVX2 {
		return skipTextAVX2(data, i)
	}
	return skipTextPortable(data, i)
}
