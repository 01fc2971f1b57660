package main

import (
	"bufio"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
)

func TestTheDashboardIsThereWithATokenOrWhenAskedFor(t *testing.T) {
	t.Parallel()
	kept := func() string { return filepath.Join(t.TempDir(), "store.db") }
	bearer := map[string]string{"Authorization": "Bearer open sesame"}
	for _, c := range []struct {
		what    string
		environ []string
		args    []string
		header  map[string]string
		want    int
	}{
		{"neither", nil, nil, nil, http.StatusNotFound},
		{"asked for", nil, []string{"--dashboard"}, nil, http.StatusOK},
		{"by a variable", []string{"PLIMSOLL_SERVE_DASHBOARD=on"}, nil, nil, http.StatusOK},
		{"a token, which is sent", []string{"PLIMSOLL_ADMIN_TOKEN=open sesame"}, nil, bearer, http.StatusOK},
		{"a token, which is not sent", []string{"PLIMSOLL_ADMIN_TOKEN=open sesame"}, nil, nil, http.StatusUnauthorized},
		{"asked for, and a token that is not sent", []string{"PLIMSOLL_ADMIN_TOKEN=open sesame"}, []string{"--dashboard"}, nil, http.StatusUnauthorized},
		{"a token, but not wanted", []string{"PLIMSOLL_ADMIN_TOKEN=open sesame", "PLIMSOLL_SERVE_DASHBOARD=off"}, nil, bearer, http.StatusNotFound},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			n := startNode(t, append(c.environ, "XDG_CONFIG_HOME="+t.TempDir()), append(c.args, "--store", kept())...)
			if resp, body := call(t, http.MethodGet, n.url+dashboard.Root, nil, c.header); resp.StatusCode != c.want {
				t.Errorf("%d, want %d: %.200s", resp.StatusCode, c.want, body)
			}
			if resp, _ := call(t, http.MethodGet, n.url+"/plimsoll/v1/openapi.json", nil, c.header); c.want == http.StatusOK && resp.StatusCode != http.StatusOK {
				t.Errorf("beside it the API is answered with %d", resp.StatusCode)
			}
		})
	}
}

// TestAnOpenPageDoesNotKeepTheProxyFromEnding has a reader who waits for news, and keys
// on a page that must not be there.
func TestAnOpenPageDoesNotKeepTheProxyFromEnding(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("nobody can be asked to end there")
	}
	_, n := served(t, &scripted.Options{})
	header := map[string]string{"Authorization": "Bearer open sesame"}
	call(t, http.MethodPost, n.url+"/v1/chat/completions", agentRequest(t, plimsoll.OpenAI, 2), map[string]string{"Authorization": "Bearer sk-secret-of-a-client"})
	for _, page := range []string{"", "conversations", "health"} {
		if _, body := call(t, http.MethodGet, n.url+dashboard.Root+page, nil, header); strings.Contains(string(body), "sk-secret") || strings.Contains(string(body), "sesame") {
			t.Errorf("/%s shows a key", page)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url+dashboard.Root+"events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer open sesame")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !bufio.NewScanner(resp.Body).Scan() {
		t.Fatal("there is no news")
	}
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := n.command.Wait(); err != nil { // an error, too, if it waited for the page until its time was up
		t.Errorf("it ended with %v", err)
	}
}
