package proxy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestThePathChoosesTheUpstream(t *testing.T) {
	t.Parallel()
	u := Upstreams{OpenAI: parsed(t, "http://o"), Anthropic: parsed(t, "http://a"), Gemini: parsed(t, "http://g")}
	for _, c := range []struct {
		request string
		header  string
		want    string
		dialect plimsoll.Dialect
		managed bool
	}{
		{"POST /v1/chat/completions", "", "http://o/v1/chat/completions", plimsoll.OpenAI, true},
		{"POST /chat/completions", "", "http://o/chat/completions", plimsoll.OpenAI, true},
		{"POST /v1/responses", "", "http://o/v1/responses", plimsoll.Responses, true},
		{"POST /v1/responses/compact", "", "http://o/v1/responses/compact", plimsoll.Responses, true},
		{"GET /v1/responses/resp_1", "", "http://o/v1/responses/resp_1", plimsoll.OpenAI, false},
		{"POST /v1/messages?beta=true", "", "http://a/v1/messages", plimsoll.Anthropic, true},
		{"POST /v1/messages/count_tokens?beta=true", "", "http://a/v1/messages/count_tokens", plimsoll.Anthropic, true},
		{"POST /v1/messages/batches", "", "http://a/v1/messages/batches", plimsoll.Anthropic, false},
		{"POST /v1/complete", "", "http://a/v1/complete", plimsoll.Anthropic, false},
		{"GET /v1/models", "", "http://o/v1/models", plimsoll.OpenAI, false},
		{"GET /v1/models", "Anthropic-Version", "http://a/v1/models", plimsoll.Anthropic, false},
		{"GET /v1/models", "X-Goog-Api-Key", "http://g/v1/models", plimsoll.Gemini, false},
		{"POST /v1/chat/completions", "Anthropic-Version", "http://o/v1/chat/completions", plimsoll.OpenAI, true},
		{"POST /v1beta/models/gemini-3:generateContent", "", "http://g/v1beta/models/gemini-3:generateContent", plimsoll.Gemini, true},
		{"POST /v1/models/gemini-3:streamGenerateContent?alt=sse", "", "http://g/v1/models/gemini-3:streamGenerateContent", plimsoll.Gemini, true},
		{"POST /v1/models/gemini-3:countTokens", "", "http://g/v1/models/gemini-3:countTokens", plimsoll.Gemini, true},
		{"POST /v1/models/text-embedding:embedContent", "", "http://g/v1/models/text-embedding:embedContent", plimsoll.Gemini, false},
		{"POST /upload/v1beta/files", "", "http://g/upload/v1beta/files", plimsoll.Gemini, false},
		{"POST /v1beta/openai/chat/completions", "", "http://g/v1beta/openai/chat/completions", plimsoll.OpenAI, true},
		{"GET /v1beta/models", "", "http://g/v1beta/models", plimsoll.Gemini, false},
		{"POST /api/chat", "", "http://o/api/chat", plimsoll.Ollama, true},
		{"POST /ollama/api/chat", "", "http://o/ollama/api/chat", plimsoll.Ollama, true},
		{"POST /api/generate", "", "http://o/api/generate", plimsoll.Ollama, false},
		{"GET /api/tags", "", "http://o/api/tags", plimsoll.Ollama, false},
		{"GET /api/v1/models", "", "http://o/api/v1/models", plimsoll.OpenAI, false},
		{"POST /v1/embeddings", "", "http://o/v1/embeddings", plimsoll.OpenAI, false},
		{"DELETE /v1/files/file-1", "", "http://o/v1/files/file-1", plimsoll.OpenAI, false},
		{"POST /v1/threads/t/messages", "", "http://o/v1/threads/t/messages", plimsoll.OpenAI, false},
		{"GET /v1/chat/completions", "", "http://o/v1/chat/completions", plimsoll.OpenAI, false},
		{"POST /anthropic/v1/messages", "", "http://a/v1/messages", plimsoll.Anthropic, true},
		{"POST /openai/v1/messages", "", "http://o/v1/messages", plimsoll.Anthropic, true},
		{"GET /anthropic/v1/models", "", "http://a/v1/models", plimsoll.Anthropic, false},
		{"POST /google/v1beta/models/m:generateContent", "", "http://g/v1beta/models/m:generateContent", plimsoll.Gemini, true},
		{"POST /gemini/v1beta/models/m:generateContent", "", "http://g/v1beta/models/m:generateContent", plimsoll.Gemini, true},
		{"GET /openai", "", "http://o/", plimsoll.OpenAI, false},
		{"GET /openaix/v1", "", "http://o/openaix/v1", plimsoll.OpenAI, false},
		{"GET /%6fpenai/v1/models", "", "http://o/%6fpenai/v1/models", plimsoll.OpenAI, false},
		{"GET /v1/files/a%2Fb%20c", "", "http://o/v1/files/a%2Fb%20c", plimsoll.OpenAI, false},
		{"GET /", "", "http://o/", plimsoll.OpenAI, false},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequest(method, path, http.NoBody)
		if c.header != "" {
			r.Header.Set(c.header, "x")
		}
		got := u.route(r)
		if to := got.join().String(); to != c.want || got.dialect != c.dialect || got.managed != c.managed {
			t.Errorf("%s %s: %s, %s, managed %v", c.request, c.header, to, got.dialect, got.managed)
		}
	}
}

func TestAVersionIsWrittenOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ upstream, path, want string }{
		{"http://127.0.0.1:11434/v1", "/v1/chat/completions", "http://127.0.0.1:11434/v1/chat/completions"},
		{"http://127.0.0.1:11434/v1/", "/v1/chat/completions", "http://127.0.0.1:11434/v1/chat/completions"},
		{"http://127.0.0.1:11434", "/v1/chat/completions", "http://127.0.0.1:11434/v1/chat/completions"},
		{"https://host/api/v1", "/v1/x", "https://host/api/v1/x"},
		{"https://host/api/v1", "/chat/completions", "https://host/api/v1/chat/completions"},
		{"https://host/api/paas/v4", "/v1/chat/completions", "https://host/api/paas/v4/chat/completions"},
		{"https://host/v1beta/openai/", "/v1/chat/completions", "https://host/v1beta/openai/chat/completions"},
		{"https://host/v1/account/gateway/openai", "/v1/chat/completions", "https://host/v1/account/gateway/openai/chat/completions"},
		{"https://host/v1/account/gateway/anthropic", "/v1/messages", "https://host/v1/account/gateway/anthropic/v1/messages"},
		{"http://host/v1", "/v1beta/models/m:generateContent", "http://host/v1beta/models/m:generateContent"},
		{"http://host/v1beta", "/v1/models/m:generateContent", "http://host/v1beta/models/m:generateContent"},
		{"http://host/v1", "/v1/messages", "http://host/v1/messages"},
		{"http://host/v1", "/api/chat", "http://host/api/chat"},
		{"http://host/team/v1/", "/api/tags", "http://host/team/api/tags"},
		{"http://host", "/api/chat", "http://host/api/chat"},
		{"http://host/very", "/v1/models", "http://host/very/v1/models"},
		{"http://host/a%2Fb", "/v1/models", "http://host/a%2Fb/v1/models"},
		{"http://host/v1", "/v1", "http://host/v1/"},
	} {
		at := parsed(t, c.upstream)
		u := Upstreams{OpenAI: at, Anthropic: at, Gemini: at}
		got := u.route(httptest.NewRequest(http.MethodPost, c.path, http.NoBody))
		if to := got.join().String(); to != c.want {
			t.Errorf("%s + %s: %s, want %s", c.upstream, c.path, to, c.want)
		}
	}
}

