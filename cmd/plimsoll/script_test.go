package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// agentAtWork is one turn of an agent that reads files, and has read the last.
func agentAtWork(rounds int) plimsoll.Conversation {
	messages := []plimsoll.Message{
		plimsoll.Say(plimsoll.User, "Find out why berth_planner.go sends deep ships to Quay 4. Never touch tide.go."),
	}
	for i := range rounds {
		id := fmt.Sprint("call_", i)
		output := fmt.Sprintf("package berth%d\n%s", i, strings.Repeat("// what a quay is, and how deep the water is there\n", 12))
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: fmt.Sprintf("I look at file %d.", i)},
				plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"internal/berth/quay_%d.go"}`, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Name: "read_file", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output})}))
	}
	return plimsoll.Conversation{
		System:   plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "You keep the berth plan of Saltmere harbour."}),
		Tools:    plimsoll.ListOf(plimsoll.Tool{Name: "read_file", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`}),
		Messages: plimsoll.ListOf(messages...),
	}
}

// talk is a chat about a harbour, in English or Japanese.
func talk(language string, turns int) plimsoll.Conversation {
	ask, answer := "What is to be known of ship %d? Never name the pilots.", "Ship %d lies at Quay %d, as berths/plan_%d.csv says. She is loaded until the evening tide, and leaves with the next one. Her agent has asked for two tugs and for fresh water. The crane is booked from eight o'clock on, and the customs office has cleared her papers."
	last := "Thanks. And what is open?"
	if language == "ja" {
		ask, answer = "%d番の船について教えてください。計画書 plan/berth.md は絶対に変更しないでください。", "%d番の船は%d番岸壁に着いています。記録は berths/plan_%d.csv にあります。荷役は夕方の満潮までに終わり、次の満潮で出港する予定です。代理店から曳船二隻と清水の補給を頼まれています。クレーンは八時から予約済みで、税関の手続きも終わりました。"
		last = "ありがとう。残っている仕事は何ですか。"
	}
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "You keep the berth plan of Saltmere harbour.")}
	for i := range turns {
		messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprintf(ask, i)), plimsoll.Say(plimsoll.Assistant, fmt.Sprintf(answer, i, i%7, i)))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(append(messages, plimsoll.Say(plimsoll.User, last))...)}
}

// writeTalk writes a chat as a request, or as messages one a line.
func writeTalk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: chat DIALECT|lines LANGUAGE TURNS FILE")
	}
	turns, err := strconv.Atoi(args[2])
	ts.Check(err)
	c := talk(args[1], turns)
	if args[0] != "lines" {
		body, err := wiretest.Rewrite(dialects.Codec(plimsoll.Dialect(args[0])), c)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[3]), body, 0o600))
		return
	}
	var lines strings.Builder
	for _, m := range c.Messages.All() {
		line, err := json.Marshal(map[string]string{"role": string(m.Role), "content": m.Text()})
		ts.Check(err)
		lines.Write(append(line, '\n'))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(lines.String()), 0o600))
}

func writeSession(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: session DIALECT ROUNDS FILE")
	}
	rounds, err := strconv.Atoi(args[1])
	ts.Check(err)
	body, err := wiretest.Rewrite(dialects.Codec(plimsoll.Dialect(args[0])), agentAtWork(rounds))
	ts.Check(err)
	model := map[string]string{"openai": "gpt-4o", "responses": "gpt-4o", "anthropic": "claude-sonnet-4-5"}[args[0]]
	if model != "" {
		body = []byte(strings.Replace(string(body), "{", `{"model":"`+model+`",`, 1))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), body, 0o600))
}

func sameJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samejson FILE FILE")
	}
	var values [2]any
	for i, name := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &values[i]))
	}
	if reflect.DeepEqual(values[0], values[1]) == neg {
		ts.Fatalf("%s and %s: the same is %v", args[0], args[1], neg)
	}
}

func sameHead(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: samehead FILE FILE BYTES")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if len(a) < n || len(b) < n || a[:n] != b[:n] {
		ts.Fatalf("%s and %s do not begin alike", args[0], args[1])
	}
}

// serveModel serves a scripted model. One that answers at length says which answer it
// is, and how many words it was asked to say.
func serveModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: model NAME [WORDS [WINDOW]]")
	}
	var figures [2]int
	for i, text := range args[1:] {
		n, err := strconv.Atoi(text)
		ts.Check(err)
		figures[i] = n
	}
	o := &scripted.Options{Window: figures[1]}
	if words := figures[0]; words > 0 {
		var answers atomic.Int64
		o.Script = func(c *scripted.Call) (scripted.Step, bool) {
			text := fmt.Sprintf("Answer %d in %d words:%s.", answers.Add(1), words, strings.Repeat(" ship", words))
			return scripted.Say(text), c.End() == scripted.EndUser
		}
	}
	server := httptest.NewServer(scripted.New(o))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}
