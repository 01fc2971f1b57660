package scripted_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// FuzzServe sends anything anywhere: there is an answer, and a refusal is an error
// that its API's clients can read.
func FuzzServe(f *testing.F) {
	for d, body := range bodies {
		f.Add(paths[d], body)
	}
	f.Add("/v1/responses", `{"model":"m","input":"Write a <summary>.","stream":true}`)
	f.Add("/v1beta/models/m:countTokens", `{"generateContentRequest":{}}`)
	f.Add("/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model/"+strings.TrimPrefix(path, "/"), strings.NewReader(body))
		if err != nil {
			t.Skip("no path")
		}
		model := scripted.New(&scripted.Options{Window: 1000, Script: scripted.Steps(scripted.Step{
			On: scripted.On{End: scripted.EndTool}, Again: true, Calls: []plimsoll.ToolCall{{Name: "read"}},
		})})
		w := httptest.NewRecorder()
		model.ServeHTTP(w, r)
		log := model.Log()
		if len(log) != 1 || log[0].Status != w.Code || w.Body.Len() == 0 {
			t.Fatalf("status %d with %d bytes, log %+v", w.Code, w.Body.Len(), log)
		}
		if w.Code != 200 && (!strings.Contains(w.Body.String(), `"error"`) || log[0].Refusal == "") {
			t.Errorf("refused with %s", w.Body)
		}
	})
}
