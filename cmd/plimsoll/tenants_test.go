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
	store := filepath.Join(t.TempDir(), "store.db")
	if decision := proxiedInto(t, store, nil, environ...); decision == "pass" {
		t.Fatal("nothing was cut")
	}
	return store
}

// proxiedInto sends the request through `plimsoll serve` with a store, does something while
// the proxy runs, ends it, and returns what the proxy decided.
func proxiedInto(t *testing.T, store string, meanwhile func(*node), environ ...string) string {
	t.Helper()
	upstream := httptest.NewServer(scripted.New(nil))
	t.Cleanup(upstream.Close)
	n := startNode(t, append(environ, "XDG_CONFIG_HOME="+t.TempDir()), "--upstream", upstream.URL, "--window", "6000", "--store", store)
	resp, answer := call(t, http.MethodPost, n.url+"/v1/chat/completions", agentRequest(t, plimsoll.OpenAI, 60), map[string]string{"Authorization": "Bearer sk-1"})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d: %s", resp.StatusCode, answer)
	}
	if meanwhile != nil {
		meanwhile(n)
	}
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = n.command.Wait() // it has written the accounts
	return resp.Header.Get("X-Plimsoll-Decision")
}

// TestAProxyThatIsOpenedLeavesTheOldStoreToItsOwner starts a proxy for one user, and later
// one that others may call, on the same store. The client's credential is a new tenant
// then: the conversation is cut again, and what the first proxy stored stays with the
// local tenant.
func TestAProxyThatIsOpenedLeavesTheOldStoreToItsOwner(t *testing.T) {
	t.Parallel()
	store := proxied(t)
	listed, _ := runHere("", "cache", "ls", "--store", store)
	ref, _, _ := strings.Cut(strings.Split(listed, "\n")[1], " ")
	status := func(n *node, header map[string]string) int {
		resp, _ := call(t, http.MethodGet, n.url+"/plimsoll/v1/refs/"+ref, nil, header)
		return resp.StatusCode
	}
	const token = "PLIMSOLL_ADMIN_TOKEN=open sesame"
	decision := proxiedInto(t, store, func(n *node) {
		if got := status(n, map[string]string{"Authorization": "Bearer open sesame", "X-Api-Key": "sk-1"}); got != http.StatusNotFound {
			t.Errorf("a client with a credential gets %d for what the first proxy stored", got)
		}
		if got := status(n, map[string]string{"Authorization": "Bearer open sesame"}); got != http.StatusOK {
			t.Errorf("the operator gets %d for what the first proxy stored", got)
		}
	}, token)
	if decision == "recall" || decision == "pass" {
		t.Errorf("the second proxy decides %q: it must cut for a new tenant", decision)
	}
	if again := proxiedInto(t, store, nil, token); again != "recall" {
		t.Errorf("the third proxy decides %q, want recall", again)
	}
	if back := proxiedInto(t, store, nil); back != "recall" {
		t.Errorf("a proxy for one user decides %q, want recall", back)
	}
	got, _ := runHere("", "account", "--store", store)
	other := regexp.MustCompile(`this is the local tenant; the store has others, which you read with --tenant: ([0-9a-f]{16})\n`).FindStringSubmatch(got)
	if other == nil {
		t.Fatalf("the account of the local tenant does not name the other one: %s", got)
	}
	if got, status := runHere("", "account", "--store", store, "--tenant", other[1]); status != 0 || !strings.Contains(got, "gpt-4o") {
		t.Errorf("account of the other tenant: %d %s", status, got)
	}
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
