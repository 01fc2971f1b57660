package coding_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/coding"
)

// windows is what the decoders may need beside what they give.
var windows = map[string]uint64{"gzip": 1 << 20, "deflate": 1 << 20, "zstd": 6 << 20, "br": 20 << 20}

// Not parallel: it measures what is allocated.
func TestBombsAreGivenUpAtTheLimit(t *testing.T) {
	const size, limit = 16 << 20, 256 << 10
	for _, list := range []string{"gzip", "deflate", "br", "zstd", "gzip, gzip", "zstd, gzip", "br, zstd, gzip"} {
		coded := bomb(t, strings.Split(list, ", "), size)
		if ratio := size / len(coded); ratio < 500 {
			t.Fatalf("%s: a bomb of only ×%d", list, ratio)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := coding.Decode(list, coded, limit, nil)
		runtime.ReadMemStats(&after)
		var tooLarge *coding.TooLargeError
		if !errors.As(err, &tooLarge) {
			t.Errorf("%s: %v", list, err)
		}
		allowed := uint64(limit + 64<<10)
		for name := range strings.SplitSeq(list, ", ") {
			allowed += windows[name]
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
			t.Errorf("%s: %d bytes were allocated for a limit of %d, want at most %d", list, got, limit, allowed)
		}
	}
}

// A list can decode into much in its middle and into nothing at its end.
func TestTheMiddleOfAListIsLimitedToo(t *testing.T) {
	t.Parallel()
	empty := encode(t, "gzip", nil)
	coded := encode(t, "gzip", []byte(strings.Repeat(string(empty), 200_000)))
	_, err := coding.Decode("gzip, gzip", coded, 1<<20, nil)
	var tooLarge *coding.TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Errorf("%d bytes of empty bodies in %d: %v", 200_000*len(empty), len(coded), err)
	}
}

// A few bytes that claim to become much are not believed.
func TestAClaimedSizeIsNotAllocated(t *testing.T) {
	coded := encode(t, "gzip", []byte("hello"))
	copy(coded[len(coded)-4:], "\xff\xff\xff\x03")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := coding.Decode("gzip", coded, 64<<20, nil)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("a wrong size is taken for right")
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated for %d", got, len(coded))
	}
}

// bomb writes zeros through the codings without holding them.
func bomb(t *testing.T, names []string, size int) []byte {
	t.Helper()
	var out strings.Builder
	var w io.Writer = &out
	var open []io.Closer
	for i := len(names) - 1; i >= 0; i-- {
		e := encoders[names[i]](w)
		w, open = e, append([]io.Closer{e}, open...)
	}
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range open {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return []byte(out.String())
}