func TestAzureKeepsItsPaths(t *testing.T) {
	t.Parallel()
	const azure, foundry = "https://res.openai.azure.com", "https://res.services.ai.azure.com"
	for _, c := range []struct{ upstream, path, want string }{
		{azure, "/openai/deployments/gpt4/chat/completions", azure + "/openai/deployments/gpt4/chat/completions"},
		{azure + "/", "/openai/deployments/gpt4/chat/completions", azure + "/openai/deployments/gpt4/chat/completions"},
		{azure + "/openai", "/openai/deployments/gpt4/chat/completions", azure + "/openai/deployments/gpt4/chat/completions"},
		{azure + "/openai/v1", "/openai/deployments/gpt4/chat/completions", azure + "/openai/deployments/gpt4/chat/completions"},
		{azure, "/openai/v1/responses", azure + "/openai/v1/responses"},
		{azure + "/openai", "/openai/v1/responses", azure + "/openai/v1/responses"},
		{azure + "/openai/v1/", "/openai/v1/chat/completions", azure + "/openai/v1/chat/completions"},
		{azure + "/openai/v1", "/v1/chat/completions", azure + "/openai/v1/chat/completions"},
		{azure + "/openai/v1", "/chat/completions", azure + "/openai/v1/chat/completions"},
		{azure, "/openai/responses", azure + "/openai/responses"},
		{azure, "/openai/models", azure + "/openai/models"},
		{azure, "/openai/deployments/a%2Fb/chat/completions", azure + "/openai/deployments/a%2Fb/chat/completions"},
		{azure + "/openai/deployments/one", "/openai/deployments/two/chat/completions", azure + "/openai/deployments/one/deployments/two/chat/completions"},
		{"https://RES.OpenAI.Azure.com:443", "/openai/v1/responses", "https://RES.OpenAI.Azure.com:443/openai/v1/responses"},
		{"https://res.cognitiveservices.azure.com", "/openai/v1/responses", "https://res.cognitiveservices.azure.com/openai/v1/responses"},
		{foundry, "/anthropic/v1/messages", foundry + "/anthropic/v1/messages"},
		{foundry + "/anthropic", "/anthropic/v1/messages", foundry + "/anthropic/v1/messages"},
		{foundry + "/anthropic", "/v1/messages", foundry + "/anthropic/v1/messages"},
		{foundry, "/gemini/v1beta/models/m:generateContent", foundry + "/v1beta/models/m:generateContent"},
		// Gateways in front of Azure have names of their own.
		{"https://gateway.example/team", "/openai/deployments/gpt4/chat/completions", "https://gateway.example/team/openai/deployments/gpt4/chat/completions"},
		{"https://gateway.example/team/openai", "/openai/deployments/gpt4/chat/completions", "https://gateway.example/team/openai/deployments/gpt4/chat/completions"},
		// Elsewhere the prefix is ours, on Azure's machines too.
		{"https://vm.westeurope.cloudapp.azure.com", "/openai/v1/responses", "https://vm.westeurope.cloudapp.azure.com/v1/responses"},
		{"https://openai.azure.com.evil.example", "/openai/v1/responses", "https://openai.azure.com.evil.example/v1/responses"},
		{"https://api.openai.com/v1", "/openai/v1/responses", "https://api.openai.com/v1/responses"},
		{"https://host", "/openai/deploymentsx/m", "https://host/deploymentsx/m"},
		{"https://host", "/anthropic/deployments/m", "https://host/deployments/m"},
	} {
		at := parsed(t, c.upstream)
		u := Upstreams{OpenAI: at, Anthropic: at, Gemini: at}
		got := u.route(httptest.NewRequest(http.MethodPost, c.path+"?api-version=2024-10-21", http.NoBody))
		if to := got.join().String(); to != c.want {
			t.Errorf("%s + %s: %s, want %s", c.upstream, c.path, to, c.want)
		}
		if strings.HasSuffix(c.path, "/chat/completions") && !got.managed {
			t.Errorf("%s + %s is not managed", c.upstream, c.path)
		}
	}
}

// FuzzRoute: whatever the path, the request stays with an upstream of the operator's,
// and below its path.
func FuzzRoute(f *testing.F) {
	for _, path := range []string{"/v1/messages", "/openai/v1/x", "//evil/v1", "/v1/%2e%2e/x", "/@evil:80/", "/\\evil", "/openai/deployments/m/chat/completions"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		u, err := url.ParseRequestURI("/" + path)
		if err != nil {
			return
		}
		for _, address := range []string{"http://up.example:81/base", "https://res.openai.azure.com/base"} {
			base := parsed(t, address)
			ups := Upstreams{OpenAI: base, Anthropic: base, Gemini: base}
			got := ups.route(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
			to, err := url.Parse(got.join().String())
			if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || !below(to.Path, "/base") {
				t.Fatalf("%q goes to %v (%v)", path, to, err)
			}
		}
	})
}

// The server guesses a type if the body comes with the header, which is a matter of
// microseconds.
func TestNoTypeIsGuessed(t *testing.T) {
	t.Parallel()
	s, err := New(&Options{Transport: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p := &deadlineWriter{w, &s.options}
		p.WriteHeader(http.StatusOK)
		_, _ = p.Write([]byte("<html>"))
	}))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Values("Content-Type"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func parsed(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
