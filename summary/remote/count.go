package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Count asks the server of the options how many tokens a request has. Only Gemini's API is
// asked; for any other, and from a server that does not count, it is 0.
func (s *Summarizer) Count(ctx context.Context, model string, body []byte) (int, error) {
	if s.options.Dialect != plimsoll.Gemini {
		return 0, nil
	}
	address, err := s.address(model)
	if err != nil {
		return 0, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range dialects.Codec(s.options.Dialect).Headers(string(s.options.Key)) {
		header.Set(name, value)
	}
	return CountTokens(ctx, s.options.Client.Do, address, header, model, body)
}

// CountTokens asks Gemini's API how many tokens a request has that would go to an address:
// 0 if the server does not count.
func CountTokens(ctx context.Context, do func(*http.Request) (*http.Response, error), address *url.URL, h http.Header, model string, body []byte) (int, error) {
	u := *address
	u.Path, u.RawPath = strings.Replace(u.Path, ":generateContent", ":countTokens", 1), ""
	name, _ := json.Marshal("models/" + strings.TrimPrefix(model, "models/"))
	counted := fmt.Appendf(nil, `{"generateContentRequest":{"model":%s,%s}`, name, bytes.TrimPrefix(body, []byte("{")))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(counted))
	if err != nil {
		return 0, errors.New("the address cannot be used")
	}
	request.Header = h
	response, err := do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return 0, err
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusMethodNotAllowed, response.StatusCode == http.StatusNotImplemented:
		return 0, nil
	case response.StatusCode != http.StatusOK:
		return 0, errors.New(response.Status)
	}
	var total struct {
		Tokens int `json:"totalTokens"`
	}
	err = json.Unmarshal(answer, &total)
	return total.Tokens, err
}
