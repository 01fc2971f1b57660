// Command hops sends a recorded session through the proxy so many times, to a server
// that always answers the same. Built with -cover, it shows which functions one
// request runs through.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hops:", err)
		os.Exit(1)
	}
}

const answer = `{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("want a window and how many requests to send")
	}
	window, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	requests, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "hops")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	managed, end, err := manage(dir, window)
	if err != nil {
		return err
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	defer upstream.Close()
	address, err := url.Parse(upstream.URL)
	if err != nil {
		return err
	}
	server, err := proxy.New(&proxy.Options{Transport: managed, Upstreams: proxy.Upstreams{OpenAI: address}})
	if err != nil {
		return err
	}
	front := httptest.NewServer(server.Handler())
	defer front.Close()
	for range requests {
		if err := ask(front.URL); err != nil {
			return err
		}
	}
	return end()
}

// manage puts a transport over a store in the folder.
func manage(dir string, window int) (http.RoundTripper, func() error, error) {
	backend, err := sqlite.Open(context.Background(), filepath.Join(dir, "store.db"), nil)
	if err != nil {
		return nil, nil, err
	}
	kept, err := store.New(context.Background(), backend, nil)
	if err != nil {
		return nil, nil, err
	}
	options, err := preset.Auto(&preset.Options{Window: window, Policy: preset.PolicyThreshold})
	if err != nil {
		return nil, nil, err
	}
	keeper, err := fit.New(options)
	if err != nil {
		return nil, nil, err
	}
	managed, err := transport.New(&transport.Options{
		Base: proxy.NewTransport(), Store: kept, Window: window,
		Keeper: func(string) (*fit.Keeper, error) { return keeper, nil },
	})
	if err != nil {
		return nil, nil, err
	}
	return managed, func() error { return errors.Join(managed.Close(), keeper.Close(), kept.Close()) }, nil
}

func ask(address string) error {
	resp, err := http.Post(address+"/v1/chat/completions", "application/json", bytes.NewReader(examples.Harbour()))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	fmt.Println(resp.Header.Get(transport.HeaderDecision))
	return nil
}
