//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
)

// browser is a real one without a window, which takes orders over two pipes.
type browser struct {
	t       *testing.T
	orders  io.Writer
	answers *bufio.Reader
	session string
	last    int
	// noted are what the page's console and the browser complained about.
	noted []string
	// received are the answers that the network gave: STATUS ADDRESS.
	received []string
}

// browserVariable names the browser, which makes the test run.
const browserVariable = "PLIMSOLL_BROWSER"

func openBrowser(t *testing.T, flags ...string) *browser {
	t.Helper()
	program := os.Getenv(browserVariable)
	if program == "" {
		t.Skip("SKIPPED: " + browserVariable + " names no Chromium; make test-browser runs this")
	}
	theirs, orders, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	flags = append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "about:blank",
	}, flags...)
	cmd := exec.CommandContext(t.Context(), program, flags...)
	cmd.ExtraFiles = []*os.File{theirs, ours}
	// It is many processes, which write to the folder until the last of them is gone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirs.Close(), ours.Close() // the browser has them
	t.Cleanup(func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	})
	b := &browser{t: t, orders: orders, answers: bufio.NewReader(answers)}
	var target struct{ TargetID string }
	b.order("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.order("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.order(domain+".enable", nil, nil)
	}
	return b
}

// order tells the browser to do something and waits until it has.
func (b *browser) order(method string, parameters map[string]any, result any) {
	b.t.Helper()
	b.last++
	order := map[string]any{"id": b.last, "method": method, "params": parameters}
	if parameters == nil {
		order["params"] = map[string]any{}
	}
	if b.session != "" {
		order["sessionId"] = b.session
	}
	text, err := json.Marshal(order)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.orders.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		text, err := b.answers.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser is gone: %v", method, err)
		}
		var answer struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &answer); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case answer.Method == "Log.entryAdded", answer.Method == "Runtime.exceptionThrown", answer.Method == "Runtime.consoleAPICalled":
			b.noted = append(b.noted, string(answer.Params))
		case answer.Method == "Network.responseReceived":
			var got struct {
				Response struct {
					URL    string
					Status int
				}
			}
			if err := json.Unmarshal(answer.Params, &got); err != nil {
				b.t.Fatal(err)
			}
			b.received = append(b.received, fmt.Sprint(got.Response.Status, " ", got.Response.URL))
		case answer.ID == b.last && answer.Error != nil:
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		case answer.ID == b.last:
			if result != nil {
				if err := json.Unmarshal(answer.Result, result); err != nil {
					b.t.Fatal(err)
				}
			}
			return
		}
	}
}

// value is what an expression comes to in the page.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	var got struct {
		Result           struct{ Value T }
		ExceptionDetails *struct{ Text string }
	}
	b.order("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails.Text)
	}
	return got.Result.Value
}

// until waits for an expression to be true.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); !value[bool](b, expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("it never was true that %s:\n%s", expression, value[string](b, "document.body.innerText"))
		}
	}
}

// open goes to a page on a screen.
func (b *browser) open(url string, width int, scheme string) {
	b.t.Helper()
	b.order("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	b.order("Emulation.setEmulatedMedia", map[string]any{"features": []any{
		map[string]any{"name": "prefers-color-scheme", "value": scheme}, map[string]any{"name": "prefers-reduced-motion", "value": "reduce"},
	}}, nil)
	b.order("Page.navigate", map[string]any{"url": url}, nil)
	b.until(fmt.Sprintf("document.readyState === 'complete' && location.href === %q", url))
}

