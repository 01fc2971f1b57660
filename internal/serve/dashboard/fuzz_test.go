package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
)

// FuzzPages asks for pages by any path and query. Whatever they are, the answer is a page
// or says what is wrong with the question, and nothing of the question becomes markup.
func FuzzPages(f *testing.F) {
	r := newRig(f, rigOptions{window: window})
	r.talk(8, nil)
	v := r.seen(8)
	f.Add("conversations", "q=claude&sort=load", false)
	f.Add("conversations/"+v.Focus.ID+"/3", "", true)
	f.Add("conversations/"+v.Focus.ID+"/-1", "", false)
	f.Add("refs", "q=read&tenant="+v.Focus.Tenant, true)
	f.Add("refs/"+v.Focus.Tenant+"/x", "from=9", false)
	for _, e := range v.Cuts {
		if e.Ref != nil {
			f.Add("refs/"+v.Focus.Tenant+"/"+e.Ref.ID, "from=99999999999999999999", false)
			f.Add("refs/"+v.Focus.Tenant+"/"+e.Ref.ID, "from=-5", true)
		}
	}
	f.Add("../../etc/passwd", "%zz", false)
	f.Add("static/../web.go", "", false)
	f.Add("conversations", `q="><script>alert(1)</script>`, false)
	f.Fuzz(func(t *testing.T, path, query string, asJSON bool) {
		if strings.HasPrefix(path, "events") {
			return // it does not end
		}
		q := &http.Request{
			Method: http.MethodGet, URL: &url.URL{Path: dashboard.Root + path, RawQuery: query}, Header: http.Header{}, Host: "localhost",
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
		}
		if asJSON {
			q.Header.Set("Accept", "application/json")
		}
		w := httptest.NewRecorder()
		r.pages.ServeHTTP(w, q.WithContext(t.Context()))
		if w.Code >= 500 {
			t.Errorf("%q?%q: %d %s", path, query, w.Code, w.Body)
		}
		if kind := w.Header().Get("Content-Type"); strings.HasPrefix(kind, "text/html") && strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%q?%q: markup of the question is in the answer", path, query)
		}
	})
}
