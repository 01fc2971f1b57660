package proxy_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

const token = "an-admin-token"

// says answers with a word.
func says(word string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, word) })
}

func TestWhatIsTheOperatorsIsForTheOperator(t *testing.T) {
	t.Parallel()
	open := start(t, says("upstream"), &proxy.Options{Control: says("control"), Metrics: says("metrics"), Hosts: []string{"proxy.example"}})
	locked := start(t, says("upstream"), &proxy.Options{Control: says("control"), Metrics: says("metrics"), AdminToken: token, Hosts: []string{"proxy.example"}})
	for _, c := range []struct {
		what   string
		s      *running
		path   string
		header []string
		want   int
	}{
		{"from this machine", open, "/metrics", nil, 200},
		{"from this machine", open, "/plimsoll/v1/count", nil, 200},
		{"by the name localhost", open, "/metrics", []string{"Host", "localhost:7171"}, 200},
		{"by a name below localhost", open, "/metrics", []string{"Host", "plimsoll.localhost"}, 200},
		{"by another loopback address", open, "/metrics", []string{"Host", "[::1]:80"}, 200},
		{"by a name that resolves to this machine", open, "/metrics", []string{"Host", "evil.example"}, 403},
		{"by the address that means all", open, "/metrics", []string{"Host", "0.0.0.0"}, 403},
		{"by a name that contains localhost", open, "/metrics", []string{"Host", "localhost.evil.example"}, 403},
		{"by a name that is configured, without a token", open, "/metrics", []string{"Host", "proxy.example"}, 403},
		{"passed on by another server", open, "/metrics", []string{"X-Forwarded-For", "10.1.1.1"}, 403},
		{"from a page of another site", open, "/plimsoll/v1/undo", []string{"Origin", "https://evil.example"}, 403},
		{"from a page without an origin", open, "/plimsoll/v1/undo", []string{"Origin", "null"}, 403},
		{"by a picture in a page", open, "/plimsoll/v1/undo", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"from a page of a neighbour", open, "/plimsoll/v1/undo", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"by its own page", open, "/plimsoll/v1/undo", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"under an escaped name", open, "/%70limsoll/v1/undo", []string{"Host", "evil.example"}, 403},
		{"without the token", locked, "/metrics", nil, 401},
		{"with a wrong token", locked, "/metrics", []string{"Authorization", "Bearer an-admin-tokem"}, 401},
		{"with a part of the token", locked, "/metrics", []string{"Authorization", "Bearer an-admin"}, 401},
		{"with the token as a password", locked, "/metrics", []string{"Authorization", "Basic " + token}, 401},
		{"with the token", locked, "/metrics", []string{"Authorization", "bearer " + token}, 200},
		{"with the token, by a name that is configured", locked, "/metrics", []string{"Authorization", "Bearer " + token, "Host", "PROXY.example:80"}, 200},
		{"with the token, by another name", locked, "/metrics", []string{"Authorization", "Bearer " + token, "Host", "evil.example"}, 403},
		{"for health, by any name", locked, "/healthz", []string{"Host", "10.2.3.4", "Origin", "https://evil.example"}, 200},
		{"for readiness, by any name", locked, "/readyz", []string{"Host", "pod-1"}, 200},
		{"for what is not there", open, "/plimsoll", nil, 404},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if method == http.MethodPost && strings.HasSuffix(c.path, "z") {
				continue
			}
			if resp, text := c.s.do(t, method, c.path, "", c.header...); resp.StatusCode != c.want || text == "upstream" {
				t.Errorf("%s %s %s: %d %s", method, c.path, c.what, resp.StatusCode, text)
			}
		}
	}
}

