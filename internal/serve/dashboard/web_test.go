package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestF07_R01_EveryPageSaysWhatAnEstimateMeans: that it is inexact, and that API errors may
// occur.
func TestF07_R01_EveryPageSaysWhatAnEstimateMeans(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	for _, page := range []string{"", "conversations", "models"} {
		status, _, text := r.get(page)
		if status != 200 || !strings.Contains(text, "loads with ≈ are estimates: they may be off, and API errors may occur") {
			t.Errorf("%s: status %d, %.300s", page, status, text)
		}
	}
}

// TestAnOperatorFindsOutWhyAMessageVanished goes the way of an operator: from the first
// page to the conversation, to the cut, to what was there.
func TestAnOperatorFindsOutWhyAMessageVanished(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(12, nil)
	first := r.seen(12)
	if first.Totals.Cuts == 0 || first.Totals.Refs == 0 || first.Totals.Overflows == 0 || first.Account.Saved == 0 || first.Focus == nil || len(first.Cuts) == 0 {
		t.Fatalf("the first page shows no cuts, references, overflows or savings: %+v", first)
	}
	if first.Focus.Limit == 0 || first.Focus.Sent > first.Focus.Limit || first.Totals.Sent >= first.Totals.Uncut {
		t.Errorf("loads are not under the line: %+v, %+v", first.Focus, first.Totals)
	}
	one := facts[struct{ Edits []edit }](r, "conversations/"+first.Focus.ID)
	var gone edit
	for _, e := range one.Edits {
		if e.Kind == "replace" && strings.Contains(e.About, "file0.go") {
			gone = e
		}
	}
	if gone.Ref == nil || gone.Rung == "" || gone.Reason == "" || gone.Saved <= 0 || gone.Role == "" || gone.Message != 2 || gone.About != "read_file file0.go" {
		t.Fatalf("why the output of file0.go vanished is not told: %+v of %+v", gone, one.Edits)
	}
	if !strings.Contains(gone.Instead, gone.Ref.ID) {
		t.Errorf("what the model got instead is %q, without the reference", gone.Instead)
	}
	at := facts[struct {
		Decision string
		Edits    []edit
	}](r, fmt.Sprintf("conversations/%s/%d", first.Focus.ID, gone.Request))
	if at.Decision != "cut" && at.Decision != "compact" || len(at.Edits) == 0 {
		t.Errorf("the request in which it was cut says %+v", at)
	}
	was := facts[struct {
		Lines []struct {
			N    int
			Text string
		}
		Key string `json:"conversation"`
	}](r, "refs/"+first.Focus.Tenant+"/"+gone.Ref.ID)
	var text []string
	for _, l := range was.Lines {
		text = append(text, l.Text)
	}
	if got := strings.Join(text, "\n"); got != output(0) || was.Key != first.Focus.ID {
		t.Errorf("behind the reference of conversation %s stands\n%q\nwant\n%q", was.Key, got, output(0))
	}
}

func TestContentIsSearchedByFormsAndNotByAddresses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(10, nil)
	v := r.seen(10)
	path := ""
	for _, e := range v.Cuts {
		if e.Ref != nil {
			path = "refs/" + v.Focus.Tenant + "/" + e.Ref.ID
		}
	}
	for _, c := range []struct {
		what string
		form url.Values
		want int
		says string
	}{
		{"a text that is on many lines", url.Values{"pattern": {"all is well"}}, 100, "More matches from line"},
		{"the next of them", url.Values{"pattern": {"all is well"}, "from": {"103"}}, 20, ""},
		{"a text that is on one line", url.Values{"pattern": {"line 77 of"}}, 1, "line 77 of round"},
		{"a regular expression", url.Values{"pattern": {`^line \d of`}, "regex": {"1"}}, 10, ""},
		{"any case", url.Values{"pattern": {"LINE 77 OF"}, "ignore_case": {"1"}}, 1, ""},
		{"markup", url.Values{"pattern": {"<script>"}}, 1, "&lt;script&gt;"},
		{"what is not there", url.Values{"pattern": {"<i>nowhere"}}, 0, "No line matches"},
	} {
		status, _, body := r.send(http.MethodPost, path, c.form.Encode())
		lines := strings.Count(body, `?from=`)
		if status != http.StatusOK || lines != c.want || !strings.Contains(body, c.says) || strings.Contains(body, c.form.Get("pattern")+`"`) && strings.Contains(c.form.Get("pattern"), "<") {
			t.Errorf("%s: %d with %d lines, want %d and %q in\n%s", c.what, status, lines, c.want, c.says, body)
		}
	}
	if status, _, _ := r.send(http.MethodPost, path, url.Values{"pattern": {"("}, "regex": {"1"}}.Encode()); status != http.StatusBadRequest {
		t.Errorf("a broken pattern: %d", status)
	}
	if status, _, _ := r.send(http.MethodPost, path, "pattern="+strings.Repeat("x", 1<<16)); status != http.StatusBadRequest {
		t.Errorf("a pattern that is too long: %d", status)
	}
}

