package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/store"
)

// cacheCmd is everything about stored content.
type cacheCmd struct {
	Put   cachePutCmd   `cmd:"" help:"Store a file and print its reference."`
	Get   cacheGetCmd   `cmd:"" help:"Print stored content, by lines or as it is."`
	Grep  cacheGrepCmd  `cmd:"" help:"Search stored content."`
	Ls    cacheLsCmd    `cmd:"" help:"List what is stored, newest first."`
	Stats cacheStatsCmd `cmd:"" help:"Show how much is stored."`
	Gc    cacheGCCmd    `cmd:"" help:"Delete what is old, too much or referred to by nothing."`
	Rm    cacheRmCmd    `cmd:"" help:"Delete stored content for good."`
	Check cacheCheckCmd `cmd:"" help:"Read everything that is stored and say what is damaged."`
}

// Help is the long help text.
func (*cacheCmd) Help() string {
	return `Keeps content outside of conversations, under references that cannot be guessed, and gives it back by lines or by searching. The references in what "plimsoll fit --store" prints lead here.

Examples:

    plimsoll cache put build.log
    plimsoll cache get REF --offset 1000 --limit 50
    plimsoll cache grep REF "undefined reference" -B 3
    plimsoll cache gc --max-age 30d --dry-run`
}

// cachePutCmd stores a file.
type cachePutCmd struct {
	File  string `arg:"" optional:"" default:"-" complete:"file" help:"What to store; - is standard input."`
	Note  string `placeholder:"TEXT" help:"Where it is from, for the list. Default: the file's name."`
	Parts bool   `help:"The file is a list of parts, as get --raw prints it: texts, pictures, documents."`
	storeFlags
}

// Validate refuses a note for what has none.
func (c *cachePutCmd) Validate() error {
	if c.Parts && c.Note != "" {
		return errors.New("--note: parts have none")
	}
	return nil
}

// Help is the long help text.
func (*cachePutCmd) Help() string {
	return `Stores a file of any size and prints its reference as JSON: id, byte_size and line_count. The same content gets the same reference. It is safe on the disk when the reference is printed.`
}

// Run stores the file.
func (c *cachePutCmd) Run(p *process, root *cli) error {
	if c.File == "-" {
		if _, err := p.inputs("cache put", nil, "name a file or pipe something in"); err != nil {
			return err
		}
	}
	in := p.file(c.File)
	f, err := in.open()
	if err != nil {
		return inputError("store", in.name, err)
	}
	defer f.Close()
	note := c.Note
	if note == "" && c.File != "-" {
		note = filepath.Base(c.File)
	}
	var parts plimsoll.List[plimsoll.Part]
	if c.Parts {
		if parts, err = readParts(f); err != nil {
			return &plimsoll.Error{Op: "store " + in.name, Code: plimsoll.CodeInvalid, Err: err, Hint: "want a list of parts as plimsoll cache get --raw prints it"}
		}
	}
	return c.withTenant(p, root, func(ctx context.Context, _ *store.Store, t *store.Tenant) error {
		if c.Parts {
			ref, err := t.Put(ctx, parts)
			if err != nil {
				return err
			}
			return encodeJSON(p.out, ref)
		}
		ref, err := t.PutReader(ctx, f, strings.ToValidUTF8(note, "\uFFFD"))
		if err != nil {
			return err
		}
		return encodeJSON(p.out, ref)
	})
}

// cacheGetCmd prints stored content.
type cacheGetCmd struct {
	ID     string `arg:"" help:"The reference."`
	Offset int64  `placeholder:"N" help:"First line, counted from 0."`
	Limit  int64  `placeholder:"N" help:"How many lines. Default: all."`
	Raw    bool   `help:"Print what was stored as it was: the bytes of a text, a list of parts as JSON."`
	Part   *int   `placeholder:"N" help:"Print one part, counted from 0, such as a picture, as its bytes."`
	storeFlags
}

// Help is the long help text.
func (*cacheGetCmd) Help() string {
	return `Prints the lines with their numbers, as a model gets them, but all of them and whole.

--raw prints what was stored, whole: a text or archived messages byte for byte, anything with pictures, documents or several parts as a list of parts in JSON, which put --parts takes again. With --offset or --limit it prints these lines of the text without numbers. --part prints one part as a file would hold it: the bytes of a text, of a picture, of a document.

Examples:

    plimsoll cache get REF --raw > output.txt
    plimsoll cache get REF --part 1 > picture.png`
}

// Validate refuses numbers that cannot be meant.
func (c *cacheGetCmd) Validate() error {
	if c.Offset < 0 || c.Limit < 0 || c.Part != nil && *c.Part < 0 {
		return errors.New("--offset, --limit and --part: want numbers from 0 on")
	}
	if c.Part != nil && (c.Offset > 0 || c.Limit > 0) {
		return errors.New("--part: a part comes whole, without --offset and --limit")
	}
	return nil
}

// Run prints the content.
func (c *cacheGetCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, _ *store.Store, t *store.Tenant) error {
		switch {
		case c.Part != nil:
			return c.part(ctx, p.out, t)
		case c.Raw:
			return c.raw(ctx, p.out, t)
		}
		read := expand.Read{Ref: c.ID, Offset: c.Offset, Limit: c.Limit}
		if err := read.Lines(ctx, p.screen(), t, expand.Limits{Bytes: -1, LineChars: -1}); err != nil {
			return cacheError(c.ID, err)
		}
		_, err := io.WriteString(p.out, "\n")
		return err
	})
}

