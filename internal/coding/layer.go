package coding

import (
	"bufio"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// layer undoes one coding. It touches its source only when it is read, so that making
// one never waits for the network.
type layer struct {
	name    string
	src     watchedReader
	decoder io.Reader
	err     error
}

func newLayer(name string, r io.Reader) *layer {
	return &layer{name: name, src: watchedReader{r: r}}
}

// Read decodes what is there. It waits only if nothing is.
func (l *layer) Read(p []byte) (int, error) {
	if l.err == nil && l.decoder == nil {
		l.end(l.open())
	}
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.decoder.Read(p)
	l.end(err)
	return n, l.err
}

// end takes an error as the last one and says whose it is: the source's own, or the
// coding's.
func (l *layer) end(err error) {
	switch {
	case err == nil:
	case l.src.err != nil:
		l.err = l.src.err
	case err == io.EOF:
		l.err = io.EOF
	default:
		l.err = &BrokenError{Encoding: l.name, Err: err}
	}
}

// maxWindow is what RFC 9659 allows a sender of zstd to make a receiver keep.
const maxWindow = 8 << 20

// open starts the decoder. A source without a single byte is an empty body, whatever
// its coding.
func (l *layer) open() (err error) {
	in := bufio.NewReaderSize(&l.src, 16<<10)
	if _, err := in.Peek(1); err != nil {
		return err
	}
	switch l.name {
	case "gzip":
		l.decoder, err = gzip.NewReader(in)
	case "deflate":
		// The standard demands a zlib header, and some programs send none.
		head, _ := in.Peek(2)
		if len(head) == 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			l.decoder, err = zlib.NewReader(in)
		} else {
			l.decoder = flate.NewReader(in)
		}
	case "zstd":
		l.decoder, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	default:
		l.decoder = brotli.NewReader(in)
	}
	return err
}

// watchedReader remembers how what it reads from failed, so that a cut connection is not taken
// for a broken body.
type watchedReader struct {
	r   io.Reader
	err error
}

func (s *watchedReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
