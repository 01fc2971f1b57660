package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// conversations are what the ways in are compared by, for each API, and for a model of
// Anthropic by OpenAI's API, as gateways serve it.
func conversations(t *testing.T, run func(t *testing.T, w func() *doors, request func(plimsoll.Conversation) []byte)) {
	t.Helper()
	for _, tt := range []struct {
		name, opening, chat string
		dialect             plimsoll.Dialect
	}{
		{"openai", `"model":"gpt-4o",`, "", plimsoll.OpenAI},
		{"responses", `"model":"gpt-4o",`, "", plimsoll.Responses},
		{"anthropic", `"model":"claude-sonnet-4-5","max_tokens":500,`, "", plimsoll.Anthropic},
		{"gemini", "", "", plimsoll.Gemini},
		{"Claude by OpenAI's API", `"model":"claude-sonnet-4-5",`, "openai:claude-sonnet-4-5", plimsoll.OpenAI},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			empty := newStore(t)
			run(t, func() *doors {
				w := newDoors(t, tt.dialect, empty, "")
				if tt.chat != "" {
					w.chatModel = tt.chat
				}
				return w
			}, func(c plimsoll.Conversation) []byte {
				body, err := wiretest.Rewrite(dialects.Codec(tt.dialect), c)
				if err != nil {
					t.Fatal(err)
				}
				return append([]byte("{"+tt.opening), bytes.TrimPrefix(body, []byte("{"))...)
			})
		})
	}
}

// recordedSession is the beginning of a recorded session that has much more than
// doorWindow.
func recordedSession(t *testing.T) plimsoll.Conversation {
	t.Helper()
	meter := token.NewMeter(nil)
	for _, s := range corpora.Read(t, "entire-claude-code/sessions.jsonl.gz") {
		c := s.Conversation
		c.System, c.Tools = agentAtWork(1).System, agentAtWork(1).Tools
		messages := c.Messages.Slice()
		for n := 1; n < len(messages); n++ {
			c.Messages = plimsoll.ListOf(messages[:n]...)
			if messages[n].Role == plimsoll.Assistant && messages[n-1].Role != plimsoll.Assistant && meter.Weigh(c).Total > 2*doorWindow {
				return c
			}
		}
	}
	t.Fatal("no session is long enough")
	return plimsoll.Conversation{}
}

// TestEveryWayInCutsAlike gives the same conversation to every way in, each on a store of
// its own with the same key: the counts with their bands, the cut and the bytes must be
// the same.
func TestEveryWayInCutsAlike(t *testing.T) {
	t.Parallel()
	for name, conversation := range map[string]func(*testing.T) plimsoll.Conversation{
		"generated": func(*testing.T) plimsoll.Conversation { return agentAtWork(60) },
		"recorded":  recordedSession,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conversation(t)
			conversations(t, func(t *testing.T, doors func() *doors, request func(plimsoll.Conversation) []byte) {
				body := request(c)
				want := doors().library(body)
				if want.After.Total >= want.Before.Total {
					t.Fatalf("%d tokens became %d: nothing was cut", want.Before.Total, want.After.Total)
				}
				for name, got := range map[string]outcome{
					"the API": doors().api(body), "the proxy": doors().proxied(body), "the command line": doors().command(body),
				} {
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s differs from the library (-library +got):\n%s", name, diff)
					}
				}
			})
		})
	}
}

// TestTheChatCutsAsTheOthersDo lets the chat write its requests itself: without a limit it
// sends the whole one.
func TestTheChatCutsAsTheOthersDo(t *testing.T) {
	t.Parallel()
	conversations(t, func(t *testing.T, doors func() *doors, _ func(plimsoll.Conversation) []byte) {
		w := doors()
		session := chatSession(t, w.dialect)
		whole, _ := w.chat(session, "--limit", "200000")
		want := doors().library(whole)
		if diff := cmp.Diff(want, doors().proxied(whole)); diff != "" {
			t.Errorf("the proxy differs from the library (-library +proxy):\n%s", diff)
		}
		if diff := cmp.Diff(want.roughly(), doors().chatted(session)); diff != "" {
			t.Errorf("the chat differs from the library (-library +chat):\n%s", diff)
		}
	})
}

