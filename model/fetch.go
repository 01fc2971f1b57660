package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// fetchTime bounds the fetch of a list.
const fetchTime = 30 * time.Second

// LoadFrom reads a list from a file or, where the name begins with "http://" or
// "https://", from the network; see [Load] for the formats and the problems.
func LoadFrom(ctx context.Context, where string) (*Registry, []error, error) {
	if !strings.HasPrefix(where, "https://") && !strings.HasPrefix(where, "http://") {
		return loadFile(where)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	reg, problems, err := fetch(ctx, where)
	if err != nil {
		return nil, nil, fmt.Errorf("model: fetch list from %s: %w", redacted(where), err)
	}
	return reg, problems, nil
}

func loadFile(path string) (*Registry, []error, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("model: load list: %w", err)
	}
	defer f.Close()
	reg, problems, err := Load(f)
	if err != nil {
		return nil, nil, fmt.Errorf("model: load list %s: %w", path, err)
	}
	return reg, problems, nil
}

func fetch(ctx context.Context, where string) (*Registry, []error, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, nil, errors.New("not a usable address")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		// The client's error repeats the address, password included.
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("server answered %s", resp.Status)
	}
	return Load(resp.Body)
}

// redacted is an address without its password and without its query, which may
// hold a key.
func redacted(where string) string {
	u, err := url.Parse(where)
	if err != nil {
		return "the given address"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}