// pages are one of each kind, for a rig with cuts.
func pagesOf(r *rig, v overview) []string {
	all := []string{"", "conversations", "conversations?q=claude&sort=load", "refs", "refs?q=read", "models", "health", "nowhere"}
	all = append(all, "conversations/"+v.Focus.ID)
	for _, e := range v.Cuts {
		all = append(all, fmt.Sprintf("conversations/%s/%d", v.Focus.ID, e.Request))
		if e.Ref != nil {
			all = append(all, "refs/"+v.Focus.Tenant+"/"+e.Ref.ID, "refs/"+v.Focus.Tenant+"/"+e.Ref.ID+"?from=50")
		}
	}
	return all
}

func TestContentIsShownAsTextWhateverItLooksLike(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(10, http.Header{"X-Plimsoll-Conversation": {"<script>alert('name')</script>"}})
	markup := false
	for _, path := range pagesOf(r, r.seen(10)) {
		_, header, body := r.get(path)
		if header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s is %s", path, header.Get("Content-Type"))
		}
		for _, bad := range []string{"<script>alert", "</pre><img", "<b>now", "\x1b", "\u202e", "<img"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q in it", path, bad)
			}
		}
		markup = markup || strings.Contains(body, "&lt;script&gt;alert(&#39;owned&#39;)&lt;/script&gt; ␛[2J␛[31mred ⟨U&#43;202E⟩gnp.exe")
	}
	if !markup {
		t.Error("the content is on no page")
	}
}

// TestPagesRunNothingButOurs looks for whatever a strict policy would stop.
func TestPagesRunNothingButOurs(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(10, nil)
	inline := regexp.MustCompile(`(?i)<[^>]*\s(style|on[a-z]+)\s*=|<style|<script>|javascript:|(src|href|action)="(https?:)?//`)
	for _, path := range append(pagesOf(r, r.seen(10)), "static/plimsoll.css", "static/live.js", "static/mark.svg") {
		_, header, body := r.get(path)
		policy := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin"} {
			if header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, header.Get(name))
			}
		}
		if found := inline.FindString(body); found != "" && strings.Contains(header.Get("Content-Type"), "html") {
			t.Errorf("%s has %s", path, found)
		}
		if strings.Contains(body, "http://") && !strings.Contains(path, "health") && !strings.HasPrefix(path, "static") {
			t.Errorf("%s names another server", path)
		}
	}
}

func TestEveryPageIsThereAsJSON(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(10, nil)
	for _, path := range pagesOf(r, r.seen(10)) {
		if path == "" {
			path = "overview"
		}
		plain, query, _ := strings.Cut(path, "?")
		byPath, header, body := r.get(plain + ".json?" + query)
		byAccept, _, other := r.get(path, "Accept", "application/json")
		page, _, _ := r.get(path, "Accept", "text/html,application/json;q=0.9")
		var a, b map[string]any
		if json.Unmarshal([]byte(body), &a) != nil || json.Unmarshal([]byte(other), &b) != nil || len(a) == 0 || len(a) != len(b) {
			t.Errorf("%s: no JSON, or not the same: %s", path, body)
		}
		if byPath != byAccept || byPath != page || header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, %d and %d, %s", path, byPath, byAccept, page, header.Get("Content-Type"))
		}
	}
}