func TestPagesOfOtherSitesCannotUseTheProxy(t *testing.T) {
	t.Parallel()
	s := start(t, says("upstream"), &proxy.Options{AdminToken: token, Origins: []string{"https://chat.example"}, Hosts: []string{"proxy.example"}})
	for _, c := range []struct {
		what   string
		header []string
		want   int
	}{
		{"from a program", nil, 200},
		{"from a container", []string{"Host", "host.docker.internal:7171"}, 200},
		{"by a name that is configured", []string{"Host", "proxy.example"}, 200},
		{"by a name that resolves to this machine", []string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{"from a page of another site", []string{"Origin", "https://evil.example"}, 403},
		{"from a page that is allowed", []string{"Origin", "https://chat.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"by a form", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"by Node's fetch", []string{"Sec-Fetch-Mode", "cors"}, 200},
		{"with our own token", []string{"Authorization", "Bearer " + token}, 401},
		{"with our own token as key", []string{"X-Api-Key", token}, 401},
		{"with a key", []string{"X-Api-Key", "sk-1"}, 200},
	} {
		if resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}", c.header...); resp.StatusCode != c.want {
			t.Errorf("%s: %d %s", c.what, resp.StatusCode, text)
		}
	}
}

func TestTheAdminTokenGoesToNoUpstream(t *testing.T) {
	t.Parallel()
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	s := start(t, says("upstream"), &proxy.Options{AdminToken: token})
	for _, c := range []struct {
		what, query string
		header      []string
		want        int
	}{
		{"as a bearer token", "", []string{"Authorization", "Bearer " + token}, 401},
		{"without a scheme", "", []string{"Authorization", token}, 401},
		{"as a password", "", []string{"Authorization", basic("me:" + token)}, 401},
		{"as a user", "", []string{"Authorization", basic(token + ":")}, 401},
		{"behind another value of the same header", "", []string{"Authorization", "Bearer sk-1", "Authorization", "Bearer " + token}, 401},
		{"behind another key of the same header", "", []string{"X-Api-Key", "sk-1", "X-Api-Key", token}, 401},
		{"in a line with another one", "", []string{"Authorization", "Bearer sk-1, Bearer " + token}, 401},
		{"as Google's key", "", []string{"X-Goog-Api-Key", token}, 401},
		{"as Azure's key", "", []string{"Api-Key", token}, 401},
		{"in a header of a gateway", "", []string{"Cf-Aig-Authorization", "bearer  " + token}, 401},
		{"in a cookie", "", []string{"Cookie", "a=b; session=" + token + "; c=d"}, 401},
		{"in a cookie with quotes", "", []string{"Cookie", `a=b;session="` + token + `"`}, 401},
		{"in a second line of cookies", "", []string{"Cookie", "a=b", "Cookie", "session=" + token}, 401},
		{"in the query", "?alt=x&key=" + token, nil, 401},
		{"in the query, as a second key", "?key=sk-1&key=" + token, nil, 401},
		{"in the query, as a token", "?access_token=" + token, nil, 401},
		{"in the query, escaped", "?key=an%2Dadmin-token", nil, 401},
		{"in the query, behind a semicolon", "?a;key=" + token, nil, 401},
		{"in the query, beside what is wrong", "?a=%zz&key=" + token, nil, 401},
		{"a part of it", "?key=an-admin", []string{"Authorization", "Bearer an-admin", "Cookie", "a=admin-token"}, 200},
		{"more than it", "?key=" + token + "s", []string{"Authorization", "Bearer x" + token}, 200},
		{"other keys", "?key=AIza", []string{"Authorization", "Bearer sk-1", "X-Api-Key", "sk-2", "Cookie", "a=b", "Authorization", "Basic !"}, 200},
	} {
		resp, text := s.do(t, http.MethodPost, "/v1/messages"+c.query, "{}", c.header...)
		if resp.StatusCode != c.want || (text == "upstream") != (c.want == 200) {
			t.Errorf("%s: %d %s", c.what, resp.StatusCode, text)
		}
	}
}

func TestTheAdminSideHasNothingOfTheUpstream(t *testing.T) {
	t.Parallel()
	s := start(t, says("upstream"), &proxy.Options{Metrics: says("metrics"), Ready: func(context.Context) error { return errors.New("the store at /secret is away") }})
	admin := httptest.NewServer(s.Admin())
	defer admin.Close()
	for path, want := range map[string]int{"/metrics": 200, "/healthz": 200, "/readyz": 503, "/v1/models": 404, "/plimsoll/v1/count": 404} {
		resp, err := http.Get(admin.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want || strings.Contains(string(text), "secret") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
}
