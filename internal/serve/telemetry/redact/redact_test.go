package redact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
)

// canary is a text with a secret in it. The secret itself is put together here, so
// that no key stands in the repository.
type canary struct{ name, text, secret string }

func canaries() []canary {
	body := "CaNaRy" + strings.Repeat("q7Zx", 8)
	upper := strings.ToUpper(body)[:16]
	hex := "ca9a" + strings.Repeat("0f1e", 10)
	jwt := "ey" + "JhbGciOiJIUzI1NiJ9." + body + "." + body
	pem := func(kind string) string {
		return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + body + "\n" + body + "\n-----END " + kind + "PRIVATE KEY-----"
	}
	var all []canary
	add := func(name, before, secret, after string) {
		all = append(all, canary{name, before + secret + after, secret})
	}
	for _, prefix := range []string{
		"sk-", "sk-ant-api03-", "sk-proj-", "sk-or-v1-", "sk_live_", "rk_test_", "whsec_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-",
		"AIza", "ya29.", "GOCSPX-", "xoxb-", "xapp-", "hf_", "gsk_", "xai-", "pplx-", "r8_", "nvapi-", "npm_", "pypi-", "dckr_pat_", "hvs.",
	} {
		add(prefix, "key ", prefix+body, " was refused")
	}
	for _, prefix := range []string{"AKIA", "ASIA"} {
		add(prefix, "key ", prefix+upper, " was refused")
	}
	add("age", "", "AGE-SECRET-KEY-1"+upper, "")
	add("digital ocean", "", "dop_v1_"+hex, "")
	add("a JWT", "got ", jwt, ".")
	for _, kind := range []string{"", "RSA ", "EC ", "OPENSSH "} {
		add("PEM "+kind, "read ", pem(kind), " from disk")
	}
	all = append(all, canary{"PEM cut off", "read -----BEGIN PRIVATE KEY-----\n" + body, body})
	add("bearer", "Authorization: Bearer ", body, "\n")
	add("bearer alone", "sent bearer ", body, ", refused")
	add("basic", "Authorization: Basic ", body+"==", "")
	add("x-api-key", "x-api-key: ", body, "")
	add("JSON", `{"api_key":"`, body, `"}`)
	add("escaped JSON", `{\"client_secret\":\"`, body, `\"}`)
	add("cookie", "Cookie: session=", body, "; theme=dark")
	add("?key=", `Post "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent?alt=sse&key=`, body, `": EOF`)
	add("access_token", "GET /v1?access_token=", body, "&x=1")
	add("signature", "https://bucket.example/o?X-Amz-Signature=", hex, "")
	add("userinfo", "open postgres://plimsoll:", body, "@db:5432/plimsoll?sslmode=require")
	add("userinfo with an at sign", "open postgres://plimsoll:p@ss", body, "@db/plimsoll")
	add("userinfo without a password", "dial https://", body, "@example.org/path")
	add("environment", "OPENAI_API_KEY=", body, " HOME=/root")
	add("password", "password=", body, " host=db")
	return all
}

