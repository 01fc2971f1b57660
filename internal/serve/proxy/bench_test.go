package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// BenchmarkProxy sends the same request straight to the upstream, through the plain
// reverse proxy of the standard library and through ours, in turn, so that whatever
// else the machine does hits all three alike. It reports the median of each.
func BenchmarkProxy(b *testing.B) {
	upstream := httptest.NewServer(sink)
	defer upstream.Close()
	target := everything(b, upstream.URL)
	plain := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target.OpenAI) },
		Transport: proxy.NewTransport(), FlushInterval: -1,
	})
	defer plain.Close()
	ours := start(b, nil, &proxy.Options{Upstreams: target})
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, size := range []int{4 << 10, 300 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			body := bytes.Repeat([]byte("x"), size)
			var took [3][]time.Duration
			for b.Loop() {
				for i, base := range []string{upstream.URL, plain.URL, ours.base} {
					began := time.Now()
					ask(b, client, base, body)
					took[i] = append(took[i], time.Since(began))
				}
			}
			for i, name := range []string{"direct", "plain", "ours"} {
				slices.Sort(took[i])
				b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds()), name+"-p50-µs")
			}
		})
	}
}

func ask(b *testing.B, client *http.Client, base string, body []byte) {
	b.Helper()
	resp, err := client.Post(base+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
}
