package model_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/model"
)

func TestC03_ListsAreLoadedFromFilesAndAddresses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(server.Close)
	for _, where := range []string{filepath.Join("testdata", "litellm.json"), server.URL + "/litellm.json"} {
		reg, problems, err := model.LoadFrom(t.Context(), where, nil)
		if err != nil || len(problems) != 3 {
			t.Fatalf("%s: %v %v", where, problems, err)
		}
		if got, err := reg.Limit("gpt-99"); got != 400_000 || err != nil {
			t.Errorf("%s: %d %v", where, got, err)
		}
	}
}

func TestFailedFetchesSayWhatWentWrong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-r.Context().Done()
		case "/text":
			w.Write([]byte("<html>"))
		case "/huge":
			for range model.MaxListBytes/len(blanks) + 1 {
				if _, err := w.Write(blanks); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	secret := strings.Replace(server.URL, "http://", "http://user:hunter2@", 1)
	for _, tc := range []struct {
		name, where string
		want        string
		is          error
	}{
		{"no such page", server.URL + "/none", "404 Not Found", nil},
		{"something else than a list", server.URL + "/text", "want a JSON object", nil},
		{"a server that does not answer", server.URL + "/slow", "deadline", context.DeadlineExceeded},
		{"a list without end", server.URL + "/huge", "too large", model.ErrTooLarge},
		{"a password stays secret", secret + "/none?key=hunter2", "user:xxxxx@", nil},
		{"not an address", "http://[", "not a usable address", nil},
		{"no such file", filepath.Join(t.TempDir(), "none.json"), "none.json", fs.ErrNotExist},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts := &model.FetchOptions{Timeout: time.Hour}
			if strings.HasSuffix(tc.where, "/slow") {
				opts.Timeout = 20 * time.Millisecond
			}
			_, _, err := model.LoadFrom(t.Context(), tc.where, opts)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
		})
	}
}

var blanks = []byte(strings.Repeat(" ", 1<<20))

// TestC03_TheCompletePublicListsLoad runs where the lists are at hand; the
// fixtures in testdata stand for them everywhere else.
func TestC03_TheCompletePublicListsLoad(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PLIMSOLL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	reg := model.Default()
	for _, source := range []struct {
		file  string
		least int
	}{
		{"litellm-model_prices_and_context_window.json", 2_300},
		{"models-dev-compact.json", 5_000},
	} {
		file, least := source.file, source.least
		list, problems, err := model.LoadFrom(t.Context(), filepath.Join(dir, "models", file), nil)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("NOT RUN: the public lists are not in %s/models; set PLIMSOLL_SHARED", dir)
		}
		if err != nil || len(list.All()) < least {
			t.Fatalf("%s: %d models, error %v", file, len(list.All()), err)
		}
		for _, err := range problems {
			// LiteLLM has prices of up to 0.2 dollars per token for this provider.
			var p *model.Problem
			if !errors.As(err, &p) || !strings.HasPrefix(p.Key, "wandb/") {
				t.Errorf("%s: %v", file, err)
			}
		}
		reg = reg.Merge(list)
	}
	for name, want := range map[string]string{
		"gpt-4o": "openai/gpt-4o", "azure/gpt-4o": "azure/gpt-4o", "claude-sonnet-4-5": "anthropic/claude-sonnet-4-5",
		"gemini-2.5-pro": "google/gemini-2.5-pro", "vertex_ai/gemini-2.5-pro": "google-vertex/gemini-2.5-pro",
		"groq/llama-3.3-70b-versatile": "groq/llama-3.3-70b-versatile", "deepseek-chat": "deepseek/deepseek-chat",
	} {
		m := lookup(t, reg, name)
		if got := m.Provider + "/" + m.ID; got != want {
			t.Errorf("%s leads to %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]int{"gpt-5.5": 922_000, "gpt-5.2": 272_000, "gpt-4o": 128_000, "gpt-4": 8_192} {
		if got, err := reg.Limit(name); got != want || err != nil {
			t.Errorf("limit of %s with all lists: %d (%v), want %d", name, got, err, want)
		}
	}
}
