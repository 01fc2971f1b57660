package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/serve/api"
)

// oddly is a request that marshalling would change in many places.
const oddly = "{ \"model\" : \"gpt-4o\",\n\t\"temperature\": 1.0e0, \"x\": [1,  2], \"note\": \"caf\\u00e9 <b>&\u2028\",\r\n \"messages\": [ {\"role\":\"user\",\"content\":\"hi \\ud83d\\ude00\"} ] }"

func TestAFittingRequestComesBackByteForByte(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	for name, got := range map[string]reply{
		"as it is":                     post(h, "fit", oddly),
		"wrapped":                      post(h, "fit", `{"preset":"auto", "request" : `+oddly+`}`),
		"behind a byte order mark":     post(h, "fit", "\ufeff "+oddly+"\n"),
		"when nothing is to be pruned": post(h, "prune?max=1000", oddly),
		"when nothing is to compact":   post(h, "compact", oddly),
	} {
		if got.status != http.StatusOK || !strings.HasPrefix(got.text, `{"request":`+oddly+`,"report":{`) || !json.Valid([]byte(got.text)) {
			t.Errorf("%s: %d, %s", name, got.status, got.text)
		}
	}
}

func TestWhatIsCutCanBeReadByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	var got edited[plimsoll.Plan]
	ask(h, "anna", http.MethodPost, "fit?window=9000&reserve=500", string(examples.Harbour())).read(t, &got)
	if got.Report.After.Total > 8500 || len(got.Report.Edits) == 0 {
		t.Fatalf("%d tokens after %d edits", got.Report.After.Total, len(got.Report.Edits))
	}
	var ref *plimsoll.Ref
	for _, e := range got.Report.Edits {
		if e.Ref != nil && bytes.Contains(got.Request, []byte(e.Ref.ID)) {
			ref = e.Ref
		}
	}
	if ref == nil {
		t.Fatal("no reference stands in the new request")
	}
	var content api.Content
	ask(h, "anna", http.MethodGet, "refs/"+ref.ID+"?limit=2", "").read(t, &content)
	if content.ID != ref.ID || content.Bytes != ref.Bytes || content.Lines != ref.Lines || content.Text == "" {
		t.Errorf("%+v, want %+v", content, ref)
	}
	line := strings.Fields(content.Text)
	var found api.Content
	ask(h, "anna", http.MethodGet, "refs/"+ref.ID+"/grep?pattern="+url.QueryEscape(line[len(line)-1]), "").read(t, &found)
	if !strings.Contains(found.Text, line[len(line)-1]) {
		t.Errorf("%q is not in %q", line[len(line)-1], found.Text)
	}
	for _, path := range []string{"", "/grep?pattern=a"} {
		theirs := ask(h, "bert", http.MethodGet, "refs/"+ref.ID+path, "")
		none := ask(h, "bert", http.MethodGet, "refs/"+strings.Repeat("a", len(ref.ID))+path, "")
		if theirs.status != http.StatusNotFound || strings.ReplaceAll(theirs.text, ref.ID, "X") != strings.ReplaceAll(none.text, strings.Repeat("a", len(ref.ID)), "X") {
			t.Errorf("somebody else's: %d %s; none: %d %s", theirs.status, theirs.text, none.status, none.text)
		}
	}
}

func TestOptionsMeanTheSameInTheQueryAndInTheBody(t *testing.T) {
	t.Parallel()
	body := string(examples.Harbour())
	h := newHandler(t, newStore(t), nil)
	inQuery := post(h, "plan?window=9000&reserve=0&low=0.5&rungs=clear&rungs=slide&pins=role%3Dsystem", body)
	inBody := post(h, "plan", `{"window":9000,"reserve":0,"low":0.5,"rungs":["clear","slide"],"pins":["role=system"],"request":`+body+`}`)
	var plan plimsoll.Plan
	inQuery.read(t, &plan)
	if plan.Line != (plimsoll.Line{Window: 9000}) || plan.Goal < 4500 || len(plan.Rungs) == 0 || plan.Rungs[0].Rung != "clear" {
		t.Errorf("%+v, goal %d, rungs %v", plan.Line, plan.Goal, plan.Rungs)
	}
	if inQuery.text != inBody.text {
		t.Errorf("%s\n%s", inQuery.text, inBody.text)
	}
}

