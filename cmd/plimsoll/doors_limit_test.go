package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestAWindowAndALimitMeanTheSameThroughEveryWayIn names a window of 9,000 tokens in every way
// that there is: by flags, variables, headers, options of the API and in Go. What is reserved
// of it depends on the preset and on the setting alone, and 0 is a value. Then it names a
// limit, also by /limit: of that nothing is reserved.
func TestAWindowAndALimitMeanTheSameThroughEveryWayIn(t *testing.T) {
	t.Parallel()
	const variable, window = "CHATGPT_MAX_CONTEXT_LENGTH=9000", "PLIMSOLL_WINDOW=9000"
	body := []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}`)
	for _, tt := range []struct {
		preset, settings string
		reserve          *int
		want             int
	}{
		{preset.NameAuto, "", nil, 562},
		{preset.NameAuto, "reserve: 0\n", new(0), 0},
		{preset.NameAgent, "reserve: 100\n", new(100), 100},
		{preset.NameMultichat, "", nil, 0},
		{preset.NameGemini, "", nil, 0},
		{preset.NameCookbook, "reserve: 100\n", new(100), 100},
	} {
		t.Run(tt.preset+" "+strings.TrimSpace(tt.settings), func(t *testing.T) {
			t.Parallel()
			w := &doors{t: t}
			config := filepath.Join(t.TempDir(), "plimsoll.yaml")
			w.must(os.WriteFile(config, []byte("preset: "+tt.preset+"\n"+tt.settings), 0o600))
			config = "PLIMSOLL_CONFIG=" + config
			is := func(way string, got plimsoll.Line) {
				t.Helper()
				want := plimsoll.Line{Window: 9000, Reserve: tt.want}
				if strings.Contains(way, "limit") {
					want.Reserve = 0
				}
				if got != want {
					t.Errorf("%s: the line is %+v, want %+v", way, got, want)
				}
			}
			lineIn := func(report []byte) plimsoll.Line {
				t.Helper()
				var plan plimsoll.Plan
				w.must(json.Unmarshal(report, &plan))
				return plan.Line
			}

			options, err := preset.Named(tt.preset, &preset.Options{Window: 9000, Reserve: tt.reserve})
			w.must(err)
			keeper, err := fit.New(options)
			w.must(err)
			line, err := keeper.Line(plimsoll.Conversation{Model: "gpt-4o"})
			w.must(err)
			is("the library", line)
			hello, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
			w.must(err)
			for way, client := range map[string]preset.Client{"Client.Window": {Window: 9000}, "the limit of a client": {Limit: 9000}} {
				plan, err := keeper.Plan(t.Context(), preset.Task(hello, client))
				w.must(err)
				is(way, plan.Line)
			}

			run := func(input string, environ []string, args ...string) []byte {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "plimsoll", args...)
				cmd.Env = append(append(os.Environ(), config), environ...)
				cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(input)
				out, err := cmd.CombinedOutput()
				w.must(err)
				return out
			}
			dry := []string{"fit", "--dry-run", "--json"}
			is("fit --window", lineIn(run(string(body), nil, append(dry, "--window", "9000")...)))
			is("fit --limit", lineIn(run(string(body), nil, append(dry, "--limit", "9000")...)))
			is("fit with "+window, lineIn(run(string(body), []string{window}, dry...)))
			is("fit with "+variable, lineIn(run(string(body), []string{variable}, dry...)))

			gauge := regexp.MustCompile(`of ([\d,]+) tokens .*reserve ([\d,]+)`)
			chat := []string{"chat", "--store", "chat.db", "-m", "openai:gpt-4o@http://127.0.0.1:1"}
			for way, out := range map[string][]byte{
				"chat --window":         run("/context\n", nil, append(chat, "--window", "9000")...),
				"chat --limit":          run("/context\n", nil, append(chat, "--limit", "9000")...),
				"chat with " + variable: run("/context\n", []string{variable}, chat...),
				"/limit":                run("/limit 9000\n/context\n", nil, chat...),
			} {
				figures := gauge.FindSubmatch(out)
				if figures == nil {
					t.Fatalf("%s: no gauge in %q", way, out)
				}
				is(way, plimsoll.Line{Window: w.number(string(figures[1])), Reserve: w.number(string(figures[2]))})
			}

			plan := func(n *node, path string, header map[string]string) plimsoll.Line {
				t.Helper()
				resp, answer := call(t, http.MethodPost, n.url+path, body, header)
				if resp.StatusCode != http.StatusOK {
					t.Fatalf("%s: status %d: %s", path, resp.StatusCode, answer)
				}
				return lineIn(answer)
			}
			dryRun := map[string]string{"X-Plimsoll-Dry-Run": "1"}
			for _, flag := range []string{"--window", "--limit"} {
				byFlag := startNode(t, []string{config}, flag, "9000", "--store", "kept.db")
				is("serve "+flag, plan(byFlag, "/v1/chat/completions", dryRun))
				is("the API of serve "+flag, plan(byFlag, "/plimsoll/v1/plan", nil))
			}
			byVariable := startNode(t, []string{config, variable}, "--store", "kept.db")
			is("serve with "+variable, plan(byVariable, "/v1/chat/completions", dryRun))
			plain := startNode(t, []string{config}, "--store", "kept.db")
			for _, word := range []string{"window", "limit"} {
				header := map[string]string{"X-Plimsoll-" + word: "9000"}
				is("the API with a header for a "+word, plan(plain, "/plimsoll/v1/plan", header))
				header["X-Plimsoll-Dry-Run"] = "1"
				is("the proxy with a header for a "+word, plan(plain, "/v1/chat/completions", header))
				is("the API with "+word, plan(plain, "/plimsoll/v1/plan?"+word+"=9000", nil))
			}
		})
	}
}

// TestOneLimitCutsAlikeThroughEveryWayIn names one limit, and then one window, in every way
// that there is. The counts, the cut and the bytes must be the same, and another limit must
// cut otherwise.
func TestOneLimitCutsAlikeThroughEveryWayIn(t *testing.T) {
	t.Parallel()
	const tokens = "7000"
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Anthropic} {
		empty := newStore(t)
		named := map[string]func() *doors{
			"limit":  func() *doors { w := newDoors(t, d, empty, ""); w.limit = 7000; return w },
			"window": func() *doors { w := newDoors(t, d, empty, ""); w.window = 7000; return w },
		}
		for word, open := range named {
			t.Run(string(d)+" "+word, func(t *testing.T) {
				t.Parallel()
				session := chatSession(t, d)
				body, _ := newDoors(t, d, empty, "").chat(session, "--limit", "200000")
				want := open().library(body)
				served := func() *doors {
					w := newDoors(t, d, empty, "")
					w.flags = []string{"--" + word, tokens}
					return w
				}
				got := map[string]outcome{
					"the API": open().api(body), "the proxy": open().proxied(body), "the command line": open().command(body),
					"serve --" + word: served().proxied(body), "the API of serve --" + word: served().api(body),
				}
				for way, got := range got {
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s differs from the library (-library +got):\n%s", way, diff)
					}
				}
				chats := [][]string{{"--" + word, tokens}}
				if word == "limit" {
					chats = append(chats, []string{"/limit " + tokens})
				}
				for _, arguments := range chats {
					if diff := cmp.Diff(want.roughly(), newDoors(t, d, empty, "").chatted(session, arguments...)); diff != "" {
						t.Errorf("chat with %q differs from the library (-library +chat):\n%s", arguments, diff)
					}
				}
				if other := newDoors(t, d, empty, "").library(body); other.Body == want.Body {
					t.Error("the window of the settings has the same effect")
				}
			})
		}
	}
}

// TestEveryWayInFitsByTheBestCount gives a long conversation with tools to presets that
// count by rules of their own. Every way in sends the same bytes, and they fit by the
// best count.
func TestEveryWayInFitsByTheBestCount(t *testing.T) {
	t.Parallel()
	work, empty := agentAtWork(60), newStore(t)
	var messages []plimsoll.Message
	for i, m := range work.Messages.All() {
		if i%12 == 1 && i > 1 {
			messages = append(messages, plimsoll.Say(plimsoll.Assistant, "I have."), plimsoll.Say(plimsoll.User, "And the next six files?"))
		}
		messages = append(messages, m)
	}
	work.Messages = plimsoll.ListOf(messages...)
	for _, name := range []string{preset.NameMultichat, preset.NameGemini, preset.NameCookbook} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func() *doors {
				w := newDoors(t, plimsoll.OpenAI, empty, "preset: "+name+"\n")
				w.preset = name
				return w
			}
			w := open()
			body, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), work)
			w.must(err)
			body = append([]byte(`{"model":"gpt-4o",`), bytes.TrimPrefix(body, []byte("{"))...)
			want := w.library(body)
			if best := token.NewMeter(nil).Weigh(w.decode([]byte(want.Body)).Conversation()).Total; best > doorWindow || want.Body == string(body) {
				t.Errorf("%d tokens are sent of %d, the limit is %d", best, want.Before, doorWindow)
			}
			for way, got := range map[string]outcome{"the API": open().api(body), "the proxy": open().proxied(body), "the command line": open().command(body)} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from the library (-library +got):\n%s", way, diff)
				}
			}
		})
	}
}