// TestEveryWayInRecollectsAlike asks for something that was told early in a long chat. The
// library, the API, the proxy and the chat quote it in the same bytes, and on one store
// the command line sends those of the proxy.
func TestEveryWayInRecollectsAlike(t *testing.T) {
	t.Parallel()
	type reply struct{ Participant, Model, Dialect, Text string }
	type turn struct {
		Question string
		To       []string
		Replies  []reply `json:",omitempty"`
	}
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			var all []turn
			messages := talk("en", 150).Messages.Slice()[1:]
			for i := 0; i+1 < len(messages); i += 2 {
				all = append(all, turn{messages[i].Text(), []string{"model"}, []reply{{"model", "any", string(d), messages[i+1].Text()}}})
			}
			all = append(all, turn{"At which quay does ship 12 lie, as plan_12.csv says?", []string{"model"}, nil})
			session, err := json.Marshal(map[string]any{"kind": "turns", "what": "loading", "turns": all})
			if err != nil {
				t.Fatal(err)
			}
			empty := newStore(t)
			whole, _ := newDoors(t, d, empty, "").chat(session, "--limit", "200000")
			shared := newDoors(t, d, empty, "")
			proxied := shared.proxied(whole)
			if !strings.Contains(proxied.Body, plimsoll.RecollectionOpening) {
				t.Fatal("nothing is brought back")
			}
			got := map[string]outcome{"the API": newDoors(t, d, empty, "").api(whole), "the library": newDoors(t, d, empty, "").library(whole)}
			if d == plimsoll.OpenAI || d == plimsoll.Responses { // the body names the model
				got["the command line"] = shared.command(whole)
			}
			for name, got := range got {
				if diff := cmp.Diff(proxied, got); diff != "" {
					t.Errorf("%s differs from the proxy (-proxy +got):\n%s", name, diff)
				}
			}
			if diff := cmp.Diff(proxied.roughly(), newDoors(t, d, empty, "").chatted(session)); diff != "" {
				t.Errorf("the chat differs from the proxy (-proxy +chat):\n%s", diff)
			}
			if off := newDoors(t, d, empty, "recollect: off\n").proxied(whole); strings.Contains(off.Body, plimsoll.RecollectionOpening) {
				t.Error("the setting does not switch it off")
			}
		})
	}
}

// TestEveryWayInSeesWhatTheOthersDid lets one way in cut a conversation after another on
// one store: each must send the very bytes of the first. After the API or a command has
// undone the compaction, the proxy and the chat must make a new one.
func TestEveryWayInSeesWhatTheOthersDid(t *testing.T) {
	t.Parallel()
	w := newDoors(t, plimsoll.OpenAI, newStore(t), "method: summary\n")
	w.method = preset.MethodSummary
	body := agentRequest(t, plimsoll.OpenAI, 60)
	first := w.proxied(body)
	for name, again := range map[string]func([]byte) outcome{"the API": w.api, "the command line": w.command, "the library": w.library, "the proxy": w.proxied} {
		if diff := cmp.Diff(first, again(body)); diff != "" {
			t.Errorf("%s does not send what the proxy sent first (-first +again):\n%s", name, diff)
		}
	}
	checkpoint := regexp.MustCompile(`tokens\), archived=(\w+)`)
	ref := checkpoint.FindStringSubmatch(first.Body)
	if ref == nil {
		t.Fatal("there is no checkpoint to undo")
	}
	decision := func() string {
		resp, _ := call(t, http.MethodPost, w.url()+apiPaths[w.dialect][0], body, map[string]string{"Authorization": "Bearer sk-1"})
		return resp.Header.Get("X-Plimsoll-Decision")
	}
	if got := decision(); got != "recall" {
		t.Errorf("before the undo the proxy's decision is %q, want recall", got)
	}
	undo := map[string]func(ref string, body []byte){
		"the API": func(ref string, body []byte) {
			resp, answer := call(t, http.MethodPost, w.url()+"/plimsoll/v1/undo?ref="+ref, body, map[string]string{"Authorization": "Bearer open sesame"})
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("undo: status %d: %s", resp.StatusCode, answer)
			}
		},
		"the command line": func(ref string, body []byte) {
			cmd := exec.CommandContext(t.Context(), "plimsoll", "compact", "--undo", ref, "-")
			cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
			cmd.Stdin = bytes.NewReader(body)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("undo: %v\n%.300s", err, out)
			}
		},
	}
	for name, undo := range undo {
		undo(ref[1], body)
		if got := decision(); got != "compact" {
			t.Errorf("after %s has undone it the proxy's decision is %q, want compact", name, got)
		}
	}

	// The chat recalls what the proxy did with its request, and compacts again what
	// another one has undone.
	session := chatSession(t, w.dialect)
	body, _ = w.chat(session, "--limit", "200000")
	first = w.proxied(body)
	if ref = checkpoint.FindStringSubmatch(first.Body); ref == nil {
		t.Fatal("there is no checkpoint in the chat")
	}
	compacts := func() (string, bool) {
		sent, remarks := w.chat(session)
		return string(sent), strings.Contains(remarks, "will become a summary")
	}
	if sent, made := compacts(); made || sent != first.Body {
		t.Errorf("the chat does not send what the proxy made of its request; it says that it makes another summary: %v", made)
	}
	for name, undo := range undo {
		undo(ref[1], body)
		if _, made := compacts(); !made {
			t.Errorf("after %s has undone it the chat compacts nothing", name)
		}
		if _, made := compacts(); made {
			t.Errorf("the chat does not recall what it made after %s had undone the first", name)
		}
	}
}
