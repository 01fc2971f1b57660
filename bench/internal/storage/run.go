package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Needle is what is searched for. The large output has it a few times.
const Needle = "plimsoll needle 7f3a91"

// Options of a run.
type Options struct {
	// Program measures the store in a file, Server the one in PostgreSQL.
	Program, Server string
	// Source is a folder of Go code that outputs are made of.
	Source string
	// Scratch is where databases and files are made; what is in it afterwards is
	// gone.
	Scratch string
	// Bytes of the large output; 0 means 1 GiB, or less if the disk is small.
	Bytes int64
	Log   io.Writer
}

// Measure measures.
func Measure(o Options) (*Result, error) {
	if err := os.MkdirAll(o.Scratch, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Scratch, "store-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, dir: dir, result: &Result{}}
	for _, step := range []struct {
		name string
		do   func() error
	}{{"tool outputs", r.pairs}, {"a large output", r.large}, {"many references", r.refs}, {"many references in a server", r.serverRefs}} {
		fmt.Fprintln(o.Log, "store:", step.name)
		if err := step.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return r.result, nil
}

type run struct {
	Options
	dir    string
	result *Result
}

func (r *run) pairs() error {
	_, err := r.ask(&r.result.Pairs, nil, "pairs", r.dir, r.Source)
	return err
}

func (r *run) refs() error {
	_, err := r.ask(&r.result.Refs, nil, "refs", r.dir, r.Source)
	return err
}

func (r *run) serverRefs() error {
	_, err := r.run(r.Server, &r.result.Server, nil, r.Source)
	if missing := r.result.Server.Missing; missing != "" {
		fmt.Fprintln(r.Log, "store: NOT MEASURED: no PostgreSQL:", missing)
	}
	return err
}

// The large output should have this many bytes, if the disk has room for it several
// times.
const (
	wanted = 1 << 30
	room   = 6 << 30
)

func (r *run) large() error {
	l := &r.result.Large
	n := r.Bytes
	if n == 0 {
		n = wanted
		if free := freeBytes(r.dir); free > 0 && free < room {
			n = max(int64(float64(free)/room*wanted), 16<<20)
			l.Smaller = fmt.Sprintf("only %d MiB were free on the disk", free>>20)
		}
	}
	db := filepath.Join(r.dir, "large.db")
	stored, err := r.put(db, n)
	if err != nil {
		return err
	}
	l.Bytes, l.Lines = stored.Bytes, stored.Lines
	var answer ReadAnswer
	if l.Reading, err = r.ask(&answer, nil, "reads", db, stored.Ref, fmt.Sprint(stored.Lines)); err != nil {
		return err
	}
	l.Reads, l.Reading.Peak = answer.Reads, answer.Peak
	return errors.Join(r.search(db, stored.Ref, n), removeAll(db, db+"-wal", db+"-shm"))
}

func (r *run) put(db string, n int64) (Stored, error) {
	var stored Stored
	text := exec.Command(r.Program, "text", r.Source, strconv.FormatInt(n, 10))
	text.Stderr = os.Stderr
	pipe, err := text.StdoutPipe()
	if err != nil {
		return stored, err
	}
	if err := text.Start(); err != nil {
		return stored, err
	}
	took, err := r.ask(&stored, pipe, "put", db)
	took.Peak = stored.Peak
	r.result.Large.Put = took
	return stored, errors.Join(err, text.Wait())
}

// rounds of searching; the best of each counts.
const rounds = 4

func (r *run) search(db, ref string, n int64) error {
	l := &r.result.Large
	file := filepath.Join(r.dir, "large.zst")
	if err := r.compress(file, n); err != nil {
		l.NoPipe = err.Error()
	}
	for range rounds {
		var answer GrepAnswer
		ours, err := r.ask(&answer, nil, "grep", db, ref)
		if err != nil {
			return err
		}
		ours.Peak = answer.Peak
		l.Grep, l.Matches = better(l.Grep, ours), answer.Matches
		if l.NoPipe != "" {
			continue
		}
		theirs, lines, err := pipeline(exec.Command("zstdcat", file), exec.Command("grep", "-F", Needle))
		if err != nil {
			return err
		}
		if lines != answer.Matches {
			return fmt.Errorf("grep finds %d lines, we find %d", lines, answer.Matches)
		}
		l.Pipe = better(l.Pipe, theirs)
	}
	return removeAll(file)
}

// better takes the least of each time: noise only adds.
func better(a, b Run) Run {
	if a == (Run{}) {
		return b
	}
	return Run{min(a.Wall, b.Wall), min(a.CPU, b.CPU), max(a.Peak, b.Peak)}
}

// compress writes the large output as zstd does by default.
func (r *run) compress(file string, n int64) error {
	_, _, err := pipeline(exec.Command(r.Program, "text", r.Source, strconv.FormatInt(n, 10)), exec.Command("zstd", "-q", "-f", "-o", file))
	return err
}

// pipeline runs two programs, the second with what the first one writes, and counts
// the lines that come out.
func pipeline(first, second *exec.Cmd) (Run, int, error) {
	var out bytes.Buffer
	first.Stderr, second.Stderr, second.Stdout = os.Stderr, os.Stderr, &out
	second.Env = append(os.Environ(), "LC_ALL=C")
	reader, writer, err := os.Pipe()
	if err != nil {
		return Run{}, 0, err
	}
	first.Stdout, second.Stdin = writer, reader
	start := time.Now()
	err = first.Start()
	writer.Close()
	if err == nil {
		if err = second.Start(); err == nil {
			err = second.Wait()
		}
	}
	// Without a reader the first one ends too.
	reader.Close()
	if first.Process != nil {
		err = errors.Join(err, first.Wait())
	}
	took := Run{Wall: time.Since(start), CPU: cpu(first) + cpu(second)}
	return took, bytes.Count(out.Bytes(), []byte("\n")), err
}

// ask runs the program and reads its answer.
func (r *run) ask(answer any, in io.Reader, args ...string) (Run, error) {
	return r.run(r.Program, answer, in, args...)
}

func (r *run) run(program string, answer any, in io.Reader, args ...string) (Run, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	took := Run{Wall: time.Since(start), CPU: cpu(cmd)}
	if err != nil {
		return took, fmt.Errorf("%s %s: %w", filepath.Base(program), args[0], err)
	}
	return took, json.Unmarshal(out, answer)
}

func cpu(cmd *exec.Cmd) time.Duration {
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func removeAll(files ...string) error {
	var err error
	for _, file := range files {
		err = errors.Join(err, os.RemoveAll(file))
	}
	return err
}
