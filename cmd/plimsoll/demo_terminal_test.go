//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
)

// demoOverview is what a newcomer should see on the first page.
type demoOverview struct {
	Totals  struct{ Requests, Cuts, Refs int }
	Account struct {
		Saved int     `json:"saved_tokens"`
		Net   float64 `json:"net_usd"`
	}
	Focus *struct {
		Sent  int `json:"sent_tokens"`
		Limit int `json:"limit_tokens"`
	}
}

// complete reports whether loads, cuts, references and savings are there.
func (v demoOverview) complete() bool {
	return v.Focus != nil && v.Focus.Limit > 0 && v.Totals.Cuts > 0 && v.Totals.Refs > 0 && v.Account.Saved > 0 && v.Account.Net > 0
}

func askDemo(t *testing.T, address string) (v demoOverview) {
	t.Helper()
	resp, body := call(t, http.MethodGet, address+dashboard.Root+"overview.json", nil, nil)
	if err := json.Unmarshal(body, &v); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %s", resp.Status, err, body)
	}
	return v
}

// TestANewcomerSeesLoadCutsRefsAndSavings runs the demonstration in a terminal: its
// address is there at once, the pages show everything while it is played, and it stays
// until somebody ends it.
func TestANewcomerSeesLoadCutsRefsAndSavings(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{}, 150, 50)
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p.keys("-l", "clear; "+quoted(program)+" demo; echo ended $?\n")
	found := regexp.MustCompile(`dashboard on (http://[0-9.:]+)/plimsoll/`).FindStringSubmatch(p.wait("dashboard on http://"))
	if found == nil {
		t.Fatal("there is no address")
	}
	shown := time.Since(begun)
	for !askDemo(t, found[1]).complete() {
		if time.Since(begun) > 5*time.Minute {
			t.Fatalf("after five minutes the first page has %+v", askDemo(t, found[1]))
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("the address was there after %s, everything on the page after %s", shown, time.Since(begun))
	p.wait("until it is told to end")
	if v := askDemo(t, found[1]); v.Totals.Requests != 52 {
		t.Errorf("in the end %d requests are shown", v.Totals.Requests)
	}
	p.keys("C-c")
	p.wait("ended 0")
}

func TestADemonstrationEndsByItselfWhenAsked(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{}, 150, 50)
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	p.keys("-l", "clear; "+quoted(program)+" demo --once; echo ended $?\n")
	p.wait("net saved", "ended 0")
}