func TestFiftyCanariesAreFoundNowhere(t *testing.T) {
	t.Parallel()
	all := canaries()
	if len(all) < 50 {
		t.Fatalf("only %d canaries", len(all))
	}
	for _, c := range all {
		for _, form := range []string{"text", "json"} {
			var out bytes.Buffer
			var next slog.Handler = slog.NewTextHandler(&out, nil)
			if form == "json" {
				next = slog.NewJSONHandler(&out, nil)
			}
			log := slog.New(redact.NewHandler(next))
			logEverywhere(log, c.text)
			for _, written := range []string{out.String(), strings.ReplaceAll(out.String(), `\`, "")} {
				if strings.Contains(written, c.secret) || strings.Contains(written, inner(c.secret)) {
					t.Errorf("%s as %s: %s", c.name, form, written)
				}
			}
			if got := strings.Count(out.String(), "still here"); got != 9 {
				t.Errorf("%s as %s: %d of 9 lines were written:\n%s", c.name, form, got, &out)
			}
		}
	}
}

// inner is a part of a secret that nothing else holds.
func inner(secret string) string {
	if at := strings.Index(secret, "CaNaRy"); at >= 0 {
		return "CaNaRy"
	}
	return secret[len(secret)/2:]
}

// logEverywhere logs a text in all the ways that there are.
func logEverywhere(log *slog.Logger, text string) {
	type nested struct{ Inner *struct{ Text string } }
	log.Info("still here " + text)
	log.Info("still here", "error", fmt.Errorf("send: %w", errors.New(text)))
	log.Info("still here", slog.Group("request", "header", text, slog.Group("deep", "text", text)))
	log.Info("still here", "value", map[string]any{"text": []string{text}})
	log.Info("still here", "struct", nested{&struct{ Text string }{text}})
	log.Info("still here", "bytes", []byte(text), "lazy", valuer(text))
	log.With("with", text).WithGroup("group").Info("still here", "x", 1)
	log.Info("still here", "token", text, "X-Api-Key", text)
	log.LogAttrs(context.Background(), slog.LevelError, "still here", slog.Any(text, text))
}

type valuer string

func (v valuer) LogValue() slog.Value { return slog.StringValue(string(v)) }

func TestHeadersCanBeLogged(t *testing.T) {
	t.Parallel()
	const key = "canary-0123456789"
	h := http.Header{"Authorization": {"Bearer " + key}, "X-Api-Key": {key}, "X-Goog-Api-Key": {key}, "Cookie": {"a=" + key + "; b=c"}, "User-Agent": {"agent/1"}}
	var out bytes.Buffer
	log := slog.New(redact.NewHandler(slog.NewJSONHandler(&out, nil)))
	log.Info("request", "header", h)
	log.Info(fmt.Sprintf("request %v", h))
	if text := out.String(); strings.Contains(text, key) || strings.Count(text, "agent/1") != 2 {
		t.Error(text)
	}
}

func TestWhatIsNoSecretStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"serving http://127.0.0.1:7171", "endpoint=chat model=claude-sonnet-4-5 status=200 decision=cut load=12000 saved=900",
		"tokens: 128000, tokens=5, max_tokens: 4096, token_count=12345", "ref=abcdefghijklmnopqrstuvwxyz", "task-force-of-the-disk-controller",
		"sha256:" + strings.Repeat("0123456789abcdef", 4), "mail anna@example.org", "https://example.org/a@b?x=1&monkey=2",
		"the key of the map is missing", "gpt-4o-2024-08-06", "a basic understanding of authorization", "risk-assessment-2026-final", "eyJ",
		"00000000-0000-4000-8000-000000000000", `{"prompt_tokens":12,"completion_tokens":5}`, "",
	} {
		if got := redact.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestValuesThatHoldNoSecretKeepTheirType(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(redact.NewHandler(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	log.Info("m", "n", 5, "on", true, "list", []string{"a"}, "nil", nil, "url", &url.URL{Scheme: "http", Host: "h", User: url.UserPassword("u", "p")})
	want := `{"level":"INFO","msg":"m","n":5,"on":true,"list":["a"],"nil":null,"url":"http://REDACTED@h"}` + "\n"
	if out.String() != want {
		t.Errorf("%s", &out)
	}
	if log.Enabled(t.Context(), slog.LevelDebug) {
		t.Error("debug is on")
	}
	if !json.Valid(out.Bytes()) {
		t.Error("no JSON")
	}
}

func TestASecretIsFoundBetweenAnything(t *testing.T) {
	t.Parallel()
	all := canaries()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(all).Draw(t, "canary")
		text := rapid.String().Draw(t, "before") + " " + c.text + " " + rapid.String().Draw(t, "after")
		if got := redact.Text(text); strings.Contains(got, inner(c.secret)) {
			t.Errorf("%s: %q", c.name, got)
		}
	})
}

func FuzzTextSettles(f *testing.F) {
	for _, c := range canaries() {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := redact.Text(text)
		if twice := redact.Text(once); twice != once {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		redact.Text("endpoint=chat model=claude-sonnet-4-5 status=200 decision=cut load=12000 saved=900")
	}
}
