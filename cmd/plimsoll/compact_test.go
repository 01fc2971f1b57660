package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
)

func TestG13_EveryFailureHasAnExitStatusOfItsOwn(t *testing.T) {
	t.Parallel()
	for status, want := range map[fit.CompressionStatus]int{
		fit.CompressionFailedInflated: 4,
		fit.CompressionFailedCount:    5,
		fit.CompressionFailedEmpty:    6,
	} {
		var stderr bytes.Buffer
		p := &process{stderr: &stderr}
		err := (&compactCmd{}).verdict("chat.json", &fit.Compaction{Status: status, Reason: "it would not do"})
		if got := p.complain(err); got != want {
			t.Errorf("%s: exit status %d, want %d", status, got, want)
		}
		if text := stderr.String(); !strings.Contains(text, string(status)+": it would not do\nhint: ") {
			t.Errorf("%s", text)
		}
	}
}

func TestC01_TheDefaultsOfSettingsAndPresetsAreTheSame(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&process{}).compactionOf(c.Settings, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if got.RetainPrompt != "" || got.Summarizer != nil || got.Off || got.Manual {
		t.Errorf("%+v", got)
	}
}

// TestDiffNamesEveryMessageOnce compares any two lists: every message stands in the
// result once and in order, and what is called kept is equal.
func TestDiffNamesEveryMessageOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []sketch {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sketch {
				return sketch{
					whole: [32]byte{rapid.Byte().Draw(t, "whole") % 5}, role: plimsoll.User,
					calls: rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "calls"), begins: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "begins"),
				}
			}), 0, 12).Draw(t, name)
		}
		a, b := draw("before"), draw("after")
		i, j, same := 0, 0, 0
		for _, m := range match(a, b) {
			if m.before >= 0 {
				if m.before != i {
					t.Fatalf("message %d stands where %d should", m.before, i)
				}
				i++
			}
			if m.after >= 0 {
				if m.after != j {
					t.Fatalf("new message %d stands where %d should", m.after, j)
				}
				j++
			}
			if m.change == kept {
				same++
				if a[m.before].whole != b[m.after].whole {
					t.Fatalf("%d and %d are kept and not equal", m.before, m.after)
				}
			}
		}
		if i != len(a) || j != len(b) || same != len(common(a, b)) {
			t.Fatalf("%d of %d and %d of %d messages, %d kept", i, len(a), j, len(b), same)
		}
	})
}

func TestAnErrorWithoutAStatusOfItsOwnHasThatOfItsCode(t *testing.T) {
	t.Parallel()
	p := &process{stderr: &bytes.Buffer{}}
	if got := p.complain(&plimsoll.Error{Op: "compact", Code: plimsoll.CodeOverLimit, Err: errors.New("too long")}); got != 3 {
		t.Errorf("exit status %d", got)
	}
}
