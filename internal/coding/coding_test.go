package coding_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/coding"
)

// flusher is what all encoders are.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// encoders by the name of their coding; "raw" is deflate without its header.
var encoders = map[string]func(io.Writer) flusher{
	"gzip":    func(w io.Writer) flusher { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) flusher { return zlib.NewWriter(w) },
	"raw": func(w io.Writer) flusher {
		f, err := flate.NewWriter(w, 6)
		if err != nil {
			panic(err)
		}
		return f
	},
	"br": func(w io.Writer) flusher { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) flusher {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err)
		}
		return z
	},
}

// header is the name that a coding has on the wire.
func header(name string) string {
	if name == "raw" {
		return "deflate"
	}
	return name
}

func encode(t rapid.TB, name string, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := encoders[name](&out)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestABodyComesOutAsItWentIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 400).Draw(t, "times")))
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"gzip", "deflate", "raw", "br", "zstd"}), 1, 3).Draw(t, "codings")
		coded, headers := body, []string{}
		for _, name := range names {
			coded, headers = encode(t, name, coded), append(headers, header(name))
		}
		list := strings.Join(headers, rapid.SampledFrom([]string{",", ", ", " ,\tidentity , "}).Draw(t, "comma"))
		limit := int64(max(len(body), 64<<10)) // the layers below have headers, too
		got, err := coding.Decode(strings.ToUpper(list), coded, limit, nil)
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%s: %d bytes came out of %d: %v", list, len(got), len(body), err)
		}
		r, err := coding.NewReader(list, iotest.OneByteReader(bytes.NewReader(coded)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err = io.ReadAll(r); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%s, streamed: %d bytes came out of %d: %v", list, len(got), len(body), err)
		}
	})
}

func TestWhatIsNotCodedIsTheVerySlice(t *testing.T) {
	t.Parallel()
	body := []byte(`{"model":"m"}`)
	for _, encoding := range []string{"", "identity", " Identity ,", "identity, identity"} {
		got, err := coding.Decode(encoding, body, 1, nil)
		if err != nil || &got[0] != &body[0] {
			t.Errorf("%q: another slice, %v", encoding, err)
		}
	}
}

func TestAnEmptyBodyIsEmptyInAnyCoding(t *testing.T) {
	t.Parallel()
	for name := range encoders {
		got, err := coding.Decode(header(name), nil, 10, nil)
		if err != nil || len(got) != 0 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		r, err := coding.NewReader(header(name), strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if got, err = io.ReadAll(r); err != nil || len(got) != 0 {
			t.Errorf("%s, streamed: %q, %v", name, got, err)
		}
	}
}

func TestTheLimitIsExact(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 511, 512, 4096, 64 << 10, 200_000} {
		body := noise(size)
		for name := range encoders {
			coded := encode(t, name, body)
			if got, err := coding.Decode(header(name), coded, int64(size), nil); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s: %d bytes of %d allowed: %d came, %v", name, size, size, len(got), err)
			}
			_, err := coding.Decode(header(name), coded, int64(size)-1, nil)
			var tooLarge *coding.TooLargeError
			if !errors.As(err, &tooLarge) || tooLarge.Max != int64(size)-1 || tooLarge.HTTPStatus() != 413 {
				t.Errorf("%s: %d bytes of %d allowed: %v", name, size, size-1, err)
			}
		}
	}
}

func TestWhatIsBrokenSaysSo(t *testing.T) {
	t.Parallel()
	body := noise(5000)
	for name := range encoders {
		coded := encode(t, name, body)
		for what, bad := range map[string][]byte{
			"cut":                        coded[:len(coded)-3],
			"nothing":                    []byte(`{"model":"m"}`),
			"followed by something else": append(bytes.Clone(coded), `{"model":"m"}`...),
		} {
			if what == "followed by something else" && (name == "raw" || name == "deflate") {
				continue // their decoders stop where the data ends
			}
			_, err := coding.Decode(header(name), bad, 1<<20, nil)
			var broken *coding.BrokenError
			if !errors.As(err, &broken) || broken.Encoding != header(name) || broken.HTTPStatus() != 400 {
				t.Errorf("%s that is %s: %v", name, what, err)
			}
		}
	}
}

func TestWhatIsUnknownSaysSo(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"compress", "gzip;q=1", "gzip gzip", "gzip, lzma", "gzip, gzip, gzip, gzip", strings.Repeat("é", 1000)} {
		_, err := coding.Decode(encoding, []byte("x"), 10, nil)
		var unknown *coding.UnknownError
		if !errors.As(err, &unknown) || unknown.HTTPStatus() != 415 || len(err.Error()) > 400 {
			t.Errorf("%.40q: %v", encoding, err)
		}
		if _, err = coding.NewReader(encoding, strings.NewReader("x")); !errors.As(err, &unknown) {
			t.Errorf("%.40q, streamed: %v", encoding, err)
		}
	}
}

func TestWhatWasFlushedCanBeReadAtOnce(t *testing.T) {
	t.Parallel()
	for name, encoder := range encoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := io.Pipe()
			w := encoder(to)
			r, err := coding.NewReader(header(name), from)
			if err != nil {
				t.Fatal(err)
			}
			// The writer goes on only when the event before was read: a reader that
			// waits for more would wait for ever.
			read := make(chan struct{})
			defer close(read)
			go func() {
				for range read {
					io.WriteString(w, "data: {\"delta\":\"and so on\"}\n\n")
					w.Flush()
				}
				w.Close()
				to.Close()
			}()
			event := make([]byte, len("data: {\"delta\":\"and so on\"}\n\n"))
			for i := range 50 {
				read <- struct{}{}
				if _, err := io.ReadFull(r, event); err != nil || !strings.HasPrefix(string(event), "data: ") {
					t.Fatalf("event %d: %q, %v", i, event, err)
				}
			}
		})
	}
}

func TestACutConnectionIsNotABrokenBody(t *testing.T) {
	t.Parallel()
	gone := errors.New("connection reset")
	for name := range encoders {
		coded := encode(t, name, noise(50_000))
		r, err := coding.NewReader(header(name), io.MultiReader(bytes.NewReader(coded[:len(coded)/2]), iotest.ErrReader(gone)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != gone {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s can be read after it was closed", name)
		}
	}
}

// noise is hard to compress.
func noise(size int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(rnd.Uint32())
	}
	return out
}

func TestMemoryIsAskedForBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	full := errors.New("no memory is left")
	for name := range encoders {
		coded := encode(t, name, make([]byte, size))
		var asked []int64
		if _, err := coding.Decode(header(name), coded, size, func(n int64) error { asked = append(asked, n); return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if last := asked[len(asked)-1]; !slices.IsSorted(asked) || asked[0] > size/8 || last < size || last > 2*size {
			t.Errorf("%s: %v bytes were asked for", name, asked)
		}
		got, err := coding.Decode(header(name), coded, size, func(n int64) error {
			if n > size/2 {
				return full
			}
			return nil
		})
		if got != nil || err != full {
			t.Errorf("%s: %d bytes and %v, though there is no memory", name, len(got), err)
		}
	}
}
