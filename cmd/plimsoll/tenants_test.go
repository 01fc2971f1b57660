package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// proxied sends a request that must be cut through `plimsoll serve`, ends the proxy, and
// returns the store.
func proxied(t *testing.T, environ ...string) string {
	t.Helper()
	upstream := httptest.NewServer(scripted.New(nil))
	t.Cleanup(upstream.Close)
	store := filepath.Join(t.TempDir(), "store.db")
	n := startNode(t, append(environ, "XDG_CONFIG_HOME="+t.TempDir()), "--upstream", upstream.URL, "--limit", "6000", "--store", store)
	resp, answer := call(t, http.MethodPost, n.url+"/v1/chat/completions", agentRequest(t, plimsoll.OpenAI, 60), map[string]string{"Authorization": "Bearer sk-1"})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Plimsoll-Decision") == "pass" {
		t.Fatalf("%d %s: %s", resp.StatusCode, resp.Header.Get("X-Plimsoll-Decision"), answer)
	}
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = n.command.Wait() // it has written the accounts
	return store
}

func TestCommandsReadWhatTheProxyOfOneUserDid(t *testing.T) {
	t.Parallel()
	store := proxied(t)
	if got, status := runHere("", "account", "--store", store); status != 0 || !strings.Contains(got, "gpt-4o") {
		t.Errorf("account: %d %s", status, got)
	}
	got, status := runHere("", "cache", "ls", "--store", store)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if status != 0 || len(lines) < 2 {
		t.Fatalf("cache ls: %d %s", status, got)
	}
	ref, _, _ := strings.Cut(lines[1], " ")
	question := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_output_cache","arguments":{"ref_id":"` + ref + `","limit":1}}}`
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	got, status = runHere(hello+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+question+"\n", "mcp", "--store", store)
	if status != 0 || !strings.Contains(got, `"id":1`) || strings.Contains(got, "gone") {
		t.Errorf("mcp: %d %s", status, got)
	}
}

func TestCommandsFindATenantByWhatTheDashboardShows(t *testing.T) {
	t.Parallel()
	store := proxied(t, "PLIMSOLL_SERVE_TENANTS=credential")
	got, status := runHere("", "account", "--store", store)
	if status != 0 || !strings.Contains(got, "There are no accounts yet") {
		t.Errorf("account: %d %s", status, got)
	}
	name := regexp.MustCompile(`--tenant: ([0-9a-f]{16})\n`).FindStringSubmatch(got)
	if name == nil {
		t.Fatalf("no tenant is named: %s", got)
	}
	for _, hash := range []string{name[1], name[1][:8]} { // the log has 16 digits, the dashboard 8
		for _, command := range [][]string{{"account"}, {"cache", "ls", "--json"}} {
			got, status := runHere("", append(command, "--store", store, "--tenant", hash)...)
			if status != 0 || got == "" || strings.Contains(got, "no accounts") {
				t.Errorf("%v of %s: %d %s", command, hash, status, got)
			}
		}
	}
}

func TestOnlyALoopbackListenerOfOneUserHasOneTenant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen, token string
		hosts         []string
		want          bool
	}{
		{listen: "127.0.0.1:7171", want: true},
		{listen: "127.3.2.1:0", want: true},
		{listen: "[::1]:7171", want: true},
		{listen: "[::ffff:127.0.0.1]:7171", want: true},
		{listen: "localhost:7171", want: true},
		{listen: ":7171"},
		{listen: "0.0.0.0:7171"},
		{listen: "[::]:7171"},
		{listen: "192.168.1.2:7171"},
		{listen: "localhost.example:7171"},
		{listen: "127.0.0.1:7171", token: "secret"},
		{listen: "127.0.0.1:7171", hosts: []string{"llm.example"}},
	} {
		if got := onlyHere(config.Serve{Listen: c.listen, Hosts: c.hosts}, c.token); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
