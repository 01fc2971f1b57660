package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// served is a scripted model with `plimsoll serve` in front of it.
func served(t *testing.T, o *scripted.Options, args ...string) (*scripted.Model, *node) {
	t.Helper()
	model := scripted.New(o)
	upstream := httptest.NewServer(model)
	t.Cleanup(upstream.Close)
	all := append([]string{"--upstream", upstream.URL, "--store", filepath.Join(t.TempDir(), "store.db")}, args...)
	return model, startNode(t, []string{"PLIMSOLL_ADMIN_TOKEN=open sesame", "XDG_CONFIG_HOME=" + t.TempDir()}, all...)
}

// agentRequest is a request of an agent at work, for the model that a dialect is asked for.
func agentRequest(t *testing.T, d plimsoll.Dialect, rounds int) []byte {
	t.Helper()
	body, err := wiretest.Rewrite(dialects.Codec(d), agentAtWork(rounds))
	if err != nil {
		t.Fatal(err)
	}
	opening := `{"model":"gpt-4o",`
	switch d {
	case plimsoll.Gemini:
		opening = `{`
	case plimsoll.Anthropic:
		opening = `{"model":"claude-sonnet-4-5","max_tokens":500,`
	case plimsoll.Ollama:
		opening = `{"model":"llama3.2","stream":false,`
	}
	return append([]byte(opening), bytes.TrimPrefix(body, []byte("{"))...)
}

var apiPaths = map[plimsoll.Dialect][]string{
	plimsoll.OpenAI:    {"/v1/chat/completions", "/openai/v1/chat/completions"},
	plimsoll.Responses: {"/v1/responses", "/openai/v1/responses"},
	plimsoll.Anthropic: {"/v1/messages?beta=true", "/anthropic/v1/messages"},
	plimsoll.Gemini:    {"/v1beta/models/gemini-2.5-flash:generateContent", "/gemini/v1beta/models/gemini-2.5-flash:generateContent", "/v1/models/gemini-2.5-flash:generateContent"},
	plimsoll.Ollama:    {"/api/chat", "/ollama/api/chat"},
}

func call(t *testing.T, method, url string, body []byte, header map[string]string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, answer
}

func TestServeManagesEveryApiUnderEveryPath(t *testing.T) {
	t.Parallel()
	model, n := served(t, &scripted.Options{Window: 6000}, "--window", "6000")
	for d, paths := range apiPaths {
		for _, path := range paths {
			resp, answer := call(t, http.MethodPost, n.url+path, agentRequest(t, d, 60), map[string]string{"Authorization": "Bearer sk-1"})
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s", path, resp.StatusCode, answer)
			}
			if got := resp.Header.Get("X-Plimsoll-Decision"); got == "" || got == "pass" {
				t.Errorf("%s: decision %q", path, got)
			}
			log := model.Log()
			if last := log[len(log)-1]; strings.Contains(path, "?") != strings.Contains(last.Path, "?") || last.Header.Get("Authorization") != "Bearer sk-1" {
				t.Errorf("%s arrived as %s with %q", path, last.Path, last.Header.Get("Authorization"))
			}
		}
	}
	resp, answer := call(t, http.MethodGet, n.url+"/v1/models", nil, nil)
	if resp.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte("scripted")) || resp.Header.Get("X-Plimsoll-Decision") != "" {
		t.Errorf("models: %d %s", resp.StatusCode, answer)
	}
	for _, x := range model.Log() {
		if x.Overflow || len(x.Violations) > 0 {
			t.Errorf("%s: overflow %v, %v", x.Path, x.Overflow, x.Violations)
		}
	}
}