func TestACompactionCanBeTakenBack(t *testing.T) {
	t.Parallel()
	h := newHandler(t, newStore(t), nil)
	body := string(examples.Harbour())
	var dry, again, made edited[report.Compaction]
	post(h, "compact?force=true&dry_run=true", body).read(t, &dry)
	post(h, "compact?force=true&dry_run", body).read(t, &again)
	if dry.Request != nil || dry.Report.Status != fit.Compressed || again.Report.Trigger != fit.Manual || again.Report.Reason != "" {
		t.Fatalf("dry runs: %+v, %+v", dry.Report, again.Report)
	}
	ref := dry.Report.Refs[0]
	if got := post(h, "undo?ref="+ref, body); got.status != http.StatusNotFound {
		t.Errorf("a dry run was remembered: %d %s", got.status, got.text)
	}
	if got := ask(h, "", http.MethodGet, "refs/"+ref, ""); got.status != http.StatusNotFound {
		t.Errorf("a dry run stored something: %d %s", got.status, got.text)
	}
	post(h, "compact?force=true", body).read(t, &made)
	if made.Report.Status != fit.Compressed || made.Report.TokensAfter >= made.Report.TokensBefore || made.Report.Refs[0] != ref {
		t.Fatalf("%+v", made.Report)
	}
	var back edited[api.Restored]
	post(h, "undo", `{"ref":"`+ref+`","request":`+string(made.Request)+`}`).read(t, &back)
	if messagesOf(t, back.Request) != messagesOf(t, []byte(body)) || back.Report.MessagesAfter <= back.Report.MessagesBefore {
		t.Errorf("%+v: other messages came back: %s", back.Report, back.Request)
	}
	// The decision is forgotten: the same history stays whole.
	var whole edited[plimsoll.Plan]
	post(h, "fit", body).read(t, &whole)
	if len(whole.Report.Edits) != 0 {
		t.Errorf("%d edits after undoing", len(whole.Report.Edits))
	}
}

func messagesOf(t *testing.T, body []byte) string {
	t.Helper()
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range request.Messages {
		fmt.Fprintf(&out, "%s\n", m)
	}
	return out.String()
}

func TestTrimmedMessagesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	newest := `{"role": "user",  "content":"<new>", "x": 1.0}`
	list := `[{"role":"system","content":"s"},{"role":"user","content":"` + strings.Repeat("old ", 500) + `"},` + newest + `]`
	for name, got := range map[string]reply{
		"a list":         post(h, "trim?max=50&encoder=none", list),
		"a request":      post(h, "trim?max=50", `{"model":"gpt-4o","messages":`+list+`}`),
		"a wrapped list": post(h, "trim", `{"max":50,"pairs":true,"embedder":"lexical","request":`+list+`}`),
	} {
		var keys map[string]json.RawMessage
		got.read(t, &keys)
		if len(keys) != 4 || !strings.Contains(string(keys["messages"]), newest) || strings.Contains(string(keys["messages"]), "old") {
			t.Errorf("%s: %s", name, got.text)
		}
	}
}

