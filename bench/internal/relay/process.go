package relay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Command starts a server. ADDRESS and PORT in its arguments are where it is to listen,
// UPSTREAM is the model, DIR an empty folder of its own.
type Command struct {
	Args, Env []string
	// Files are written into the folder first; their texts may have the same words.
	Files map[string]string
	// Health is the path that answers when it serves.
	Health string
	// Patience is how long it may take to serve; 0 means 20 seconds.
	Patience time.Duration
}

// server is a process that serves.
type server struct {
	base string
	cmd  *exec.Cmd
	dir  string
	log  *os.File
	done chan error
}

// start starts a server and waits until it serves.
func start(c Command, upstream, scratch string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(scratch, "relay-")
	if err != nil {
		return nil, err
	}
	s := &server{base: "http://127.0.0.1:" + port, dir: dir, done: make(chan error, 1)}
	if err := s.launch(c, strings.NewReplacer("ADDRESS", "127.0.0.1:"+port, "PORT", port, "UPSTREAM", upstream, "DIR", dir)); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) launch(c Command, words *strings.Replacer) error {
	for name, text := range c.Files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(words.Replace(text)), 0o600); err != nil {
			return err
		}
	}
	var err error
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = words.Replace(a)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, s.log, s.log
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "XDG_CONFIG_HOME="+s.dir, "XDG_DATA_HOME="+s.dir)
	cmd.Env = append(cmd.Env, c.Env...)
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	go func() { s.done <- cmd.Wait() }()
	patience := c.Patience
	if patience == 0 {
		patience = 20 * time.Second
	}
	return s.wait(c.Health, patience)
}

// wait waits until the server answers.
func (s *server) wait(path string, patience time.Duration) error {
	client := &http.Client{Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-s.done:
			s.done <- err
			return fmt.Errorf("%s ended: %s", filepath.Base(s.cmd.Path), s.lastWords())
		default:
		}
		resp, err := client.Get(s.base + path)
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s does not serve after %v: %s", filepath.Base(s.cmd.Path), patience, s.lastWords())
}

// lastWords is the last line of the log.
func (s *server) lastWords() string {
	data, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[len(lines)-1]
}

// stop ends the process and deletes its folder.
func (s *server) stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.done:
		case <-time.After(5 * time.Second):
			_ = s.cmd.Process.Kill()
			<-s.done
		}
	}
	if s.log != nil {
		_ = s.log.Close()
	}
	_ = os.RemoveAll(s.dir)
}

func (s *server) pid() int { return s.cmd.Process.Pid }

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// Resident returns the resident set of a process in bytes; 0 if the system does not
// tell.
func Resident(pid int) int64 { return status(pid, "VmRSS") }

func peak(pid int) int64 { return status(pid, "VmHWM") }

func status(pid int, key string) int64 {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	n, err := statusValue(file, key)
	if err != nil {
		return 0
	}
	return n
}

var errNoValue = errors.New("no such value")

// statusValue finds a value in kB.
func statusValue(r io.Reader, key string) (int64, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == key+":" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.Join(errNoValue, lines.Err())
}