func TestServeKeepsTheOperatorsSideToTheOperator(t *testing.T) {
	t.Parallel()
	_, n := served(t, nil)
	for path, open := range map[string]bool{"/healthz": true, "/readyz": true, "/metrics": false, "/plimsoll/v1/accounts": false} {
		if resp, answer := call(t, http.MethodGet, n.url+path, nil, nil); (resp.StatusCode == http.StatusOK) != open {
			t.Errorf("%s without the token: %d %.200s", path, resp.StatusCode, answer)
		}
		if resp, answer := call(t, http.MethodGet, n.url+path, nil, map[string]string{"Authorization": "Bearer open sesame"}); resp.StatusCode != http.StatusOK {
			t.Errorf("%s with the token: %d %.200s", path, resp.StatusCode, answer)
		}
	}
	resp, answer := call(t, http.MethodPost, n.url+"/plimsoll/v1/fit?window=3000", agentRequest(t, plimsoll.OpenAI, 60), map[string]string{"Authorization": "Bearer open sesame"})
	var fitted struct {
		Request json.RawMessage
		Report  struct{ After struct{ Total int } }
	}
	if err := json.Unmarshal(answer, &fitted); err != nil || resp.StatusCode != http.StatusOK || fitted.Report.After.Total > 3000 || len(fitted.Request) == 0 {
		t.Errorf("fit: %d, %v, %.300s", resp.StatusCode, err, answer)
	}
}

func TestServeLetsTheOptionsOfARequestWinOverItsFlags(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store.db") // one for both: its key names the references
	_, plain := served(t, nil, "--store", store)
	_, flagged := served(t, nil, "--store", store, "--window", "45000", "--preset", "multichat")
	body := agentRequest(t, plimsoll.OpenAI, 60)
	for _, options := range []string{
		"window=4000&preset=auto", "window=4000&preset=auto&reserve=100", "window=4000&preset=auto&low=0.3", "window=4000&preset=gemini&method=window",
		"window=4000&preset=agent&rungs=slide", "window=4000&preset=auto&pins=index=1",
	} {
		var plans [2]string
		for i, n := range []*node{plain, flagged} {
			resp, answer := call(t, http.MethodPost, n.url+"/plimsoll/v1/plan?"+options, body, map[string]string{"Authorization": "Bearer open sesame"})
			var plan struct {
				Line          plimsoll.Line
				Before, After struct{ Total int }
				Rungs         []plimsoll.RungReport
			}
			if err := json.Unmarshal(answer, &plan); err != nil || resp.StatusCode != http.StatusOK || plan.After.Total == plan.Before.Total {
				t.Fatalf("%s: %d, %v: %.300s", options, resp.StatusCode, err, answer)
			}
			plans[i] = fmt.Sprintf("%+v", plan)
		}
		if plans[0] != plans[1] {
			t.Errorf("%s: with flags of the server\n%s, want\n%s", options, plans[1], plans[0])
		}
	}
}

func TestServeEndsWhenItIsToldToAndLetsAnswersFinish(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	_, n := served(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		close(asked)
		step := scripted.Say("slow but sure")
		step.Delay = time.Second
		return step, true
	}})
	answered := make(chan string, 1)
	go func() {
		resp, err := http.Post(n.url+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answered <- fmt.Sprint(resp.StatusCode, string(body), err)
	}()
	<-asked
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; !strings.Contains(got, "slow but sure") {
		t.Errorf("the answer under way: %s", got)
	}
	if err := n.command.Wait(); err != nil {
		t.Errorf("the proxy ended with %v", err)
	}
}

func TestServeSaysWhatIsWrongBeforeItServes(t *testing.T) {
	t.Parallel()
	busy := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(busy.Close)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an address that is taken": {[]string{"--listen", strings.TrimPrefix(busy.URL, "http://")}, "--listen HOST:PORT"},
		"no address":               {[]string{"--listen", "here"}, "HOST:PORT"},
		"an upstream that is none": {[]string{"--openai", "ftp://x"}, "https://HOST"},
		"no limit":                 {[]string{"--limit", "0"}, "--limit"},
		"a preset that is none":    {[]string{"--preset", "nosuch"}, "nosuch"},
		"a way that is none":       {[]string{"--expand", "sometimes"}, "sometimes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, stderr bytes.Buffer
			p := &process{
				args: append([]string{"serve", "--store", filepath.Join(t.TempDir(), "s.db")}, c.args...), stdin: strings.NewReader(""), stdout: &out, stderr: &stderr,
				environ: append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir()),
			}
			if status := run(p); status != 2 || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("status %d: %s", status, stderr.String())
			}
		})
	}
}
