package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// talker is a program that is run with the proxy. It says what it sees:
//
//	talker ask VARIABLE PATH DIALECT N   sends N requests of an agent at work to the address in a variable
//	talker env NAME…                     prints variables
//	talker args …                        prints its arguments
//	talker echo                          copies its input
//	talker exit N                        ends with a status
//	talker signal NAME                   sends its parent a signal, and ends with 7 when it gets one itself
func talker() {
	args := os.Args[1:]
	switch args[0] {
	case "ask":
		askAgain(args[1], args[2], plimsoll.Dialect(args[3]), args[4])
	case "env":
		for _, name := range args[1:] {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "args":
		fmt.Printf("%q\n", args[1:])
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, "copied")
	case "exit":
		var status int
		_, _ = fmt.Sscan(args[1], &status)
		os.Exit(status)
	case "signal":
		signalParent(args[1])
	}
}

func askAgain(variable, path string, d plimsoll.Dialect, count string) {
	var n int
	_, _ = fmt.Sscan(count, &n)
	for i := range n {
		body, err := wiretest.Rewrite(dialects.Codec(d), agentAtWork(5*(i+1)))
		if err != nil {
			panic(err)
		}
		model := `{"model":"claude-sonnet-4-5","max_tokens":1000,`
		if d == plimsoll.OpenAI {
			model = `{"model":"gpt-4o",`
		}
		body = []byte(strings.Replace(string(body), "{", model, 1))
		resp, err := http.Post(os.Getenv(variable)+path, "application/json", bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(err)
		}
		fmt.Println(resp.StatusCode, resp.Header.Get(transport.HeaderDecision), len(answer) > 0)
	}
}

