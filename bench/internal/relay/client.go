package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client asks one server, over connections that stay open.
type client struct {
	base string
	http *http.Transport
}

func newClient(base string) *client {
	return &client{base: base, http: &http.Transport{
		DisableCompression: true, MaxIdleConnsPerHost: 64, WriteBufferSize: 64 << 10, ReadBufferSize: 32 << 10,
	}}
}

// Key is what servers that want a credential are set up to take.
const Key = "sk-bench-0000000000000000"

// send asks for an answer to a conversation after n rounds, and returns it unread.
func (c *client) send(ctx context.Context, conversation *conversation, n int) (*http.Response, error) {
	body, size := conversation.body(n)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/chat/completions", body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+Key)
	resp, err := c.http.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300)) // the status says enough without it
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", resp.Status, text)
	}
	return resp, nil
}

// answer is what came of a request.
type answer struct {
	took time.Duration
	// decision is what Plimsoll says that it has done.
	decision string
}

// ask sends a request and reads its answer to the end.
func (c *client) ask(conversation *conversation, n int) (answer, error) {
	began := time.Now()
	resp, err := c.send(context.Background(), conversation, n)
	if err != nil {
		return answer{}, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	took := time.Since(began)
	return answer{took, resp.Header.Get("X-Plimsoll-Decision")}, errors.Join(err, resp.Body.Close())
}

func (c *client) close() { c.http.CloseIdleConnections() }
