package embedding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
)

// DefaultModel is asked for when none is named.
const DefaultModel = "text-embedding-3-small"

// Endpoint is a server that speaks OpenAI's embeddings API: OpenAI's own, or that
// of vLLM, Ollama, llama.cpp, text-embeddings-inference and others. It may be used
// by several goroutines at once as long as it does not change.
type Endpoint struct {
	// URL of the endpoint, such as https://api.openai.com/v1/embeddings. One that
	// ends in /v1, or has no path, is completed.
	URL string
	// Model to ask for; empty means [DefaultModel].
	Model string
	// APIKey is sent as a bearer token; empty means none.
	APIKey string
	// Client sends the requests; nil means [http.DefaultClient].
	Client *http.Client
	// Timeout of each request; 0 means 30 seconds.
	Timeout time.Duration
	// MaxBytes is the most that is sent of a text as one input; 0 means 8,000
	// bytes, which no model that takes 8,192 tokens refuses. Servers with smaller
	// models need less: 500 for one that takes 512 tokens.
	MaxBytes int
}

const (
	defaultTimeout  = 30 * time.Second
	defaultMaxBytes = 8000
	// maxBatch inputs are sent in one request: what servers accept by default, and
	// together not more tokens than OpenAI takes.
	maxBatch = 32
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 64 << 20
)

// Embed returns the vector of a text. A text that is longer than one input may be
// is cut into several, between lines or words if possible, and the result is the
// mean of their directions, weighed by their lengths. Errors are of the type
// [*plimsoll.Error], with a hint; nothing is tried twice.
func (e *Endpoint) Embed(ctx context.Context, text string) ([]float64, error) {
	address, err := e.address()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, e.failure(address, plimsoll.CodeInvalid, "", errors.New("there is no text to embed"))
	}
	pieces := cut(text, cmp.Or(max(e.MaxBytes, 0), defaultMaxBytes))
	var mean []float64
	for begin := 0; begin < len(pieces); begin += maxBatch {
		batch := pieces[begin:min(begin+maxBatch, len(pieces))]
		vectors, err := e.ask(ctx, address, batch)
		if err != nil {
			return nil, err
		}
		if len(pieces) == 1 {
			return vectors[0], nil
		}
		if mean == nil {
			mean = make([]float64, len(vectors[0]))
		}
		if err := add(mean, vectors, batch); err != nil {
			return nil, e.failure(address, plimsoll.CodeUnavailable, hintServer, err)
		}
	}
	return unit(mean), nil
}

// add adds the directions of the vectors, as many times as their texts have bytes.
func add(mean []float64, vectors [][]float64, texts []string) error {
	for i, v := range vectors {
		if len(v) != len(mean) {
			return fmt.Errorf("vectors of %d and of %d numbers", len(mean), len(v))
		}
		for j, x := range unit(v) {
			mean[j] += x * float64(len(texts[i]))
		}
	}
	return nil
}

// Address returns where requests go: the URL, completed, without credentials and
// query. It is empty for a URL that cannot be used.
func (e *Endpoint) Address() string {
	u, err := e.address()
	if err != nil {
		return ""
	}
	return public(u)
}

func public(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return shown.String()
}

// address checks and completes the URL.
func (e *Endpoint) address() (*url.URL, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &plimsoll.Error{
			Op: "embed", Code: plimsoll.CodeInvalid, Err: errors.New("not the address of an endpoint"),
			Hint: "give an address such as https://api.openai.com/v1/embeddings or http://localhost:11434/v1/embeddings",
		}
	}
	switch path := strings.TrimSuffix(u.Path, "/"); {
	case path == "":
		u.Path = "/v1/embeddings"
	case strings.HasSuffix(path, "/v1"):
		u.Path = path + "/embeddings"
	}
	return u, nil
}

// ask sends one request and returns a vector for each text.
func (e *Endpoint) ask(ctx context.Context, address *url.URL, texts []string) ([][]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(e.Timeout, 0), defaultTimeout))
	defer cancel()
	body, err := json.Marshal(map[string]any{"model": cmp.Or(e.Model, DefaultModel), "input": texts})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+e.APIKey)
	}
	response, err := cmp.Or(e.Client, http.DefaultClient).Do(request)
	if err != nil {
		return nil, e.unreachable(address, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, e.unreachable(address, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, e.refused(address, response, answer)
	}
	vectors, err := readAnswer(answer, len(texts))
	if err != nil {
		return nil, e.failure(address, plimsoll.CodeUnavailable, hintServer, err)
	}
	return vectors, nil
}

// readAnswer returns the vectors in the order of the texts.
func readAnswer(answer []byte, texts int) ([][]float64, error) {
	var list struct {
		Data []struct {
			Index int `json:"index"`
			// Pointers, because null is no number and must not be read as 0.
			Embedding []*float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("the answer is not a list of embeddings: %w", err)
	}
	if len(list.Data) != texts {
		return nil, fmt.Errorf("%d embeddings for %d texts", len(list.Data), texts)
	}
	vectors := make([][]float64, texts)
	for _, d := range list.Data {
		if d.Index < 0 || d.Index >= texts || vectors[d.Index] != nil {
			return nil, fmt.Errorf("an embedding of text %d, of %d", d.Index, texts)
		}
		if len(d.Embedding) == 0 {
			return nil, fmt.Errorf("the embedding of text %d is empty", d.Index)
		}
		if want := len(list.Data[0].Embedding); len(d.Embedding) != want {
			return nil, fmt.Errorf("embeddings of %d and of %d numbers", want, len(d.Embedding))
		}
		vectors[d.Index] = make([]float64, len(d.Embedding))
		for i, x := range d.Embedding {
			if x == nil {
				return nil, fmt.Errorf("number %d in the embedding of text %d is null", i, d.Index)
			}
			vectors[d.Index][i] = *x
		}
	}
	return vectors, nil
}