func TestARouteKeepsTheServerThatTheEnvironmentNames(t *testing.T) {
	t.Parallel()
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
	for _, tt := range []struct {
		name    string
		environ []string
		flags   serveFlags
		// openai, anthropic and gemini are the upstreams; "" is the provider's own.
		openai, anthropic, gemini string
		want                      map[string]string
		warnings                  int
	}{
		{
			name: "nothing is set",
			want: map[string]string{
				"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_BASE": "http://127.0.0.1:9/v1", "OPENAI_HOST": "http://127.0.0.1:9",
				"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9", "PLIMSOLL_URL": "http://127.0.0.1:9",
				"NO_PROXY": "",
			},
		},
		{
			name:    "servers of the user's",
			environ: []string{"OPENAI_BASE_URL=https://gate.example/api/v3/", "ANTHROPIC_BASE_URL=https://z.example/api/anthropic", "GEMINI_BASE_URL=http://g.example"},
			openai:  "https://gate.example/api/v3/", anthropic: "https://z.example/api/anthropic", gemini: "http://g.example",
			want: map[string]string{
				"OPENAI_BASE_URL": "http://127.0.0.1:9/v3", "OPENAI_API_BASE": "http://127.0.0.1:9/v1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
				"GEMINI_BASE_URL": "http://127.0.0.1:9",
			},
		},
		{
			name: "a server without a version", environ: []string{"OPENAI_API_BASE=https://gate.example/openai"},
			openai: "https://gate.example/openai",
			want:   map[string]string{"OPENAI_API_BASE": "http://127.0.0.1:9", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
		},
		{
			name: "one server, named with and without a version", environ: []string{"OPENAI_BASE_URL=http://x.example/v1", "OPENAI_HOST=http://x.example/"},
			openai: "http://x.example/v1",
			want:   map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_HOST": "http://127.0.0.1:9"},
		},
		{
			name: "two servers of one family", environ: []string{"OPENAI_BASE_URL=http://x.example/v1", "OPENAI_API_BASE=http://y.example/v1"},
			openai: "http://x.example/v1", warnings: 1,
			want: map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_BASE": "http://y.example/v1"},
		},
		{
			name: "no address", environ: []string{"ANTHROPIC_BASE_URL=localhost"}, warnings: 1,
			want: map[string]string{"ANTHROPIC_BASE_URL": "localhost"},
		},
		{
			name: "a flag wins", environ: []string{"OPENAI_BASE_URL=http://x.example/v1"}, flags: serveFlags{Openai: "http://flag.example/v1"},
			openai: "http://flag.example/v1", want: map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
		},
		{
			name: "a flag for all wins", environ: []string{"ANTHROPIC_BASE_URL=http://x.example"}, flags: serveFlags{Upstream: "http://flag.example"},
			want: map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
		},
		{
			name: "behind an HTTP proxy", environ: []string{"HTTP_PROXY=http://squid:3128", "NO_PROXY=a.example, b.example"},
			want: map[string]string{"NO_PROXY": "a.example,b.example,127.0.0.1", "no_proxy": "127.0.0.1"},
		},
		{
			name: "behind an HTTP proxy that is not asked for this machine", environ: []string{"http_proxy=http://squid:3128", "NO_PROXY=*", "no_proxy=127.0.0.1"},
			want: map[string]string{"NO_PROXY": "*", "no_proxy": "127.0.0.1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRoute(&process{environ: tt.environ}, tt.flags)
			if got, want := [3]string{r.flags.Openai, r.flags.Anthropic, r.flags.Gemini}, [3]string{tt.openai, tt.anthropic, tt.gemini}; got != want {
				t.Errorf("upstreams %q, want %q", got, want)
			}
			if len(r.warnings) != tt.warnings {
				t.Errorf("warnings %q", r.warnings)
			}
			child := &process{environ: r.environ(append(tt.environ, "HOME=/h"), at)}
			for name, want := range tt.want {
				if got := child.getenv(name); got != want {
					t.Errorf("%s=%s, want %s", name, got, want)
				}
			}
			if child.getenv("HOME") != "/h" {
				t.Errorf("the rest of the environment is lost")
			}
		})
	}
}

func TestCodexIsToldTheAddressByAnArgument(t *testing.T) {
	t.Parallel()
	const at = "http://127.0.0.1:9/v1"
	told := []string{"-c", `openai_base_url="http://127.0.0.1:9/v1"`}
	for _, tt := range []struct {
		name string
		args []string
		want []string
	}{
		{"codex", []string{"exec", "x"}, append(told, "exec", "x")},
		{"codex.exe", nil, told},
		{"codex", []string{"-c", "model_provider=mine"}, []string{"-c", "model_provider=mine"}},
		{"codex", []string{"--oss"}, []string{"--oss"}},
		{"claude", []string{"-p", "x"}, []string{"-p", "x"}},
	} {
		if diff := cmp.Diff(tt.want, clientArguments(tt.name, tt.args, at)); diff != "" {
			t.Errorf("%s %q: -want +got\n%s", tt.name, tt.args, diff)
		}
	}
}

func TestTheSummarySaysWhatTheProxyDid(t *testing.T) {
	t.Parallel()
	loads := func(before, after int) transport.Exchange {
		return transport.Exchange{Before: plimsoll.Load{Total: before}, After: plimsoll.Load{Total: after}}
	}
	cut := loads(9000, 3000)
	cut.Decision, cut.Rounds, cut.Rescued, cut.Warning = transport.Cut, 2, true, "the store\x1b was slow"
	refused := loads(500, 500)
	refused.Decision = transport.Refused
	paid := account.Account{Priced: 1, Paid: account.Dollars(1), Uncut: account.Dollars(3), Usage: plimsoll.Usage{Input: 1, CacheRead: 3}}
	for _, tt := range []struct {
		name  string
		all   []transport.Exchange
		total account.Account
		want  string
	}{
		{"nothing came", nil, paid, "plimsoll: no request came through the proxy; see docs/demo.md for what the program needs to find it\n"},
		{"nothing was cut", []transport.Exchange{loads(10, 10)}, account.Account{}, "plimsoll: 1 request; 10 tokens, nothing saved\n"},
		{
			"everything at once",
			[]transport.Exchange{loads(1000, 1000), cut, refused},
			paid,
			"plimsoll: 3 requests; 10,000 tokens sent as 4,000 (60.0 % saved); 1 cut; 2 looks at what was cut; 1 overflow caught; 1 request refused; 75 % of the prompts cached; paid $1.00, net saved $2.00\n" +
				"plimsoll: warning, 1 time: the store? was slow\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			s := &runSum{}
			for _, x := range tt.all {
				s.observe(t.Context(), x)
			}
			s.show(&process{stderr: &out}, tt.total)
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