// shoot takes a picture of what can be seen, if pictures are wanted.
func (b *browser) shoot(name string, whole bool) {
	b.t.Helper()
	dir := os.Getenv("PLIMSOLL_SHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.order("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// playedDemo starts a demonstration and returns its address at once.
func playedDemo(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "demo", "--serve", "--plain")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("it says nothing")
	}
	_, address, ok := strings.Cut(lines.Text(), "dashboard on ")
	if !ok {
		t.Fatalf("it says %q first", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return strings.TrimSuffix(address, dashboard.Root)
}

// TestABrowserShowsTheDashboard opens every page in a real browser, wide and narrow,
// light and dark, and goes the way from a cut to what was there.
func TestABrowserShowsTheDashboard(t *testing.T) {
	b := openBrowser(t)
	address := playedDemo(t) + dashboard.Root

	// Opened before anything has passed, the first page fills by itself.
	b.open(address, 1280, "light")
	b.until(`document.getElementById("pulse").textContent === "live"`)
	b.until(`[...document.querySelectorAll("#tiles .tile")].some((e) => /^Requests\s+52\b/.test(e.innerText))`)
	b.until(`document.querySelectorAll("#hero .mark").length > 0 && document.querySelectorAll("#cuts a").length > 0`)

	conversation := value[string](b, `document.querySelector("#hero a").href`)
	ref := value[string](b, `document.querySelector("#cuts a[href*='/refs/']").href`)
	request := value[string](b, `document.querySelector("#cuts a[href*='/conversations/']").href`)
	pages := []struct{ name, url string }{
		{"overview", address},
		{"conversations", address + "conversations"},
		{"conversation", conversation},
		{"request", request},
		{"refs", address + "refs"},
		{"ref", ref},
		{"models", address + "models"},
		{"health", address + "health"},
	}
	for _, p := range pages {
		for _, width := range []int{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				b.open(p.url, width, scheme)
				if over := value[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					t.Errorf("%s is %d pixels wider than a screen of %d", p.name, over, width)
				}
				if poor := value[[]string](b, poorContrast); len(poor) > 0 {
					t.Errorf("%s, %s: too little contrast: %s", p.name, scheme, strings.Join(poor, "; "))
				}
				if lacking := value[[]string](b, unnamed); len(lacking) > 0 {
					t.Errorf("%s: without a name: %s", p.name, strings.Join(lacking, "; "))
				}
				b.shoot(fmt.Sprintf("%s-%d-%s", p.name, width, scheme), true)
			}
		}
	}

	// What was cut is searched by the form of its page.
	b.open(ref, 1280, "light")
	b.order("Runtime.evaluate", map[string]any{"expression": `document.querySelector("input[name=pattern]").value = "func"; document.querySelector("form button").click()`}, nil)
	b.until(`/lines match/.test(document.body?.innerText)`)
	if strings.Contains(value[string](b, "location.href"), "func") {
		t.Error("what was searched for is in the address")
	}
	if len(b.noted) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(b.noted, "\n"))
	}

	// Without scripts the pages are there, too.
	b.order("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.order("Page.navigate", map[string]any{"url": conversation}, nil)
	b.until(`/What was cut, and why/.test(document.body?.innerText) && document.querySelectorAll("#cuts tbody tr").length > 10`)
}

// unnamed finds controls and pictures that a screen reader could not name.
const unnamed = `[...document.querySelectorAll("input, select, button, a, svg[role=img]")].filter((e) =>
  !(e.labels && e.labels.length) && !e.innerText?.trim() && !e.getAttribute("aria-label") && e.type !== "hidden").map((e) => e.outerHTML.slice(0, 80))`

// poorContrast finds texts with less contrast than 4.5 to 1.
const poorContrast = `(() => {
  const rgb = (text) => { const n = text.match(/[\d.]+/g).map(Number); return { c: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 }; };
  const shade = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = (e) => {
    let over = [];
    for (let at = e; at; at = at.parentElement) {
      const { c, a } = rgb(getComputedStyle(at).backgroundColor);
      if (a > 0) over.push({ c, a });
      if (a === 1) break;
    }
    return over.reverse().reduce((below, { c, a }) => below.map((v, i) => v * (1 - a) + c[i] * a), [255, 255, 255]);
  };
  const poor = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.closest("svg") || !e.checkVisibility()) continue;
    const text = rgb(getComputedStyle(e).color), back = under(e);
    const front = text.c.map((v, i) => v * text.a + back[i] * (1 - text.a));
    const [a, b] = [shade(front), shade(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.add(e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 20) + " " + ((a + 0.05) / (b + 0.05)).toFixed(1));
  }
  return [...poor].slice(0, 5);
})()`
