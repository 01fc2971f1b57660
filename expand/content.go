package expand

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/plimsoll/plimsoll/store"
)

// content is a stored text; [store.Reader] is one.
type content interface {
	io.ReadSeeker
	Lines(ctx context.Context, from int64) iter.Seq2[store.Line, error]
}

var _ content = (*store.Reader)(nil)

// numbered returns the beginning of a line as readers of files show it; n counts
// from 0.
func numbered(n int64) []byte { return fmt.Appendf(nil, "%5d  ", n+1) }

// eachLine cuts the lines from a number on with the cutters that begin returns, and
// shows them until show returns false. What is behind a cut is not read.
func eachLine(ctx context.Context, c content, from int64, begin func(n int64) *cutter, show func(n int64, k *cutter) bool) error {
	for from >= 0 {
		next := int64(-1)
		var k *cutter
		for line, err := range c.Lines(ctx, from) {
			if err != nil {
				return err
			}
			if k == nil {
				k = begin(line.Number)
			}
			if k.add(line.Text, !line.More) && line.More {
				if err := k.drain(); err != nil {
					return err
				}
				continue
			}
			if !show(line.Number, k) {
				return nil
			}
			k = nil
			if line.More {
				next = line.Number + 1
				break
			}
		}
		from = next
	}
	return nil
}
