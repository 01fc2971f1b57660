package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// node is a proxy in a process of its own.
type node struct {
	url     string
	command *exec.Cmd
}

// startNode starts `plimsoll serve` and waits until it listens.
func startNode(t *testing.T, environ []string, args ...string) *node {
	t.Helper()
	path, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{command: exec.CommandContext(t.Context(), path, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)}
	n.command.Env = append(os.Environ(), environ...)
	n.command.Dir = t.TempDir()
	stderr, err := n.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = n.command.Process.Kill()
		_ = n.command.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "serving "); ok {
			n.url = url
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return n
		}
	}
	t.Fatal("the proxy did not begin to serve")
	return nil
}

func (n *node) ask(t *testing.T, body []byte) (status int, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-nodes")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// nodeScript reads file after file, then what was cut of the first.
func nodeScript(c *scripted.Call) (scripted.Step, bool) {
	if c.End() == scripted.EndSummary {
		time.Sleep(300 * time.Millisecond) // so that both proxies are at it
		return scripted.Step{}, false
	}
	for _, r := range c.Results() {
		if r.Name == "tool_output_cache" {
			return scripted.Say("it says " + plimsoll.TextOf(r.Content)), true
		}
	}
	if ref := regexp.MustCompile(`ref=([A-Za-z0-9_-]+)`).FindSubmatch(c.Request.Body()); strings.Contains(c.Text(), "look it up") && ref != nil {
		return scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":%q}`, ref[1])), true
	}
	return scripted.Say("noted"), true
}

func TestTwoProxiesOnOneDatabaseServeOneConversation(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t)
	model := scripted.New(&scripted.Options{Script: nodeScript})
	upstream := httptest.NewServer(model)
	t.Cleanup(upstream.Close)
	file := filepath.Join(t.TempDir(), "plimsoll.yaml")
	settings := fmt.Sprintf("store: %q\nwindow: 12000\ncompaction: {summarizer: \"openai:gpt-4o-mini@%s/v1\"}\n", database, upstream.URL)
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"PLIMSOLL_CONFIG=" + file, "OPENAI_API_KEY=sk-summary"}
	a := startNode(t, environ, "--upstream", upstream.URL+"/v1")
	b := startNode(t, environ, "--upstream", upstream.URL+"/v1")

	body := func(rounds int, last string) []byte {
		c := talk("en", rounds)
		c.Tools = agentAtWork(1).Tools
		if last != "" {
			c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), plimsoll.Say(plimsoll.User, last))...)
		}
		request, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), c)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte(`{"model":"gpt-4o",`), bytes.TrimPrefix(request, []byte("{"))...)
	}
	must := func(n *node, request []byte) []byte {
		t.Helper()
		status, answer := n.ask(t, request)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, answer)
		}
		return answer
	}

	// Both are asked at once for what is over the line: one checkpoint is made.
	var both sync.WaitGroup
	for _, n := range []*node{a, b} {
		both.Go(func() { must(n, body(200, "")) })
	}
	both.Wait()
	var sent [][]byte
	summaries := 0
	for _, x := range model.Log() {
		if x.Call != nil && x.Call.End() == scripted.EndSummary {
			summaries++
		} else {
			sent = append(sent, x.Body)
		}
	}
	if summaries != 1 {
		t.Errorf("%d summaries were asked for, want 1", summaries)
	}
	if len(sent) != 2 || !bytes.Equal(sent[0], sent[1]) {
		t.Errorf("%d requests were sent, and not the same bytes", len(sent))
	}

	// They take turns, and the model reads at one what the other has cut.
	for i := range 6 {
		must([]*node{a, b}[i%2], body(201+i, ""))
	}
	if answer := must(b, body(207, "look it up")); !bytes.Contains(answer, []byte("it says")) {
		t.Errorf("the other proxy does not know the reference: %s", answer)
	}

	// One is killed, and the other goes on with the same bytes.
	must(a, body(208, ""))
	if err := a.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	must(b, body(208, ""))
	log := model.Log()
	answered := slices.DeleteFunc(slices.Clone(log), func(x scripted.Exchange) bool { return x.Call.End() == scripted.EndSummary })
	if n := len(answered); !bytes.Equal(answered[n-1].Body, answered[n-2].Body) {
		t.Error("after the other was killed the same request has other bytes")
	}
	for _, x := range log {
		if len(x.Violations) > 0 || x.Call.End() != scripted.EndSummary && x.Call.Load.Total > 12_000 {
			t.Errorf("%d tokens, violations %v", x.Call.Load.Total, x.Violations)
		}
	}
}
