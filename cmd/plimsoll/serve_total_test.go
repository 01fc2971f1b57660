package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestC12_ABilledTotalAtTheThresholdCompactsInTheProxy lets the upstream bill 3,300 of 4,000
// tokens for the third request, which weighs less. The fourth is compacted.
func TestC12_ABilledTotalAtTheThresholdCompactsInTheProxy(t *testing.T) {
	t.Parallel()
	for billed, want := range map[int]string{300: "pass", 3300: "compact"} {
		t.Run(fmt.Sprint(billed), func(t *testing.T) {
			t.Parallel()
			upstream := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				prompt := 300
				if strings.Contains(string(body), "quay 2") {
					prompt = billed
				}
				rw.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(rw, `{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"It is."}}],"usage":{"prompt_tokens":%d,"completion_tokens":3}}`, prompt)
			}))
			t.Cleanup(upstream.Close)
			dir := t.TempDir()
			config := filepath.Join(dir, "plimsoll.yaml")
			settings := fmt.Sprintf("preset: agent\nwindow: 4000\nreserve: 0\nexpand: off\nstore: %q\n", filepath.Join(dir, "store.db"))
			if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			proxy := startNode(t, []string{"PLIMSOLL_CONFIG=" + config}, "--upstream", upstream.URL)
			turn := `{"role":"user","content":"Is quay %d deep enough? ` + strings.Repeat("The tide is low. ", 60) + `"}`
			var said []string
			var decision string
			for i := range 4 {
				said = append(said, fmt.Sprintf(turn, i))
				body := `{"model":"gpt-4o","messages":[` + strings.Join(said, ",") + `]}`
				resp, _ := post(t, proxy.url+"/v1/chat/completions", []byte(body))
				decision = resp.Header.Get("X-Plimsoll-Decision")
				if decision != "pass" {
					break
				}
				said = append(said, `{"role":"assistant","content":"It is."}`)
			}
			if decision != want {
				t.Errorf("with bills of %d tokens the decision is %q, want %s", billed, decision, want)
			}
		})
	}
}
