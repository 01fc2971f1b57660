package plimsoll_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

func TestErrorsMapToStatusOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		err        error
		code       plimsoll.Code
		http, exit int
	}{
		{"an unknown model", fmt.Errorf("fit: %w", plimsoll.ErrUnknownModel), plimsoll.CodeUnknownModel, 400, 2},
		{"a conversation that does not fit", fmt.Errorf("fit: %w", plimsoll.ErrOverLimit), plimsoll.CodeOverLimit, 413, 3},
		{"a request with too many messages", &plimsoll.Error{Code: plimsoll.CodeTooLarge, Err: plimsoll.ErrInvalid}, plimsoll.CodeTooLarge, 413, 2},
		{"a missing ref", &plimsoll.Error{Op: "expand", Err: plimsoll.ErrNotFound}, plimsoll.CodeNotFound, 404, 2},
		{"a code wins over the sentinel", &plimsoll.Error{Code: plimsoll.CodeUnavailable, Err: plimsoll.ErrNotFound}, plimsoll.CodeUnavailable, 503, 1},
		{
			"an inner code is found through an outer error without one",
			&plimsoll.Error{Op: "a", Err: &plimsoll.Error{Op: "b", Code: plimsoll.CodeUnsupported}},
			plimsoll.CodeUnsupported, 400, 2,
		},
		{"anything else is ours", errors.New("disk full"), plimsoll.CodeInternal, 500, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code := plimsoll.CodeOf(tt.err)
			if code != tt.code || code.HTTPStatus() != tt.http || code.ExitStatus() != tt.exit {
				t.Errorf("got %s, %d, %d; want %s, %d, %d",
					code, code.HTTPStatus(), code.ExitStatus(), tt.code, tt.http, tt.exit)
			}
		})
	}
	if code := plimsoll.CodeOf(nil); code != "" {
		t.Errorf("no error has code %q", code)
	}
}

func TestErrorSaysWhatWasDoneAndKeepsTheHintApart(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("count: %w", &plimsoll.Error{
		Op: "read notes.json", Hint: "use --format text", Err: plimsoll.ErrInvalid,
	})
	if got, want := err.Error(), "count: read notes.json: invalid input"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if got := plimsoll.HintOf(err); got != "use --format text" {
		t.Errorf("hint %q", got)
	}
	if got := plimsoll.HintOf(errors.New("x")); got != "" {
		t.Errorf("hint of a plain error is %q", got)
	}
}

func TestT07_CounterInfoIsWrittenForAudit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		info plimsoll.CounterInfo
		want string
	}{
		{
			plimsoll.CounterInfo{Model: "gpt-4o", Encoding: "o200k_base", Exact: true, Strategy: plimsoll.StrategyTiktoken},
			`{"model":"gpt-4o","encoding":"o200k_base","uses_tiktoken":true,"strategy":"tiktoken"}`,
		},
		{
			plimsoll.CounterInfo{Model: "mystery", Strategy: plimsoll.StrategyHeuristic},
			`{"model":"mystery","encoding":null,"uses_tiktoken":false,"strategy":"heuristic"}`,
		},
	} {
		got, err := json.Marshal(tt.info)
		testkit.Must(t, err)
		if string(got) != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestF02_ALoadKnowsWhetherItExceedsTheLine(t *testing.T) {
	t.Parallel()
	line := plimsoll.Line{Window: 1000, Reserve: 200}
	for _, tt := range []struct {
		total, freeboard int
		exceeds          bool
	}{{0, 800, false}, {800, 0, false}, {801, -1, true}} {
		load := plimsoll.Load{Total: tt.total}
		if load.Freeboard(line) != tt.freeboard || load.Exceeds(line) != tt.exceeds {
			t.Errorf("load %d: freeboard %d, exceeds %v", tt.total, load.Freeboard(line), load.Exceeds(line))
		}
	}
	if limit := (plimsoll.Line{Window: 10, Reserve: 20}).Limit(); limit != 0 {
		t.Errorf("a reserve beyond the window leaves %d, want 0", limit)
	}
}

func TestListCannotBeChangedFromOutside(t *testing.T) {
	t.Parallel()
	items := []int{1, 2, 3}
	list := plimsoll.ListOf(items...)
	items[0] = 9
	list.Slice()[1] = 9
	if list.At(0) != 1 || list.At(1) != 2 || list.Len() != 3 {
		t.Errorf("the list changed: %v", list.Slice())
	}
}
