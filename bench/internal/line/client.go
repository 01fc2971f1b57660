package line

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ErrTimeout reports that a program did not answer in time and was killed.
var ErrTimeout = errors.New("no answer in time")

// Command says how a measuring program is started.
type Command struct {
	Args []string
	// Env is added to the environment of the driver.
	Env []string
}

func (c Command) exec(extra ...string) *exec.Cmd {
	args := append(append([]string(nil), c.Args[1:]...), extra...)
	cmd := exec.Command(c.Args[0], args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// Client is a running program. It serves one goroutine.
type Client struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string
}

// Start starts a program.
func Start(c Command) (*Client, error) {
	cmd := c.exec()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	client := &Client{cmd: cmd, in: in, answers: make(chan string)}
	go func() {
		defer close(client.answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			client.answers <- lines.Text()
		}
	}()
	return client, nil
}

// Close ends the program.
func (c *Client) Close() {
	c.in.Close()
	done := time.AfterFunc(2*time.Second, func() { c.cmd.Process.Kill() })
	for range c.answers {
	}
	c.cmd.Wait()
	done.Stop()
}

// Do sends a command and returns the fields of the answer. After an ErrTimeout
// the program is gone.
func (c *Client) Do(timeout time.Duration, fields ...string) ([]string, error) {
	if _, err := io.WriteString(c.in, strings.Join(fields, "\t")+"\n"); err != nil {
		return nil, fmt.Errorf("%s: %w", fields[0], err)
	}
	select {
	case answer, ok := <-c.answers:
		if !ok {
			return nil, fmt.Errorf("%s: program ended", fields[0])
		}
		return parse(fields[0], answer)
	case <-time.After(timeout):
		c.cmd.Process.Kill()
		return nil, fmt.Errorf("%s: %w", fields[0], ErrTimeout)
	}
}

func parse(command, answer string) ([]string, error) {
	fields := strings.Split(answer, "\t")
	switch fields[0] {
	case "ok":
		return fields[1:], nil
	case "error":
		return nil, fmt.Errorf("%s: %s", command, strings.Join(fields[1:], " "))
	}
	return nil, fmt.Errorf("%s: answer %q is neither ok nor error", command, answer)
}

// Pass is the answer to count and encode.
type Pass struct {
	Tokens int
	CPU    time.Duration
}

// Measure sends count or encode.
func (c *Client) Measure(timeout time.Duration, command, encoding, name string, budget time.Duration) (Pass, error) {
	fields, err := c.Do(timeout, command, encoding, name, strconv.FormatInt(budget.Milliseconds(), 10))
	if err != nil {
		return Pass{}, err
	}
	return passOf(fields)
}

func passOf(fields []string) (Pass, error) {
	if len(fields) < 2 {
		return Pass{}, fmt.Errorf("answer has %d fields, want tokens and nanoseconds", len(fields))
	}
	tokens, err := strconv.Atoi(fields[0])
	if err != nil {
		return Pass{}, err
	}
	cpu, err := strconv.ParseInt(fields[1], 10, 64)
	return Pass{tokens, time.Duration(cpu)}, err
}

// First starts a fresh process and returns what its first count took: wall time
// as the caller sees it and the CPU time of the process.
func First(c Command, encoding string) (wall, cpu time.Duration, err error) {
	cmd := c.exec("first", encoding)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	answer, readErr := bufio.NewReader(out).ReadString('\n')
	wall = time.Since(start)
	if err := cmd.Wait(); err != nil {
		return 0, 0, err
	}
	if readErr != nil {
		return 0, 0, readErr
	}
	fields, err := parse("first", strings.TrimSpace(answer))
	if err != nil {
		return 0, 0, err
	}
	pass, err := passOf(fields)
	return wall, pass.CPU, err
}
