package coding

import (
	"bufio"
	"io"
	"sync"

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
	in      *bufio.Reader
	decoder io.Reader
	// release gives the decoder back; nil if there is nothing to give back.
	release func()
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
	if err == nil {
		return
	}
	switch {
	case l.src.err != nil:
		l.err = l.src.err
	case err == io.EOF:
		l.err = io.EOF
	default:
		l.err = &BrokenError{Encoding: l.name, Err: err}
	}
	l.giveBack()
}

// Close gives the decoder back. Reading afterwards fails.
func (l *layer) Close() {
	if l.err == nil {
		l.err = io.ErrClosedPipe
	}
	l.giveBack()
}

func (l *layer) giveBack() {
	if l.release != nil {
		l.release()
	}
	if l.in != nil {
		l.in.Reset(nil)
		buffers.Put(l.in)
	}
	l.decoder, l.release, l.in = nil, nil, nil
}

// open starts the decoder. A source without a single byte is an empty body, whatever
// its coding.
func (l *layer) open() error {
	l.in = buffers.Get().(*bufio.Reader)
	l.in.Reset(&l.src)
	if _, err := l.in.Peek(1); err != nil {
		return err
	}
	switch l.name {
	case "gzip":
		return use(l, &gzips, func(d *gzip.Reader) error { return d.Reset(l.in) })
	case "deflate":
		return l.openDeflate()
	case "zstd":
		return use(l, &zstds, func(d *zstd.Decoder) error { return d.Reset(l.in) })
	default:
		// Its window may have 16 MiB: better collected than kept.
		l.decoder = brotli.NewReader(l.in)
		return nil
	}
}

// openDeflate takes what the standard calls deflate, which has a zlib header, and what
// some programs send under that name, which has none.
func (l *layer) openDeflate() error {
	head, _ := l.in.Peek(2)
	if len(head) == 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		d, err := zlib.NewReader(l.in)
		l.decoder = d
		return err
	}
	return use(l, &flates, func(d io.ReadCloser) error { return d.(flate.Resetter).Reset(l.in, nil) })
}

// use takes a decoder from its pool and starts it.
func use[D io.Reader](l *layer, pool *sync.Pool, start func(D) error) error {
	d := pool.Get().(D)
	l.decoder, l.release = d, func() {
		if z, ok := any(d).(*zstd.Decoder); ok {
			_ = z.Reset(nil) // lets go of the source
		}
		pool.Put(d)
	}
	return start(d)
}

// maxWindow is what RFC 9659 allows a sender of zstd to make a receiver keep.
const maxWindow = 8 << 20

// The pools hold decoders that no goroutine and no source belongs to.
var (
	buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	flates  = sync.Pool{New: func() any { return flate.NewReader(nil) }}
	zstds   = sync.Pool{New: func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			panic("coding: the options of the zstd decoder: " + err.Error())
		}
		return d
	}}
)

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
