package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

const (
	callTime  = 5 * time.Minute
	maxAnswer = 16 << 20
)

// client asks a model over Chat Completions.
type client struct{ url, key string }

// complete returns the answer to a request.
func (c *client) complete(ctx context.Context, body []byte) (wire.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return wire.Response{}, &plimsoll.Error{Op: "call the model", Code: plimsoll.CodeInvalid, Err: err, Hint: "write --url as http://host:port/v1"}
	}
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return wire.Response{}, &plimsoll.Error{Op: "call the model", Code: plimsoll.CodeUnavailable, Err: err, Hint: "check --url, or try --scripted"}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return wire.Response{}, fmt.Errorf("call the model: %w", err)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return wire.Response{}, &plimsoll.Error{Op: "call the model", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("it answers %s", resp.Status), Hint: "set OPENAI_API_KEY"}
	}
	said, err := dialects.Codec(plimsoll.OpenAI).ReadResponse(answer)
	if err != nil {
		return wire.Response{}, fmt.Errorf("call the model: %s: %w", resp.Status, err)
	}
	if said.Error != nil {
		return wire.Response{}, fmt.Errorf("call the model: %w", said.Error)
	}
	if resp.StatusCode != http.StatusOK {
		return wire.Response{}, fmt.Errorf("call the model: it answers %s", resp.Status)
	}
	return said, nil
}