// TestTheDashboardIsTheOperatorsAlone asks through the proxy, which decides that.
// Every page is Japanese for a browser that asks for it: what is left in Latin letters
// are names, and the words of the product that stay English everywhere.
func TestPagesSpeakTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(10, nil)
	v := r.seen(10)
	pages := []string{"", "conversations", "conversations/" + v.Focus.ID, "conversations/" + v.Focus.ID + "/8", "refs", "models", "health", "nowhere"}
	for _, e := range v.Cuts {
		if e.Ref != nil {
			pages = append(pages, "refs/"+v.Focus.Tenant+"/"+e.Ref.ID)
			break
		}
	}
	// What stays English: names of models, APIs, tools, decisions, settings and files.
	data := regexp.MustCompile(`(?s)<(code|pre|td class="about")[^>]*>.*?</|<details>.*?</details>|<[^>]*>`)
	words := regexp.MustCompile(`[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}`)
	for _, path := range pages {
		_, header, page := r.get(path, "Accept", "text/html", "Accept-Language", "ja,en;q=0.5")
		if header.Get("Content-Language") != "ja" || !strings.Contains(page, `<html lang="ja">`) || !strings.Contains(header.Get("Vary"), "Accept-Language") {
			t.Errorf("%s: the page does not say that it is Japanese: %v", path, header)
		}
		if left := words.FindAllString(data.ReplaceAllString(page, "\n"), -1); left != nil {
			t.Errorf("%s: these words are English: %q", path, left)
		}
		_, header, page = r.get(path, "Accept", "text/html", "Accept-Language", "de,fr;q=0.5")
		if header.Get("Content-Language") != "en" || !strings.Contains(page, `<html lang="en">`) || strings.ContainsFunc(page, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s: a browser that asks for neither language gets %v", path, header)
		}
		_, _, english := r.get(path, "Accept", "application/json", "Accept-Language", "ja")
		if strings.ContainsFunc(english, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
			t.Errorf("%s: JSON is for programs and stays English: %s", path, english)
		}
	}
}

func TestTheDashboardIsTheOperatorsAlone(t *testing.T) {
	t.Parallel()
	locked, open := newRig(t, rigOptions{token: "open sesame"}), newRig(t, rigOptions{})
	for _, c := range []struct {
		what   string
		rig    *rig
		header []string
		want   int
	}{
		{"no token", locked, nil, 401},
		{"a wrong token", locked, []string{"Authorization", "Bearer sesame"}, 401},
		{"the token", locked, []string{"Authorization", "Bearer open sesame"}, 200},
		{"the token as a password", locked, []string{"Authorization", "Basic " + "b3BlcmF0b3I6b3BlbiBzZXNhbWU="}, 200},
		{"the token, for a page of another site", locked, []string{"Authorization", "Bearer open sesame", "Origin", "https://evil.example"}, 403},
		{"nothing, on this machine", open, nil, 200},
		{"a name that somebody let point here", open, []string{"Host", "evil.example"}, 403},
		{"a page of another site", open, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"through another proxy", open, []string{"X-Forwarded-For", "192.0.2.1"}, 403},
	} {
		for _, path := range []string{"", "conversations.json", "refs", "events", "static/live.js"} {
			if path == "events" && c.want == 200 {
				continue // it would not end
			}
			if status, _, body := c.rig.get(path, c.header...); status != c.want {
				t.Errorf("%s, /%s: %d, want %d: %.80s", c.what, path, status, c.want, body)
			}
		}
	}
}

func TestContentOfATenantIsUnderNoOtherName(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(8, http.Header{"X-Api-Key": {"sk-alice"}})
	v := r.seen(8)
	r.talk(8, http.Header{"X-Api-Key": {"sk-bob"}})
	r.seen(16)
	list := facts[struct{ Conversations []row }](r, "conversations")
	if len(list.Conversations) != 2 || list.Conversations[0].Tenant == list.Conversations[1].Tenant {
		t.Fatalf("two tenants with the same conversation are %+v", list.Conversations)
	}
	for _, c := range list.Conversations {
		for _, e := range v.Cuts {
			want := http.StatusNotFound
			if c.Tenant == v.Focus.Tenant {
				want = http.StatusOK
			}
			if e.Ref == nil {
				continue
			}
			if status, _, _ := r.get("refs/" + c.Tenant + "/" + e.Ref.ID); status != want {
				t.Errorf("%s of %s under %s: %d, want %d", e.Ref.ID, v.Focus.Tenant, c.Tenant, status, want)
			}
		}
	}
	for _, page := range []string{"", "conversations", "health", "models", "refs"} {
		if _, _, body := r.get(page); strings.Contains(body, "sk-alice") || strings.Contains(body, "sk-bob") {
			t.Errorf("/%s shows a key", page)
		}
	}
}

func TestAccountsAndContentsAreThereAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	var was overview
	key := http.Header{"X-Api-Key": {"sk-alice"}} // whom only the store knows after a restart
	t.Run("before", func(t *testing.T) {
		r := newRig(t, rigOptions{path: path, window: window})
		r.talk(10, key)
		was = r.seen(10)
		r.settle()
	})
	r := newRig(t, rigOptions{path: path, window: window})
	now := facts[struct {
		Totals struct{ Requests int }
		Stored struct{ Requests int }
	}](r, "overview")
	if now.Totals.Requests != 0 || now.Stored.Requests != was.Account.Requests {
		t.Errorf("after a restart %+v, want what %d requests came to", now, was.Account.Requests)
	}
	list := facts[struct{ Conversations []row }](r, "conversations")
	if len(list.Conversations) != 1 || list.Conversations[0].ID != was.Focus.ID || list.Conversations[0].Live || list.Conversations[0].Saved == 0 {
		t.Errorf("after a restart the conversations are %+v", list.Conversations)
	}
	if status, _, body := r.get("conversations/" + was.Focus.ID); status != http.StatusOK || !strings.Contains(body, "quiet since this process began") {
		t.Errorf("the conversation's page: %d %s", status, body)
	}
	for _, e := range was.Cuts {
		if e.Ref != nil {
			if status, _, _ := r.get("refs/" + was.Focus.Tenant + "/" + e.Ref.ID); status != http.StatusOK {
				t.Errorf("%s: %d", e.Ref.ID, status)
			}
		}
	}
	r.talk(11, key)
	if again := r.seen(11); again.Focus == nil || again.Focus.ID != was.Focus.ID {
		t.Error("the conversation goes on under another name")
	}
}

func TestPagesAreThereWithoutTheStore(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{window: window})
	r.talk(8, nil)
	v := r.seen(8)
	r.settle()
	r.closed = true
	must(t, r.store.Close())
	r.ahead.Store(int64(time.Minute)) // what was read before is shown for a while
	for _, path := range []string{"", "conversations", "conversations/" + v.Focus.ID, "refs", "models", "health"} {
		status, _, body := r.get(path)
		if status != http.StatusOK || !strings.Contains(body, "The store cannot be read") {
			t.Errorf("/%s without the store: %d, and does not say so", path, status)
		}
	}
	if health := facts[struct {
		Up   bool   `json:"store_up"`
		Down string `json:"store_down"`
	}](r, "health"); health.Up || health.Down == "" {
		t.Errorf("health says %+v", health)
	}
}

func TestARefusalAndALimitThatWasLearnedAreShown(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	r.talk(8, nil) // no window is configured: the server's is learned when it is full
	for n := range 3 {
		if r.seen(8).Totals.Rescued > 0 {
			break
		}
		r.ask(agentBody(9+n), nil)
	}
	models := facts[struct {
		Models []struct {
			Name    string
			Learned []struct {
				Tokens int `json:"limit_tokens"`
			}
			Source string `json:"limit_source"`
		}
	}](r, "models")
	if len(models.Models) != 1 || len(models.Models[0].Learned) != 1 || models.Models[0].Learned[0].Tokens != window || models.Models[0].Source != "registry" {
		t.Errorf("the models are %+v, want a learned limit of %d", models, window)
	}
	huge := fmt.Appendf(nil, `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("too much to send ", 9000))
	if status := r.ask(huge, http.Header{"X-Plimsoll-Limit": {"5000"}}); status != http.StatusBadRequest {
		t.Fatalf("the huge request: %d", status)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		health := facts[struct {
			Warnings []struct{ Kind, Text, Advice string }
		}](r, "health")
		if len(health.Warnings) > 0 && health.Warnings[0].Kind == "refused" && strings.Contains(health.Warnings[0].Advice, "Nothing was sent") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the refusal is not shown: %+v", health)
		}
	}
}
