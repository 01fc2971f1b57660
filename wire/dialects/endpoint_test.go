package dialects

import (
	"net/url"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestAddressesAreCompleted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect    plimsoll.Dialect
		base, want string
	}{
		{plimsoll.OpenAI, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"},
		{plimsoll.OpenAI, "http://localhost:11434", "http://localhost:11434/v1/chat/completions"},
		{plimsoll.OpenAI, "http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"},
		{plimsoll.OpenAI, "https://host/api/v4/chat/completions?v=1", "https://host/api/v4/chat/completions?v=1"},
		{plimsoll.Responses, "https://api.openai.com/v1", "https://api.openai.com/v1/responses"},
		{plimsoll.Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"},
		{plimsoll.Anthropic, "https://host/anthropic", "https://host/anthropic/v1/messages"},
		{plimsoll.Anthropic, "https://host/v1", "https://host/v1/messages"},
		{plimsoll.Anthropic, "https://host/v1/messages", "https://host/v1/messages"},
		{plimsoll.Ollama, "http://localhost:11434", "http://localhost:11434/api/chat"},
		{plimsoll.Ollama, "http://localhost:11434/", "http://localhost:11434/api/chat"},
		{plimsoll.Ollama, "https://host/ollama", "https://host/ollama/api/chat"},
		{plimsoll.Ollama, "https://host/ollama/api/chat", "https://host/ollama/api/chat"},
		{plimsoll.Converse, "https://bedrock-runtime.us-east-1.amazonaws.com", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"},
		{plimsoll.Gemini, "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"},
		{plimsoll.Gemini, "http://localhost:1", "http://localhost:1/v1beta/models/m:generateContent"},
		{plimsoll.Gemini, "http://localhost:1/v1", "http://localhost:1/v1/models/m:generateContent"},
		{plimsoll.Gemini, "http://localhost:1/google", "http://localhost:1/google/v1beta/models/m:generateContent"},
		{plimsoll.Gemini, "http://localhost:1/v1beta/models/m:generateContent", "http://localhost:1/v1beta/models/m:generateContent"},
	} {
		base, err := url.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		if got := Endpoint(tt.dialect, base, "m", false).String(); got != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.dialect, tt.base, got, tt.want)
		}
	}
	base := &url.URL{Scheme: "http", Host: "localhost:1", Path: "/a b"}
	if got, want := Endpoint(plimsoll.Gemini, base, "models/x/y?", true).String(), "http://localhost:1/a%20b/v1beta/models/x%2Fy%3F:streamGenerateContent?alt=sse"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
