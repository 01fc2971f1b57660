package proxy_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// TestABrowserAsksForTheTokenAsAPassword holds what browsers send by themselves against
// what pages of other sites could make them send.
func TestABrowserAsksForTheTokenAsAPassword(t *testing.T) {
	t.Parallel()
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, origins := range map[string][]string{"no origins": nil, "all origins": {"*"}, "an origin": {"https://page.example"}} {
		s := start(t, says("upstream"), &proxy.Options{Control: says("pages"), AdminToken: token, Origins: origins})
		for _, c := range []struct {
			what   string
			header []string
			want   int
		}{
			{"no password", nil, 401},
			{"the token as a password", []string{"Authorization", basic("anybody:" + token)}, 200},
			{"without a name", []string{"Authorization", basic(":" + token)}, 200},
			{"the token as a name", []string{"Authorization", basic(token + ":")}, 401},
			{"another password", []string{"Authorization", basic("me:" + token + "s")}, 401},
			{"no password at all", []string{"Authorization", basic("me:")}, 401},
			{"by the page itself", []string{"Authorization", basic("me:" + token), "Sec-Fetch-Site", "same-origin"}, 200},
			{"by its address", []string{"Authorization", basic("me:" + token), "Sec-Fetch-Site", "none"}, 200},
			{"by another site", []string{"Authorization", basic("me:" + token), "Sec-Fetch-Site", "cross-site", "Origin", "https://page.example"}, 403},
			{"by an old browser, for another site", []string{"Authorization", basic("me:" + token), "Origin", "https://page.example"}, 403},
			{"by another name", []string{"Authorization", basic("me:" + token), "Host", "evil.example"}, 403},
		} {
			resp, text := s.do(t, http.MethodGet, "/plimsoll/", "", c.header...)
			if resp.StatusCode != c.want || (text == "pages") != (c.want == 200) {
				t.Errorf("%s, %s: %d %s", name, c.what, resp.StatusCode, text)
			}
			asked := strings.Join(resp.Header.Values("Www-Authenticate"), "; ")
			if c.want == 401 && (!strings.Contains(asked, "Basic ") || !strings.Contains(asked, "Bearer ")) {
				t.Errorf("%s, %s: the browser is asked %q", name, c.what, asked)
			}
		}
	}
}