// raw prints the bytes of the lines, or everything as it was stored.
func (c *cacheGetCmd) raw(ctx context.Context, w io.Writer, t *store.Tenant) error {
	r, err := t.Open(ctx, c.ID)
	if err != nil {
		return cacheError(c.ID, err)
	}
	defer r.Close()
	if r.Object().Kind == store.KindParts && c.Offset == 0 && c.Limit == 0 {
		content, err := t.Content(ctx, c.ID)
		if err != nil {
			return cacheError(c.ID, err)
		}
		return writeParts(w, content)
	}
	var from, to int64
	from, err = lineStart(ctx, r, c.Offset)
	if err == nil && c.Limit > 0 {
		to, err = lineStart(ctx, r, c.Offset+c.Limit)
	}
	if err == nil {
		_, err = r.Seek(from, io.SeekStart)
	}
	if err != nil {
		return cacheError(c.ID, err)
	}
	var content io.Reader = r
	if c.Limit > 0 {
		content = io.LimitReader(r, to-from)
	}
	_, err = io.Copy(w, content)
	return err
}

// lineStart returns where a line begins, or the end of the text if there is none.
func lineStart(ctx context.Context, r *store.Reader, n int64) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	for line, err := range r.Lines(ctx, n) {
		return line.Offset, err
	}
	return r.Seek(0, io.SeekEnd)
}

// cacheGrepCmd searches stored content.
type cacheGrepCmd struct {
	ID         string `arg:"" help:"The reference."`
	Pattern    string `arg:"" help:"Text to find in a line, or a regular expression."`
	Regex      bool   `short:"E" help:"The pattern is a regular expression (RE2 syntax)."`
	IgnoreCase bool   `short:"i" help:"Upper and lower case are the same."`
	Before     int64  `short:"B" placeholder:"N" help:"Lines to show before each match."`
	After      int64  `short:"A" placeholder:"N" help:"Lines to show after each match."`
	MaxMatches int64  `short:"m" placeholder:"N" default:"50" help:"How many matches to show."`
	Offset     int64  `placeholder:"N" help:"Line to begin at, counted from 0."`
	storeFlags
}

// Help is the long help text.
func (*cacheGrepCmd) Help() string {
	return `Prints the lines that match, with their numbers, as a model gets them. The exit status is 0 whether there are any or not.`
}

// Validate refuses numbers that cannot be meant.
func (c *cacheGrepCmd) Validate() error {
	if c.Offset < 0 || c.Before < 0 || c.After < 0 || c.MaxMatches < 1 {
		return errors.New("want numbers from 0 on, and at least one match")
	}
	return nil
}

// Run searches.
func (c *cacheGrepCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, _ *store.Store, t *store.Tenant) error {
		grep := expand.Grep{
			Ref: c.ID, Pattern: c.Pattern, Regex: c.Regex, IgnoreCase: c.IgnoreCase,
			Before: c.Before, After: c.After, MaxMatches: c.MaxMatches, Offset: c.Offset,
		}
		// People can wait, and can stop waiting.
		limits := expand.Limits{Bytes: -1, Matches: -1, TextTime: time.Hour, RegexTime: time.Hour}
		if err := grep.Matches(ctx, p.screen(), t, limits); err != nil {
			return cacheError(c.ID, err)
		}
		_, err := io.WriteString(p.out, "\n")
		return err
	})
}

// cacheError says which reference it was. Errors about patterns speak for themselves.
func cacheError(id string, err error) error {
	var typed *plimsoll.Error
	if !errors.As(err, &typed) || errors.Is(err, plimsoll.ErrInvalid) || errors.Is(err, expand.ErrTime) {
		return err
	}
	hint := cmp.Or(typed.Hint, plimsoll.HintOf(err))
	switch {
	case !errors.Is(err, plimsoll.ErrNotFound):
	case !reference.MatchString(id):
		hint = "a reference has 26 letters and digits; plimsoll cache ls lists them"
	default:
		hint = "it expired, was deleted, or belongs to another tenant (--tenant); plimsoll cache ls lists what is there; else run the tool again"
	}
	return &plimsoll.Error{Op: "cache " + id, Code: typed.Code, Hint: hint, Err: typed.Err}
}

// reference is the form of a reference.
var reference = regexp.MustCompile(`^[a-z2-7]{26}$`)

// screen is the output for text that others wrote: on a terminal it must not steer
// the cursor.
func (p *process) screen() io.Writer {
	if !isTerminal(p.stdout) {
		return p.out
	}
	return cleaner{p.out}
}

// cleaner replaces control characters other than line ends and tabs. What is written
// to it must end between characters.
type cleaner struct{ w io.Writer }

// Write writes the text that is left.
func (c cleaner) Write(b []byte) (int, error) {
	var out strings.Builder
	for rest := string(b); rest != ""; {
		at := strings.IndexAny(rest, "\n\t")
		if at < 0 {
			out.WriteString(bar.Clean(rest))
			break
		}
		out.WriteString(bar.Clean(rest[:at]) + rest[at:at+1])
		rest = rest[at+1:]
	}
	if _, err := io.WriteString(c.w, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}
