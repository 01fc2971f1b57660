//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
)

// hostilePage tries what a page of another site can: to read, to write, to embed and to
// listen, with the credentials that the browser has. It reports what it could read.
const hostilePage = `<!doctype html><title>hostile</title><body><script>
const at = new URLSearchParams(location.search).get("at"), body = JSON.stringify({model: "gpt-4o", messages: [{role: "user", content: "forged"}]});
const read = [];
const look = (name, how) => fetch(at + name, {credentials: "include", ...how}).then((r) => r.text().then((text) => { if (r.type !== "opaque" && r.status < 400 || text) read.push(name + " " + r.status + " " + text.slice(0, 80)); }), () => {});
const gone = (element, way, name) => new Promise((done) => { element.onload = element.onerror = done; element[way] = at + name; document.body.append(element); setTimeout(done, 5000); });
(async () => {
  const reads = ["/plimsoll/", "/plimsoll/conversations.json", "/plimsoll/v1/accounts", "/plimsoll/v1/openapi.json", "/metrics", "/v1/models"];
  const writes = ["/v1/chat/completions", "/v1/messages", "/plimsoll/v1/compact", "/plimsoll/v1/count", "/plimsoll/refs/x/y"];
  for (const mode of ["cors", "no-cors"]) {
    for (const name of reads) await look(name, {mode});
    for (const name of writes) {
      await look(name, {mode, method: "POST", body, headers: {"Content-Type": "text/plain"}});
      await look(name, {mode, method: "POST", body: new URLSearchParams({pattern: "."})});
    }
  }
  await look("/v1/chat/completions", {method: "POST", body, headers: {"Content-Type": "application/json", "X-Plimsoll-Bypass": "1"}});
  await look("/plimsoll/v1/compact", {method: "PUT", body});
  navigator.sendBeacon(at + "/v1/chat/completions", body);
  await gone(document.createElement("img"), "src", "/plimsoll/static/mark.svg");
  await gone(document.createElement("script"), "src", "/plimsoll/conversations.json");
  const frame = document.createElement("iframe");
  await gone(frame, "src", "/plimsoll/");
  try { if (frame.contentDocument?.body?.innerText) read.push("frame " + frame.contentDocument.body.innerText.slice(0, 80)); } catch {}
  await new Promise((done) => { const s = new EventSource(at + "/plimsoll/events", {withCredentials: true}); s.onmessage = s.onopen = () => { read.push("events"); done(); }; s.onerror = () => { s.close(); done(); }; });
  await new Promise((done) => { const s = new WebSocket(at.replace("http", "ws") + "/v1/responses"); s.onopen = () => { read.push("socket"); done(); }; s.onerror = s.onclose = done; });
  const form = document.createElement("form");
  form.method = "post"; form.enctype = "text/plain"; form.target = "into"; form.action = at + "/v1/chat/completions";
  form.innerHTML = "<input name='{\"model\":\"gpt-4o\",\"x\":\"' value='\",\"messages\":[]}'>";
  const into = document.createElement("iframe");
  into.name = "into";
  document.body.append(into, form);
  await new Promise((done) => { into.onload = done; form.submit(); setTimeout(done, 5000); });
  window.read = read; window.over = true;
})();
</script>`

// TestABrowserKeepsAHostilePageOut opens a hostile page in a real browser, beside a proxy with
// a dashboard, with and without a token that the browser sends by itself. The page is on
// another site, on another port of this machine, or by DNS rebinding on the proxy itself.
func TestABrowserKeepsAHostilePageOut(t *testing.T) {
	b := openBrowser(t, "--host-resolver-rules=MAP evil.example 127.0.0.1", "--disable-features=BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights,LocalNetworkAccessChecks")
	var asked atomic.Int64
	model := scripted.New(nil)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, hostilePage)
	}))
	t.Cleanup(page.Close)
	for _, token := range []string{"", "operator-token-0123456789"} {
		home := t.TempDir()
		environ := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "PLIMSOLL_ADMIN_TOKEN=" + token}
		n := startNode(t, environ, "--upstream", upstream.URL+"/v1", "--dashboard", "--store", home+"/store.db")
		host := strings.TrimPrefix(n.url, "http://")
		own := n.url + "/plimsoll/"
		if token != "" { // as a browser does after it has asked for the password
			b.order("Page.navigate", map[string]any{"url": "http://operator:" + token + "@" + host + "/plimsoll/"}, nil)
		} else {
			b.order("Page.navigate", map[string]any{"url": own}, nil)
		}
		b.until(`document.readyState === "complete" && document.getElementById("pulse")?.textContent === "live"`)

		pageHost := strings.TrimPrefix(page.URL, "http://")
		_, pagePort, _ := strings.Cut(pageHost, ":")
		_, port, _ := strings.Cut(host, ":")
		for _, from := range []string{"http://evil.example:" + pagePort, "http://localhost:" + pagePort, page.URL} {
			b.received = nil
			asked.Store(0)
			b.order("Page.navigate", map[string]any{"url": from + "/?at=" + url.QueryEscape(n.url)}, nil)
			b.until("window.over === true")
			for _, text := range value[[]string](b, "window.read") {
				t.Errorf("token %t, from %s: the page has read %s", token != "", from, text)
			}
			refused := 0
			for _, got := range b.received {
				if _, at, _ := strings.Cut(got, " "); !strings.HasPrefix(at, n.url) {
					continue
				}
				if refused++; !strings.HasPrefix(got, "403 ") && !strings.HasPrefix(got, "426 ") {
					t.Errorf("token %t, from %s: %s", token != "", from, got)
				}
			}
			if refused < 20 || asked.Load() > 0 {
				t.Errorf("token %t, from %s: %d answers of the proxy were seen, %d requests reached the upstream", token != "", from, refused, asked.Load())
			}
		}
		// Rebinding: the page's own name leads to the proxy, so for the browser it is one origin.
		b.received = nil
		b.order("Page.navigate", map[string]any{"url": "http://evil.example:" + port + "/plimsoll/"}, nil)
		b.until(`document.readyState === "complete" && location.host.startsWith("evil")`)
		for _, name := range []string{"/plimsoll/conversations.json", "/plimsoll/v1/accounts", "/metrics", "/v1/models"} {
			b.order("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(`window.got = 0; fetch(%q, {credentials: "include"}).then((r) => { window.got = r.status; }, () => { window.got = -1; })`, name)}, nil)
			b.until("window.got !== 0")
			if status := value[int](b, "window.got"); status != http.StatusForbidden {
				t.Errorf("token %t: rebinding, %s: %d", token != "", name, status)
			}
		}
		if asked.Load() > 0 {
			t.Errorf("%d requests reached the upstream", asked.Load())
		}
	}
}
