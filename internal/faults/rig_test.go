package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a case waits for what must come. It only ends a case that hangs.
const patience = 2 * time.Minute

// binary is built once for a run, unless PLIMSOLL_BINARY names the one to test.
var binary = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("PLIMSOLL_BINARY"); file != "" {
		return file, nil
	}
	dir, err := os.MkdirTemp("", "plimsoll-faults")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "plimsoll")
	if out, err := exec.Command("go", "build", "-o", file, "../../cmd/plimsoll").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build plimsoll: %w\n%s", err, out)
	}
	return file, nil
})

// setup is how a proxy is started. The zero value has a file of its own and no limit.
type setup struct {
	// store is a file or an address.
	store string
	// settings are lines of plimsoll.yaml.
	settings string
	env      []string
	flags    []string
	// waits says that the proxy may take its time to be ready: the case looks itself.
	waits bool
}

// proxy is `plimsoll serve` in a process of its own.
type proxy struct {
	t       *testing.T
	url     string
	address string
	dir     string
	store   string
	command *exec.Cmd
	log     *output
	ended   chan struct{}
	err     error
	client  *http.Client
}

// serve starts a proxy in front of an upstream. It ends with the test.
func serve(t *testing.T, to string, s setup) *proxy {
	t.Helper()
	p := &proxy{t: t, dir: t.TempDir(), store: s.store, log: &output{}, ended: make(chan struct{})}
	if p.store == "" {
		p.store = filepath.Join(p.dir, "store.db")
	}
	file := filepath.Join(p.dir, "plimsoll.yaml")
	if err := os.WriteFile(file, []byte(s.settings), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--upstream", to, "--store", p.store}, s.flags...)
	p.command = exec.Command(program(t), args...)
	p.command.Dir = p.dir
	p.command.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir, "XDG_DATA_HOME="+p.dir, "PLIMSOLL_CONFIG="+file, "OPENAI_API_KEY=sk-summary")
	p.command.Env = append(p.command.Env, s.env...)
	p.command.Stdout = p.log
	said, err := p.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go p.listen(said, address)
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the proxy said:\n%.3000s", p.log)
		}
	})
	select {
	case p.url = <-address:
	case <-p.ended:
		if s.waits {
			return p
		}
		t.Fatalf("the proxy ended: %v\n%s", p.err, p.log)
	case <-time.After(patience):
		t.Fatalf("the proxy does not begin\n%s", p.log)
	}
	p.address = strings.TrimPrefix(p.url, "http://")
	p.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(p.client.CloseIdleConnections)
	return p
}

// listen reads the log until the process ends.
func (p *proxy) listen(said io.Reader, address chan<- string) {
	lines := bufio.NewScanner(said)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		fmt.Fprintln(p.log, lines.Text())
		if _, url, ok := strings.Cut(lines.Text(), "plimsoll: serving "); ok {
			address <- url
		}
	}
	_, _ = io.Copy(p.log, said)
	p.err = p.command.Wait()
	close(p.ended)
}

func program(t *testing.T) string {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs another command of plimsoll on the store of the proxy.
func (p *proxy) run(args ...string) (string, error) {
	p.t.Helper()
	cmd := exec.Command(program(p.t), args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "HOME="+p.dir, "PLIMSOLL_STORE="+p.store)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// kill ends the process at once, as a crash does.
func (p *proxy) kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

// stop tells the process to end, and waits until it has.
func (p *proxy) stop() error {
	p.t.Helper()
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		return p.err
	case <-time.After(patience):
		return errors.New("it did not end")
	}
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   []byte
	// err says that the answer broke off.
	err error
}

func (a answer) String() string {
	return fmt.Sprintf("%d %.400q %v", a.status, a.body, a.err)
}

// decision is what the proxy says that it did.
func (a answer) decision() string { return a.header.Get("X-Plimsoll-Decision") }

// post sends a body; headers are names and values in turn.
func (p *proxy) post(path string, body []byte, headers ...string) answer {
	p.t.Helper()
	return p.do(p.t.Context(), http.MethodPost, path, body, headers...)
}

func (p *proxy) get(path string, headers ...string) answer {
	p.t.Helper()
	return p.do(p.t.Context(), http.MethodGet, path, nil, headers...)
}

func (p *proxy) do(ctx context.Context, method, path string, body []byte, headers ...string) answer {
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer sk-client")
	for i := 0; i+1 < len(headers); i += 2 {
		if strings.EqualFold(headers[i], "Host") {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	a.body, a.err = io.ReadAll(resp.Body)
	return a
}

// must fails the test unless the answer is a 200.
func (p *proxy) must(a answer) answer {
	p.t.Helper()
	if a.status != http.StatusOK || a.err != nil {
		p.t.Fatalf("got %v", a)
	}
	return a
}

// dial opens a connection for what no library would send.
func (p *proxy) dial() net.Conn {
	p.t.Helper()
	c, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c
}

// raw sends bytes, and returns what comes until the proxy closes or is silent.
func (p *proxy) raw(text string) string {
	p.t.Helper()
	c := p.dial()
	go func() { _, _ = io.WriteString(c, text) }()
	var got bytes.Buffer
	for quiet := patience; ; quiet = 300 * time.Millisecond {
		_ = c.SetReadDeadline(time.Now().Add(quiet))
		buffer := make([]byte, 64<<10)
		n, err := c.Read(buffer)
		got.Write(buffer[:n])
		if err != nil {
			return got.String()
		}
	}
}

// status is that of an answer in plain text; 0 if there is none.
func status(raw string) int {
	var n int
	_, _ = fmt.Sscanf(raw, "HTTP/1.1 %d", &n)
	return n
}

// metric reads one figure of the process.
func (p *proxy) metric(name string) float64 {
	p.t.Helper()
	a := p.must(p.get("/metrics"))
	match := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(a.body)
	if match == nil {
		p.t.Fatalf("there is no %s", name)
	}
	v, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// memory returns the resident bytes of the process in MB: now, and the most so far.
func (p *proxy) memory() (now, peak float64) {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		p.t.Skip("NOT CHECKED: no /proc here: ", err)
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f", &kb); n == 1 {
			now = kb / 1024
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %f", &kb); n == 1 {
			peak = kb / 1024
		}
	}
	return now, peak
}

// grown does something, and returns by how many MB the memory grew at most meanwhile.
func (p *proxy) grown(do func()) float64 {
	p.t.Helper()
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0o200) // else the peak is since the start
	before, _ := p.memory()
	do()
	_, peak := p.memory()
	return peak - before
}

// cpu is the seconds of processor time that the process has had.
func (p *proxy) cpu() float64 {
	p.t.Helper()
	return p.metric("process_cpu_seconds_total")
}

// until waits for something to be so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
