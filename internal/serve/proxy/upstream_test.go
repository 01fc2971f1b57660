package proxy

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

func TestAConnectionSendsWhatItIsGivenAndNoMore(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789"), 100_000)
	for name, tt := range map[string]struct {
		from io.Reader
		want []byte
	}{
		"a body in memory":                {&io.LimitedReader{R: bytes.NewReader(body), N: int64(len(body))}, body},
		"the rest of one":                 {&io.LimitedReader{R: rest(body, 4000), N: int64(len(body) - 4000)}, body[4000:]},
		"a body that is longer than told": {&io.LimitedReader{R: bytes.NewReader(body), N: 1234}, body[:1234]},
		"a body that is shorter":          {&io.LimitedReader{R: bytes.NewReader(body[:99]), N: 1234}, body[:99]},
		"a body that is still coming":     {&io.LimitedReader{R: io.MultiReader(bytes.NewReader(body[:7]), bytes.NewReader(body[7:])), N: int64(len(body))}, body},
		"something without a length":      {strings.NewReader("abc"), []byte("abc")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			got := make(chan []byte, 1)
			go func() {
				c, err := listener.Accept()
				if err != nil {
					close(got)
					return
				}
				defer c.Close()
				all, _ := io.ReadAll(c)
				got <- all
			}()
			c, err := dialInOnePiece(&net.Dialer{})(t.Context(), "tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(c, tt.from)
			if err != nil || n != int64(len(tt.want)) {
				t.Errorf("sent %d, %v; want %d", n, err, len(tt.want))
			}
			if l, ok := tt.from.(*io.LimitedReader); ok && name != "a body that is shorter" && l.N != 0 {
				t.Errorf("%d are left of what was to be sent", l.N)
			}
			c.Close()
			if sent := <-got; !bytes.Equal(sent, tt.want) {
				t.Errorf("%d bytes arrived, want %d", len(sent), len(tt.want))
			}
		})
	}
}

func rest(body []byte, from int) io.Reader {
	r := bytes.NewReader(body)
	_, _ = r.Seek(int64(from), io.SeekStart)
	return r
}