func TestPruningSaysHowManyTurnsWent(t *testing.T) {
	t.Parallel()
	var turns []string
	for i := range 6 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"question %d %s"},{"role":"assistant","content":"answer"}`, i, strings.Repeat("word ", 50)))
	}
	body := `{"model":"gpt-4o","messages":[` + strings.Join(turns, ",") + `]}`
	var got edited[prune.Info]
	post(newHandler(t, nil, nil), "prune?max=200", body).read(t, &got)
	if got.Report.TurnsToRemove == 0 || got.Report.PrunedLength > 200 || got.Report.OriginalLength <= 200 {
		t.Errorf("%+v", got.Report)
	}
	if want := strings.Join(turns[got.Report.TurnsToRemove:], ","); !strings.Contains(string(got.Request), want) || strings.Contains(string(got.Request), "question 0") {
		t.Errorf("%s", got.Request)
	}
}

func TestEveryDialectIsCountedForItsOwnModel(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil, nil)
	for _, tt := range []struct{ path, body, model, from string }{
		{"count", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`, "gpt-4o", "request"},
		{"count", `{"model":"gpt-4.1","input":"hi"}`, "gpt-4.1", "request"},
		{"count", `{"system":"s","messages":[{"role":"user","content":"hi"}]}`, "claude-sonnet-4-5", "default"},
		{"count?model=gemini-2.5-flash", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, "gemini-2.5-flash", "option"},
		{"count?dialect=anthropic", `{"messages":[{"role":"user","content":"hi"}]}`, "claude-sonnet-4-5", "default"},
		{"count", `{"text":"","model":"gpt-4o"}`, "gpt-4o", "option"},
	} {
		var got report.Count
		post(h, tt.path, tt.body).read(t, &got)
		if got.Model != tt.model || got.ModelFrom != tt.from || (got.Total == 0) != (got.Format == "text") {
			t.Errorf("%s: %+v", tt.body, got)
		}
	}
	var limited report.Count
	post(h, "count?limit=3&encoding=cl100k_base", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`).read(t, &limited)
	if !limited.Over || limited.LimitFrom != "option" || limited.Exact {
		t.Errorf("%+v", limited)
	}
}

// TestT02_T10_R10_TrimOverHTTPDoesWhatTheTextSays: the name of the limit, a result over it,
// an embedder behind an address, and the meta in the log.
func TestT02_T10_R10_TrimOverHTTPDoesWhatTheTextSays(t *testing.T) {
	t.Parallel()
	var asked []string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		vector := "[3,4]"
		if len(asked) > 1 {
			vector = "[4,3]"
		}
		fmt.Fprintf(w, `{"data":[{"index":0,"embedding":%s}]}`, vector)
	}))
	t.Cleanup(upstream.Close)
	var log bytes.Buffer
	h := newHandler(t, nil, func(o *api.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		o.Embeddings = func(r *http.Request) *embedding.Endpoint {
			return &embedding.Endpoint{URL: upstream.URL + "/v1/embeddings", APIKey: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
		}
	})
	list := `[{"role":"system","content":"stay concise"},{"role":"user","content":"hello"},{"role":"assistant","content":"hi there"},{"role":"user","content":"tell me more"}]`
	request := httptest.NewRequest("POST", "/plimsoll/v1/trim", strings.NewReader(`{"max_context_tokens":10,"encoder":"none","embedder":"upstream","embedding_model":"tide-1","request":`+list+`}`))
	request.Header.Set("Authorization", "Bearer secret")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	if answer.Code != 200 || !strings.Contains(answer.Body.String(), `"input_tokens":29,"output_tokens":16,"excess_tokens":6,"semantic_retention":0.96}`) {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if len(asked) != 2 || !strings.HasPrefix(asked[0], `/v1/embeddings Bearer secret {"input":["stay concise\nhello\nhi there\ntell me more"],"model":"tide-1"}`) {
		t.Errorf("the endpoint was asked %q", asked)
	}
	for _, want := range []string{`"max_context_tokens":10`, `"output_tokens":16`, `"strategy":"heuristic"`, `"embedding_model":"tide-1"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is not in the log: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), "hello") {
		t.Errorf("the log has a key or a message: %s", log.String())
	}
	both := post(newHandler(t, nil, nil), "trim?max=5&max_context_tokens=6", list)
	if both.status != 400 || !strings.Contains(both.text, "max_context_tokens") {
		t.Errorf("two limits: %d %s", both.status, both.text)
	}
}
