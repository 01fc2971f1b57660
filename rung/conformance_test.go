package rung_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// rows are the cases of the source text about tool outputs.
type rows struct {
	Budgets []struct {
		ID           string
		Window, Want int
	}
	Views []struct {
		ID, Text, Ref, Want string
		MaxBytes            int `json:"max_bytes"`
		MaxLine             int `json:"max_line"`
		Explain             bool
	}
	Outputs []outputRow
	Costs   []struct {
		ID, Ref string
		Want    int
	}
}

// outputRow is a conversation of one output, Unit repeated Times.
type outputRow struct {
	ID, Rung, Unit, Tool, Ref string
	Window, Times             int
	MaxLine                   int `json:"max_line"`
	Image, Unchanged          bool
	Want                      string
	WantUnit                  string `json:"want_unit"`
	WantTimes                 int    `json:"want_times"`
}

func readRows(t *testing.T) rows {
	t.Helper()
	data, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var r rows
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestO02_TheBudgetIsAQuarterOfTheWindowWithinBounds(t *testing.T) {
	t.Parallel()
	for _, row := range readRows(t).Budgets {
		if got := rung.OutputBudget(row.Window); got != row.Want {
			t.Errorf("%s: window %d: got %d, want %d", row.ID, row.Window, got, row.Want)
		}
	}
}

func TestO06_AViewIsCutByLinesThenByBytesAndSaysSo(t *testing.T) {
	t.Parallel()
	for _, row := range readRows(t).Views {
		v := &rung.View{MaxBytes: row.MaxBytes, MaxLine: row.MaxLine, Explain: row.Explain}
		if diff := cmp.Diff(row.Want, v.Text(row.Text, row.Ref)); diff != "" {
			t.Errorf("%s: -want +got\n%s", row.ID, diff)
		}
	}
}

func TestO06_O07_OutputsOfTheSourceTextsCases(t *testing.T) {
	t.Parallel()
	for _, row := range readRows(t).Outputs {
		got, before := row.run(t)
		want := []any{strings.Repeat(row.WantUnit, row.WantTimes) + row.Want}
		if row.Image {
			want = append(want, picture)
		}
		expected := parts(want...)
		if row.Unchanged {
			expected = before
		}
		if diff := cmp.Diff(expected.Slice(), got.Slice()); diff != "" {
			t.Errorf("%s: -want +got\n%s", row.ID, diff)
		}
	}
}

var picture = plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Width: 512, Height: 512}

// run counts bytes / 4, as the source text does without a tokenizer.
func (row outputRow) run(t *testing.T) (got, before plimsoll.List[plimsoll.Part]) {
	t.Helper()
	content := []any{strings.Repeat(row.Unit, row.Times)}
	if row.Image {
		content = append(content, picture)
	}
	o := fit.Options{Meter: token.NewMeter(&token.MeterOptions{Counter: bytesCounter(t)}), Window: row.Window, Arrival: []fit.Rung{&rung.Clear{MinReclaim: -1}}}
	if row.Rung == "view" {
		o.Arrival[0] = &rung.View{All: true, MaxLine: row.MaxLine}
	}
	if row.Ref != "" {
		o.Archive = &shelf{name: row.Ref}
	}
	before = parts(content...)
	c := fitted(t, o, session(step{tool: row.Tool, content: before})).Conversation()
	return c.Messages.At(2).Parts.At(0).(plimsoll.ToolResult).Content, before
}

func bytesCounter(t *testing.T) plimsoll.Counter {
	t.Helper()
	counter, err := token.Named("bytes")
	if err != nil {
		t.Fatal(err)
	}
	return counter
}

func TestO07_WhatAPlaceholderCosts(t *testing.T) {
	t.Parallel()
	for _, row := range readRows(t).Costs {
		o := fit.Options{Window: 100_000, Arrival: []fit.Rung{&rung.Clear{Budget: 1, MinReclaim: -1}}}
		if row.Ref != "" {
			o.Archive = &shelf{name: row.Ref}
		}
		plan := fitted(t, o, session(ran("a", strings.Repeat("x", 400))))
		text := outputOf(plan.Conversation(), 2)
		if got := bytesCounter(t).Count(text); got != row.Want {
			t.Errorf("%s: %q costs %d, want %d", row.ID, text, got, row.Want)
		}
	}
}
