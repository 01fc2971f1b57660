// Command relay is what proxies are measured against: a model that answers at once,
// and the plain reverse proxy of the standard library. Each runs in a process of its
// own, so that its CPU time is its own.
//
//	relay upstream ADDRESS BYTES-PER-TOKEN
//	relay floor ADDRESS UPSTREAM
//	relay vocabulary
package main

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/plimsoll/plimsoll/bench/internal/relay"
	"github.com/plimsoll/plimsoll/internal/bpe"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "upstream":
		return upstream(args[1], args[2])
	case len(args) == 3 && args[0] == "floor":
		return floor(args[1], args[2])
	case len(args) == 1 && args[0] == "vocabulary":
		return vocabulary()
	}
	return fmt.Errorf("unknown arguments %q", args)
}

func upstream(address, perToken string) error {
	ratio, err := strconv.ParseFloat(perToken, 64)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address}
	server.Handler = newModel(ratio, server)
	return server.ListenAndServe()
}

// floor has the connections that plimsoll serve has, so that only what is done with a
// request differs.
func floor(address, to string) error {
	target, err := url.Parse(to)
	if err != nil {
		return err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableCompression = true
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 1024, 256
	base.WriteBufferSize, base.ReadBufferSize = 64<<10, 32<<10
	plain := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: base, FlushInterval: -1,
	}
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the server closes the request's body as soon as the answer begins, and
		// answers of a model that does not think for a moment are broken off.
		_ = http.NewResponseController(w).EnableFullDuplex() // only HTTP/1 needs it
		plain.ServeHTTP(w, r)
	}))
}

// vocabulary prints by how many bytes the resident set of a process grows with the
// vocabulary that requests are counted with.
func vocabulary() error {
	debug.FreeOSMemory()
	before := relay.Resident(os.Getpid())
	n := bpe.O200K().Count("a sentence, so that it is there")
	debug.FreeOSMemory()
	after := relay.Resident(os.Getpid())
	if n == 0 || before == 0 {
		return fmt.Errorf("%d tokens, %d bytes resident: nothing measured", n, before)
	}
	fmt.Println(after - before)
	return nil
}
