package main

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestServeStartsWithoutItsDatabaseAndConnectsWhenItIsBack(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	database := cluster.Database(t)
	if err := cluster.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	model, n := served(t, &scripted.Options{Window: 6000}, "--limit", "6000", "--store", database)
	body := agentRequest(t, plimsoll.OpenAI, 60)
	ask := func() (warning string, cited bool) {
		resp, answer := call(t, http.MethodPost, n.url+"/v1/chat/completions", body, nil)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", resp.StatusCode, answer)
		}
		log := model.Log()
		return resp.Header.Get("X-Plimsoll-Warning"), bytes.Contains(log[len(log)-1].Body, []byte("ref="))
	}
	ready := func() int {
		resp, _ := call(t, http.MethodGet, n.url+"/readyz", nil, nil)
		return resp.StatusCode
	}
	if warning, cited := ask(); warning == "" || cited || ready() != http.StatusServiceUnavailable {
		t.Errorf("without a database: warning %q, references %v, readyz %d", warning, cited, ready())
	}
	if err := cluster.Resume(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		warning, cited := ask()
		if warning == "" && cited && ready() == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("with the database again: warning %q, references %v, readyz %d", warning, cited, ready())
		}
	}
}
