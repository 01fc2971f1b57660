package toolbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

const grepSchema = `{"type":"object","properties":{"pattern":{"type":"string","description":"Regular expression (RE2)."},"path":{"type":"string","description":"File or directory, relative to the working directory; by default that itself."},"files":{"type":"string","description":"Only files whose names match, such as *.go."},"ignore_case":{"type":"boolean"}},"required":["pattern"],"additionalProperties":false}`

type grepArguments struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Files      string `json:"files"`
	IgnoreCase bool   `json:"ignore_case"`
}

func (b *Box) grepTool() tool {
	return tool{
		plimsoll.Tool{Name: "grep", Description: "Searches text files below the working directory for a regular expression, and shows the lines that match as PATH:LINE: TEXT.", Schema: grepSchema},
		func(ctx context.Context, text string, _ func(string) error) (answer, error) {
			a, err := parse[grepArguments](grepSchema, text)
			if err != nil {
				return answer{}, err
			}
			return b.grep(ctx, a)
		},
	}
}

// search is a search under way.
type search struct {
	box     *Box
	pattern *regexp.Regexp
	out     strings.Builder
	matches int
	// passed are files that could not be searched whole.
	passed int
}

// errEnough ends a search that has found as much as is shown.
var errEnough = errors.New("enough")

func (b *Box) grep(ctx context.Context, a grepArguments) (answer, error) {
	if a.Pattern == "" {
		return answer{}, errors.New("name a regular expression as pattern")
	}
	expression := a.Pattern
	if a.IgnoreCase {
		expression = "(?i)" + expression
	}
	pattern, err := regexp.Compile(expression)
	if err != nil {
		return answer{}, fmt.Errorf("the pattern is no regular expression of RE2: %w", err)
	}
	if _, err := path.Match(a.Files, ""); err != nil {
		return answer{}, fmt.Errorf("files is no pattern for names: %q", a.Files)
	}
	top, err := b.local(a.Path)
	if err != nil {
		return answer{}, err
	}
	timed, cancel := context.WithTimeout(ctx, b.options.GrepTime)
	defer cancel()
	s := &search{box: b, pattern: pattern}
	err = s.walk(timed, top, a.Files)
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	return s.answer(err, timed.Err() != nil)
}

// answer is what was found, and why there may be more.
func (s *search) answer(err error, late bool) (answer, error) {
	switch {
	case late:
		fmt.Fprintf(&s.out, "[not all was searched within %v; name a smaller path, or files]\n", s.box.options.GrepTime)
	case errors.Is(err, errEnough):
		fmt.Fprintf(&s.out, "[only the first %d matches are shown]\n", s.matches)
	case err != nil:
		return answer{}, err
	case s.matches == 0:
		s.out.WriteString("no matches\n")
	}
	if s.passed > 0 {
		fmt.Fprintf(&s.out, "[files that could not be searched, or not whole: %d]\n", s.passed)
	}
	return say(s.out.String()), nil
}

func (s *search) walk(ctx context.Context, top, files string) error {
	return fs.WalkDir(s.box.root.FS(), top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == top:
			return plainError(name, err)
		case err != nil:
			s.passed++
			return nil
		case d.IsDir() && path.Base(name) == ".git" && name != top:
			return fs.SkipDir
		case d.IsDir() || name != top && !d.Type().IsRegular():
			return nil
		}
		if ok, _ := path.Match(files, path.Base(name)); files != "" && !ok {
			return nil
		}
		return s.file(ctx, name, name == top)
	})
}

// longestLine is how many bytes of a line are searched.
const longestLine = 1 << 20

// file searches one file. One that was not named and cannot be read is passed over.
func (s *search) file(ctx context.Context, name string, named bool) error {
	f, _, err := s.box.open(name)
	if err != nil {
		if named {
			return err
		}
		s.passed++
		return nil
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, sniffed)
	if head, _ := in.Peek(sniffed); isBinary(head) {
		return nil
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, sniffed), longestLine)
	for n := 1; lines.Scan(); n++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if at := s.pattern.FindIndex(lines.Bytes()); at != nil {
			if s.matches == s.box.options.MaxMatches || s.out.Len() > s.box.options.MaxBytes {
				return errEnough
			}
			s.matches++
			fmt.Fprintf(&s.out, "%s:%d: %s\n", name, n, around(lines.Bytes(), at[0]))
		}
	}
	if lines.Err() != nil {
		s.passed++
	}
	return nil
}

// around is a line, or of a long one what stands around a place in it.
func around(line []byte, at int) string {
	const shown = 400
	from, to := 0, len(line)
	if len(line) > shown {
		from = max(0, min(at-shown/4, len(line)-shown))
		to = from + shown
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		for to < len(line) && !utf8.RuneStart(line[to]) {
			to++
		}
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
