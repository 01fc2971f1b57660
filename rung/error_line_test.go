package rung

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

// plainStatus is exitStatus without anything that makes it fast.
func plainStatus(text string) (bad, known bool) {
	ends := []string{text}
	if len(text) > 2*statusReach {
		ends = []string{text[:statusReach], text[len(text)-statusReach:]}
	}
	for _, end := range ends {
		for _, word := range []string{"xit", "XIT", "eturn", "終了コード"} {
			for rest, found := end, true; found; {
				_, rest, found = strings.Cut(rest, word)
				if m := statusPattern.FindStringSubmatch(rest); found && m != nil && (m[1] != "" || word == "終了コード") {
					bad, known = bad || strings.TrimLeft(m[2], "0") != "", true
				}
			}
		}
	}
	return bad, known
}

var statusPattern = regexp.MustCompile(`^(?i:ed)?[ \t_"'\\:=：]*(?:(?i:with)[ \t_"'\\:=：]*)*((?i:code|status)(?:[ \t_"'\\:=：]|(?i:with|code|status))*)?(-?[0-9]{1,10})(?:[^0-9]|$)`)

// outputPieces are what outputs that may be errors are made of.
var outputPieces = slices.Concat(errorStarts[:], []string{
	"\n", "\n", "\n", "\r\n", " ", "\t", "a", "x", "ERROR: ", "Err", "or", "Error", "MyError", "app.MyException: ", "Keyboard", "KeyboardInterrupt",
	"E   ", "E", "at f (a.js:1:2)", "at ", "goroutine 1 [running]", "goroutine ", "main.go:3:5: bad", "main.go:3:5: warning: odd", ":", ": ", "3:",
	"level=error", "level=", "vel=", " panicked at ", "ked at ", "失敗しました", "例外が", "エラー", "日本", "\xff", " ERROR ", "[FATAL]", "FATAL",
	"sh: x: command not found", "x: Permission denied", "x: No such file or directory", "x: fatal error", strings.Repeat("a.", errorReach/2-4) + "OddError", ": error ", "exit code 1", "EXIT STATUS 3", "Exit Code: 4", "exit code 0", "exit code 1234567890", "xit", "XIT", "return code: 2", "eturn", "urn", "終了コード", "終了コード：3", "status 0", "xited with", " with ", strings.Repeat(" code", 30), strings.Repeat("：", 40), "code", "status", "：", "_\":", "-9", "1234567890", "12345678901", "00",
	strings.Repeat("long ", 60), strings.Repeat(" ", 300), "[tool output truncated]", "\n\n[tool output truncated; ref=c1]",
})

func TestStatusesAreFoundAsByARegularExpression(t *testing.T) {
	t.Parallel()
	compare := func(t rapid.TB, text string) {
		bad, known := exitStatus(text)
		if wantBad, wantKnown := plainStatus(text); bad != wantBad || known != wantKnown {
			t.Fatalf("%q: got the status %v, %v, want %v, %v", text, bad, known, wantBad, wantKnown)
		}
	}
	for _, one := range outputPieces {
		for _, other := range outputPieces {
			compare(t, one+other)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		compare(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(outputPieces), 0, 12).Draw(t, "pieces"), ""))
	})
}

func TestALineLooksLikeAnErrorWhateverIsAroundIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(outputPieces), 0, 12).Draw(t, "pieces"), "")
		want := slices.ContainsFunc(strings.Split(text, "\n"), hasErrorLine)
		if got := hasErrorLine(text); got != want {
			t.Fatalf("%q has an error line: got %v, want %v", text, got, want)
		}
	})
}

func TestContentsAreTheSameOnlyIfAllPartsAre(t *testing.T) {
	t.Parallel()
	text := func(texts ...string) (parts []plimsoll.Part) {
		for _, s := range texts {
			parts = append(parts, plimsoll.Text{Text: s})
		}
		return parts
	}
	all := [][]plimsoll.Part{
		nil, text(""), text("", ""), text("ab"), text("a", "b"), text("b", "a"), text("ab", ""),
		{plimsoll.Opaque{Raw: "ab"}},
		{plimsoll.Media{Kind: plimsoll.Image, Data: "ab"}},
		{plimsoll.Media{Kind: plimsoll.Image, URL: "ab"}},
		{plimsoll.Reasoning{Text: "ab"}},
	}
	for i, a := range all {
		for j, b := range all {
			if same := contentKey(plimsoll.ListOf(a...)) == contentKey(plimsoll.ListOf(b...)); same != (i == j) {
				t.Errorf("%v and %v: the same is %v", a, b, same)
			}
		}
	}
}
