package markdown_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/chat/terminal/markdown"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMarkdownIsDrawnInAnyWidth compares what is drawn, without its colours, with
// what is in testdata.
func TestMarkdownIsDrawnInAnyWidth(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("testdata/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{20, 44, 80} {
			t.Run(fmt.Sprintf("%s in %d cells", filepath.Base(name), width), func(t *testing.T) {
				t.Parallel()
				lines := markdown.Render(string(source), width, markdown.NewTheme(true))
				got := ansi.Strip(strings.Join(lines, "\n")) + "\n"
				golden := strings.TrimSuffix(name, ".md") + fmt.Sprintf(".%d.txt", width)
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				check(t, lines, width)
			})
		}
	}
}

func TestLongTextsAreDrawnInParts(t *testing.T) {
	t.Parallel()
	theme := markdown.NewTheme(true)
	part := "# Title\n\nA **bold** paragraph.\n\n- one\n- two\n\n"
	once := markdown.Render(part, 40, theme)
	lines := markdown.Render(strings.Repeat(part, 3000), 40, theme)
	if want := 3000*(len(once)+1) - 1; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	if diff := cmp.Diff(once, lines[len(lines)-len(once):]); diff != "" {
		t.Errorf("the end differs: -want +got:\n%s", diff)
	}
	code := "```\n" + strings.Repeat("code\n", 20000) + "```\n\nThe *end*.\n"
	lines = markdown.Render(code, 40, theme)
	check(t, lines, 40)
	if got := strings.Count(ansi.Strip(strings.Join(lines, "\n")), "code"); got != 20000 {
		t.Errorf("%d of 20000 lines of code are there", got)
	}
}

func TestTextThatKeepsParsersBusyIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"> ", ">", "- ", "1. ", "> - ", "+ * ", "[", "[a](", "*a ", "**a*b", "`a``", "![", "|a|b|\n|-|-|\n", "<!--", "_a", "~~a", "a@b.c "} {
		t.Run(fmt.Sprintf("%q", unit), func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(unit, (1<<18)/len(unit))
			check(t, markdown.Render(text, 80, markdown.NewTheme(true)), 80)
		})
	}
}

func TestStylesFollowTheMarkup(t *testing.T) {
	t.Parallel()
	theme := markdown.NewTheme(true)
	for _, tc := range []struct {
		name, source, want string
	}{
		{"two stars are bold", "**a**", lipgloss.NewStyle().Bold(true).Render("a")},
		{"one star is italic", "*a*", lipgloss.NewStyle().Italic(true).Render("a")},
		{"two tildes strike through", "~~a~~", lipgloss.NewStyle().Strikethrough(true).Render("a")},
		{"styles nest", "***a***", lipgloss.NewStyle().Italic(true).Bold(true).Render("a")},
		{"backticks are code", "`a*b*`", theme.Code.Render("a*b*")},
		{"a link shows where it leads", "[a](https://b.example)", theme.Link.Render("a") + theme.Faint.Render(" (https://b.example)")},
		{"an address is its own label", "https://b.example", theme.Link.Render("https://b.example")},
		{"escapes are undone", `\*a\* &lt;b&gt;`, "*a* <b>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string{tc.want}, markdown.Render(tc.source, 60, theme)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLightAndDarkDiffer(t *testing.T) {
	t.Parallel()
	light, dark := markdown.Render("`a`", 20, markdown.NewTheme(false)), markdown.Render("`a`", 20, markdown.NewTheme(true))
	if light[0] == dark[0] {
		t.Errorf("both backgrounds give %q", light[0])
	}
}

func TestEscapeSequencesAreShownAndNeverSent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, source string }{
		{"colours in text", "a\x1b[31mb"},
		{"a title in a code block", "```\n\x1b]0;owned\x07\n```"},
		{"a colour in a language", "```\x1b[31m\na\n```"},
		{"a clipboard in a link", "[a](\x1b]52;c;AAAA\x07)"},
		{"eight-bit controls", "a\u009b31mb"},
		{"controls behind entities", "a&#27;[31mb&#x9b;0m"},
		{"controls in HTML", "<b>\x1b[2J</b>\n\n<div>\n\x1b[2J\n</div>"},
		{"controls in tables", "|a|\n|-|\n|\x1b[2J|"},
		{"controls in more than is parsed", strings.Repeat("a\x1b[2J ", 60000)},
		{"a direction turned around", "a\u202eb"},
		{"a carriage return", "a\rb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			check(t, markdown.Render(tc.source, 40, markdown.NewTheme(true)), 40)
			check(t, markdown.Plain(tc.source, 40, lipgloss.NewStyle()), 40)
		})
	}
}

func FuzzRender(f *testing.F) {
	f.Add("# a\n\n- b\n  - `c`\n\n> d\n\n|e|f|\n|-|-:|\n|g|h|\n", 20)
	f.Add("```go\n\tx\n```\n<div>\n\x1b[2J\n", 3)
	f.Add("日本語の文章、「引用」。\nつづき &#27; [a](b \"c\")", 7)
	f.Add(strings.Repeat("> ", 40)+"deep", 30)
	theme := markdown.NewTheme(true)
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = 2 + (width%200+200)%200
		check(t, markdown.Render(source, width, theme), width)
		markdown.NewStream(width, theme).Lines(source)
	})
}

func TestAStreamDrawsWhatTheWholeTextGives(t *testing.T) {
	t.Parallel()
	theme := markdown.NewTheme(true)
	blocks := []string{
		"# A heading", "Plain words that go on.", "- one\n- two\n  - three", "1. one\n\n2. two", "```go\nfunc a() {\n\n}\n```",
		"> quoted\n> twice", "|a|b|\n|-|-|\n|c|d|", "日本語の段落です。", "---", "- item\n\n  ```\n  code\n\n  more\n  ```", "~~~\na\n\nb\n~~~",
		"<details>\n\nhidden\n\n</details>", "* star", "    indented", "```a``` inline", "Title\n=====",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(blocks), 1, 8).Draw(t, "blocks"), "\n\n")
		width := rapid.IntRange(10, 60).Draw(t, "width")
		stream := markdown.NewStream(width, theme)
		for at := 0; at < len(text); at += rapid.IntRange(1, 30).Draw(t, "step") {
			stream.Lines(text[:at])
		}
		if diff := cmp.Diff(markdown.Render(text, width, theme), stream.Lines(text)); diff != "" {
			t.Fatalf("%q: -whole +streamed:\n%s", text, diff)
		}
	})
}

// check fails for lines that are too wide or hold anything but text and colours.
func check(t *testing.T, lines []string, width int) {
	t.Helper()
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("%q takes %d cells, want at most %d", line, w, width)
		}
		for _, r := range withoutColours(line) {
			if unicode.Is(unicode.Cc, r) || r == '\u202e' {
				t.Fatalf("%q holds the control character %U", line, r)
			}
		}
	}
}

// withoutColours takes out the sequences that styles are made of, and no others.
func withoutColours(line string) string {
	var b strings.Builder
	for line != "" {
		before, after, found := strings.Cut(line, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != ';' && r != ':' && (r < '0' || r > '9') })
		if end < 0 || after[end] != 'm' {
			b.WriteString("\x1b")
			end = -1
		}
		line = after[end+1:]
	}
	return b.String()
}
