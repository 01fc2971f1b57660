package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/plimsoll/plimsoll"
)

// Webhook returns a hook that posts JSON to an address of HTTP and reads the answer.
// Any status of 2xx is fine. Redirections are followed only on the same host, and
// only those that keep the request as it is.
func Webhook(address string, o *Options) (*Hook, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, &plimsoll.Error{
			Op: "hook", Err: fmt.Errorf("no address of HTTP: %w", plimsoll.ErrInvalid), Hint: "write it as https://host/path",
		}
	}
	// The rest of the address may hold a secret.
	h := newHook(at.Scheme+"://"+at.Host, o)
	client := &http.Client{Transport: h.options.Transport, CheckRedirect: sameHost}
	h.deliver = func(ctx context.Context, notice []byte) (answer, error) { return h.post(ctx, client, at, notice) }
	return h, nil
}

func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || r.Method != first.Method || r.URL.Host != first.URL.Host || r.URL.Scheme != first.URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

func (h *Hook) post(ctx context.Context, client *http.Client, at *url.URL, notice []byte) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(notice))
	if err != nil {
		return answer{}, err
	}
	for key, values := range h.options.Header {
		r.Header[http.CanonicalHeaderKey(key)] = values
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err // without the address
		}
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer{}, err
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return answer{}, fmt.Errorf("it answers %s, and leads to another host or to another request", resp.Status)
	case resp.StatusCode >= 300:
		return answer{}, fmt.Errorf("it answers %s", resp.Status)
	}
	return answer{body: body}, nil
}
