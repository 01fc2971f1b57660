package proxy_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/transport"
)

// The signatures are those of AWS's libraries, aws-sdk-go-v2 1.47.5 and botocore 1.43.11,
// for the host localhost and the secret "secret".
func TestASignatureIsCheckedForTheHostAndPathThatTheClientUsed(t *testing.T) {
	const (
		body   = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		signed = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261116/us-east-1/bedrock/aws4_request, SignedHeaders="
		ofGo   = signed + "content-length;content-type;host;x-amz-date, Signature=456c8f7b1f76148f858953cd5d54fe571c08a7cd94176fa27691f7e5f0e1514e"
		path   = "/anthropic/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke"
	)
	for _, tt := range []struct {
		name, path, authorization, body, secret string
		header                                  []string
		again                                   bool
	}{
		{"the library for Go", path, ofGo, body, "secret", nil, true},
		{
			"the library for Python", strings.Replace(path, "%3A", ":", 1),
			signed + "accept;accept-encoding;content-length;content-type;host;x-amz-date;x-stainless-lang, Signature=40d288d5b18fe2a727a1458f4786c3e19d8a2f069f3ec48aa9883d5c552262d8",
			body, "secret",
			[]string{"Accept", "application/json", "Accept-Encoding", "gzip,  deflate", "X-Stainless-Lang", "python"},
			true,
		},
		{
			"a body whose hash is not signed", path,
			signed + "content-length;content-type;host;x-amz-content-sha256;x-amz-date, Signature=66d7c174715897de75310fe2a6e02ab4a98a1caf60e8f440818bf1f66bf75b76",
			body, "secret",
			[]string{"X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"},
			false,
		},
		{"another path", strings.TrimPrefix(path, "/anthropic"), ofGo, body, "secret", nil, false},
		{"another host", path, ofGo, body, "secret", []string{"Host", "127.0.0.1"}, false},
		{"another body", path, ofGo, strings.Replace(body, "hi", "ho", 1), "secret", nil, false},
		{"another secret", path, ofGo, body, "changed", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
			t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
			t.Setenv("AWS_SESSION_TOKEN", "")
			exchanges := make(chan transport.Exchange, 1)
			got := make(chan string, 1)
			s := managed(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				got <- r.Header.Get("Authorization")
			}), transport.Options{
				Now:     func() time.Time { return time.Date(2026, 11, 16, 12, 1, 0, 0, time.UTC) },
				Observe: func(_ context.Context, x transport.Exchange) { exchanges <- x },
			}, nil)
			s.do(t, http.MethodPost, tt.path, tt.body, append([]string{
				"Host", "localhost", "Content-Type", "application/json", "X-Amz-Date", "20261116T120000Z", "Authorization", tt.authorization,
			}, tt.header...)...)
			x, authorization := <-exchanges, <-got
			if again := authorization != tt.authorization; again != tt.again || again != (x.Warning == "") || again != (x.Model != "") {
				t.Errorf("sent with %s: %+v", authorization, x)
			}
		})
	}
}
