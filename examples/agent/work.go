package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll/internal/process"
)

func (t *tools) readFile(_ context.Context, a arguments) (string, error) {
	data, err := t.read(clean(a.Path))
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(data), "\n")
	from := min(max(0, a.Offset), len(lines))
	to := min(from+maxLines, len(lines))
	out := strings.Join(lines[from:to], "")
	if len(out) > maxOutput {
		return strings.ToValidUTF8(out[:maxOutput], "") + "\n[cut: long lines]\n", nil
	}
	if to < len(lines) {
		out += fmt.Sprintf("[%d more lines; go on with offset %d]\n", len(lines)-to, to)
	}
	return out, nil
}

// read reads a text file of a reasonable size.
func (t *tools) read(name string) ([]byte, error) {
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0:
		return nil, fmt.Errorf("%s is no text", name)
	}
	return data, nil
}

func (t *tools) listFiles(_ context.Context, a arguments) (string, error) {
	entries, err := fs.ReadDir(t.root.FS(), clean(a.Path))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, e := range entries {
		if i == maxEntries {
			fmt.Fprintf(&b, "[%d more]\n", len(entries)-i)
			break
		}
		name := path.Join(clean(a.Path), e.Name())
		if e.IsDir() {
			name += "/"
		}
		fmt.Fprintln(&b, name)
	}
	return b.String(), nil
}

func (t *tools) grep(ctx context.Context, a arguments) (string, error) {
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	found := 0
	err = fs.WalkDir(t.root.FS(), clean(a.Path), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case d.IsDir() && len(d.Name()) > 1 && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := t.read(name)
		if err != nil {
			return nil // not for us
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			if !pattern.MatchString(line) {
				continue
			}
			if found++; found > maxMatches {
				fmt.Fprintln(&b, "[more; search for something rarer]")
				return fs.SkipAll
			}
			line = strings.TrimRight(line, "\r\n")
			fmt.Fprintf(&b, "%s:%d: %s\n", name, n, strings.ToValidUTF8(line[:min(len(line), 300)], ""))
		}
		return nil
	})
	return b.String(), err
}

// run runs a shell command. It begins in the directory and is not held there, so it
// is given no more of our environment than it needs: not the key of the model.
func (t *tools) run(ctx context.Context, a arguments) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	cmd := process.Command(ctx, "sh", "-c", a.Command)
	cmd.Dir, cmd.Env = t.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C.UTF-8"}
	out := &process.Head{Limit: maxOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was ended after %v", runTime)
	}
	text := strings.ToValidUTF8(string(out.Data), "\uFFFD")
	if out.More {
		text += "\n[cut: it printed more]\n"
	}
	return text, err
}

// clean returns a path as [os.Root] wants it. One that leads outside stays as it is,
// and is refused there.
func clean(name string) string { return path.Clean(cmp.Or(name, ".")) }
