package line

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Tokenizer is what a program in Go measures.
type Tokenizer interface {
	Count(text string) (int, error)
	Encode(text string) ([]uint32, error)
}

// Program answers the commands for one library.
type Program struct {
	// Open returns the tokenizer of an encoding.
	Open func(encoding string) (Tokenizer, error)
	// Append, if set, answers the command of that name.
	Append func(tokens int) (string, error)

	opened map[string]Tokenizer
	texts  map[string]string
}

// Main runs the program on the arguments and standard streams of the process.
func (p *Program) Main() {
	if err := p.run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (p *Program) run(args []string, in io.Reader, out io.Writer) error {
	p.opened, p.texts = map[string]Tokenizer{}, map[string]string{}
	if len(args) == 2 && args[0] == "first" {
		return p.first(args[1], out)
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		answer, err := p.answer(strings.Split(lines.Text(), "\t"))
		if err != nil {
			answer = "error\t" + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (p *Program) first(encoding string, out io.Writer) error {
	t, err := p.Open(encoding)
	if err != nil {
		return err
	}
	n, err := t.Count(Sample)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "ok\t%d\t%d\n", n, CPU())
	return err
}

func (p *Program) answer(fields []string) (string, error) {
	switch command := fields[0]; {
	case command == "open" && len(fields) == 2:
		return p.open(fields[1])
	case command == "load" && len(fields) == 3:
		data, err := os.ReadFile(fields[2])
		p.texts[fields[1]] = string(data)
		return "ok", err
	case (command == "count" || command == "encode") && len(fields) == 4:
		return p.measure(command, fields[1], fields[2], fields[3])
	case command == "ids" && len(fields) == 4:
		return p.ids(fields[1], fields[2], fields[3])
	case command == "append" && len(fields) == 2 && p.Append != nil:
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return "", err
		}
		return p.Append(n)
	}
	return "", errors.New("unknown command " + strings.Join(fields, " "))
}

func (p *Program) open(encoding string) (string, error) {
	t, err := p.Open(encoding)
	if err != nil {
		return "", err
	}
	p.opened[encoding] = t
	_, err = t.Count(Sample)
	return "ok", err
}

func (p *Program) measure(command, encoding, name, millis string) (string, error) {
	t, text, err := p.find(encoding, name)
	if err != nil {
		return "", err
	}
	budget, err := strconv.Atoi(millis)
	if err != nil {
		return "", err
	}
	pass := t.Count
	if command == "encode" {
		pass = func(text string) (int, error) {
			ids, err := t.Encode(text)
			return len(ids), err
		}
	}
	var tokens int
	mean, passes := Mean(time.Duration(budget)*time.Millisecond, func() {
		if err == nil {
			tokens, err = pass(text)
		}
	})
	return fmt.Sprintf("ok\t%d\t%d\t%d", tokens, mean.Nanoseconds(), passes), err
}

func (p *Program) find(encoding, name string) (Tokenizer, string, error) {
	t, ok := p.opened[encoding]
	if !ok {
		return nil, "", errors.New("encoding not open: " + encoding)
	}
	text, ok := p.texts[name]
	if !ok {
		return nil, "", errors.New("text not loaded: " + name)
	}
	return t, text, nil
}

func (p *Program) ids(encoding, from, to string) (string, error) {
	t, ok := p.opened[encoding]
	if !ok {
		return "", errors.New("encoding not open: " + encoding)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	texts, err := Texts(data)
	if err != nil {
		return "", err
	}
	var out []byte
	for _, text := range texts {
		ids, err := t.Encode(text)
		if err != nil {
			return "", err
		}
		out = AppendIDs(out, ids)
	}
	return fmt.Sprintf("ok\t%d", len(texts)), os.WriteFile(to, out, 0o644)
}

// Mean runs a pass until the budget of CPU time is used up and returns the mean
// CPU time of a pass and the number of passes. The first pass does not count;
// without a budget there is one pass, and it does.
func Mean(budget time.Duration, pass func()) (mean time.Duration, passes int) {
	if budget > 0 {
		pass()
	}
	for start := CPU(); ; {
		pass()
		passes++
		if used := CPU() - start; used >= budget {
			return used / time.Duration(passes), passes
		}
	}
}

// CPU returns the CPU time that the process has used.
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // RUSAGE_SELF and a valid pointer cannot fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
