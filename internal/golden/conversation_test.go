package golden_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/examples"
)

// story is a conversation with the two requests that follow its first.
type story struct {
	name string
	// window is its limit, small enough that it matters.
	window int
	conversation
	next [2][]message
}

func user(parts ...any) message      { return message{"user", parts} }
func assistant(parts ...any) message { return message{"assistant", parts} }

var tools = []tool{
	{"read_file", "Reads a file.", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`},
	{"write_file", "Writes a file.", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`},
	{"run", "Runs a command.", `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`},
}

var vocabulary = strings.Fields(`harbour tide quay pilot draught crane ballast rope anchor beacon chart depth
	berth cargo manifest customs lock basin tug fender mooring signal watch log keel hull stern bow`)

// prose is a text of so many words, another one for each seed.
func prose(seed, words int) string {
	var b strings.Builder
	state := uint32(seed)*2654435761 + 12345
	for i := range words {
		state = state*1664525 + 1013904223
		switch {
		case i == 0:
		case i%12 == 0:
			b.WriteString(".\n")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[state>>16%uint32(len(vocabulary))])
	}
	return b.String() + "."
}

// listing is the output of a command with an error among its lines.
func listing(seed, lines int) string {
	var b strings.Builder
	for i := range lines {
		if i == lines/2 {
			fmt.Fprintf(&b, "error: berth %d is too shallow for draught %d\n", seed, i)
		}
		fmt.Fprintf(&b, "%03d %s\n", i, strings.ReplaceAll(prose(seed*1000+i, 6), "\n", " "))
	}
	return b.String()
}

// caller makes calls with ids in order.
type caller struct{ made int }

// use is a call of a tool beside the answer to it.
func (c *caller) use(name, argument, output string) (call, result) {
	c.made++
	key := map[string]string{"run": "command"}[name]
	if key == "" {
		key = "path"
	}
	id := fmt.Sprintf("call_%03d", c.made)
	return call{id, name, fmt.Sprintf(`{%q:%q}`, key, argument)}, result{id: id, name: name, text: output}
}

// round is a call with a word before it, and its result.
func (c *caller) round(says, name, argument, output string) []message {
	made, answer := c.use(name, argument, output)
	return []message{assistant(says, made), user(answer)}
}

func join(lists ...[]message) []message {
	var all []message
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// ends are what most stories go on with: an answer with a question, then a call with
// its result.
func (c *caller) ends() [2][]message {
	return [2][]message{
		{assistant("That is done. " + prose(900, 20)), user("Now check the tide. " + prose(901, 15))},
		c.round("I check it.", "run", "tide", listing(902, 8)),
	}
}

const pixel picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const instructions = "You help the harbour office. Never move the Margaret."

// stories are the conversations that each preset gets in each dialect.
func stories(t *testing.T) []story {
	t.Helper()
	all := []story{
		underItsLine(), largeOutputs(), superseded(), oldOutputs(), reasoning(), longChat(),
		agentLoop(), together(), pictures(), heavyFloor(), withoutIDs(), growsOverItsLine(),
	}
	harbour := recorded(t, examples.Harbour())
	all = append(all, split("the harbour session", 9000, harbour, 30, 36, 42))
	demo := recorded(t, unzipped(t, "../lab/demo/session.json.gz"))
	return append(all, split("the demo session", 24_000, demo, 40, 46, 52))
}

func underItsLine() story {
	var c caller
	return story{"under its line", 20_000, conversation{system: instructions, tools: tools, messages: join(
		[]message{user("Read the log.")}, c.round("I read it.", "read_file", "log.txt", listing(1, 10)),
		[]message{assistant("It is calm."), user("Good. And the crane?")},
	)}, c.ends()}
}

// growsOverItsLine is under its line at first.
func growsOverItsLine() story {
	var c caller
	messages := []message{user("Read all the files, please.")}
	for i := range 4 {
		messages = join(messages, c.round("Next.", "read_file", fmt.Sprintf("file%d.txt", i), listing(20+i, 14)))
	}
	return story{"grows over its line", 1500, conversation{system: instructions, tools: tools, messages: messages}, [2][]message{
		join(c.round("And this.", "read_file", "file8.txt", listing(28, 30)), c.round("And this.", "read_file", "file9.txt", listing(29, 4))),
		{assistant("These are all."), user("Which of them names the tug?")},
	}}
}

func largeOutputs() story {
	var c caller
	return story{"large outputs", 1700, conversation{system: instructions, tools: tools, messages: join(
		[]message{user("What fails at night?")}, c.round("I look.", "run", "night.sh", listing(2, 120)),
		c.round("And the other.", "run", "day.sh", listing(3, 90)), []message{assistant("Berth 2 is too shallow."), user("Look again.")},
		c.round("Once more.", "run", "again.sh", listing(4, 60)),
	)}, c.ends()}
}

func superseded() story {
	var c caller
	file := listing(5, 18)
	write, written := c.use("write_file", "quays.txt", "ok")
	write.arguments = `{"path":"quays.txt","content":"new"}`
	return story{"repeated and superseded reads", 1900, conversation{system: instructions, tools: tools, messages: join(
		[]message{user("Fix the list of quays.")},
		c.round("I read it.", "read_file", "quays.txt", file),
		c.round("I read it again.", "read_file", "quays.txt", file),
		[]message{assistant("I write it.", write), user(written)},
		c.round("I check.", "read_file", "quays.txt", listing(6, 18)),
		c.round("The other.", "read_file", "ships.txt", listing(7, 12)),
		c.round("Tests.", "run", "make test", listing(8, 10)),
		c.round("The other again.", "read_file", "ships.txt", listing(7, 12)),
		c.round("Tests.", "run", "make test", listing(9, 10)),
		c.round("Tests.", "run", "make test", listing(9, 10)),
	)}, c.ends()}
}

func oldOutputs() story {
	var c caller
	messages := []message{user("Read the log of each day. " + prose(30, 20))}
	for i := range 12 {
		messages = join(messages, c.round("Day.", "read_file", fmt.Sprintf("day%02d.log", i), listing(40+i, 12)))
		if i == 5 {
			messages = join(messages, []message{assistant("Half is read."), user("Go on.")})
		}
	}
	return story{"old outputs", 2000, conversation{system: instructions, tools: tools, messages: messages}, c.ends()}
}

func reasoning() story {
	var c caller
	var messages []message
	for i := range 6 {
		made, answer := c.use("run", fmt.Sprintf("step%d", i), prose(60+i, 8))
		messages = join(messages, []message{
			user(fmt.Sprintf("Question %d?", i)), assistant(thought(prose(70+i, 70)), made), user(answer),
			assistant(thought(prose(80+i, 40)), "Answer: "+prose(90+i, 10)),
		})
	}
	return story{"reasoning", 950, conversation{system: instructions, tools: tools, messages: join(messages, []message{user("And now?")})}, c.ends()}
}

func longChat() story {
	var messages []message
	for i := range 10 {
		messages = append(messages, user(fmt.Sprintf("Question %d: ", i)+prose(100+i, 40)), assistant(fmt.Sprintf("Answer %d: ", i)+prose(120+i, 70)))
	}
	return story{"a long chat without tools", 1100, conversation{system: instructions, messages: join(messages, []message{user("Which quay was the first?")})}, [2][]message{
		{assistant("The first was quay 2."), user("And the last? " + prose(140, 150))},
		{assistant("Quay 9. " + prose(141, 100)), user("Thanks.")},
	}}
}

// agentLoop is one turn of many rounds.
func agentLoop() story {
	var c caller
	messages := []message{user("Repair everything. Keep the beacon lit.")}
	for i := range 14 {
		messages = join(messages, c.round(prose(160+i, 25), "run", fmt.Sprintf("repair %d", i), prose(180+i, 30)))
	}
	return story{"one turn of many rounds", 1000, conversation{system: instructions, tools: tools, messages: messages}, c.ends()}
}

func together() story {
	var c caller
	messages := []message{user("Compare the files.")}
	for i := range 4 {
		var calls, results []any
		for j := range 3 {
			made, answer := c.use("read_file", fmt.Sprintf("part%d-%d.txt", i, j), listing(200+3*i+j, 7))
			answer.failed = i == 1 && j == 1
			calls, results = append(calls, made), append(results, answer)
		}
		messages = append(messages, assistant(calls...), user(results...))
	}
	return story{"several calls at once", 1400, conversation{system: instructions, tools: tools, messages: messages}, c.ends()}
}

func pictures() story {
	var c caller
	shot, seen := c.use("run", "screenshot", "The crane at noon.")
	seen.picture = pixel
	return story{"pictures", 1500, conversation{system: instructions, tools: tools, messages: join(
		[]message{user("What is this?", pixel), assistant(prose(220, 60)), user(pixel, "And this?"), assistant(prose(221, 60)), user("Take one."), assistant(shot), user(seen), assistant("Done.")},
		[]message{user("Read."), assistant(prose(222, 200)), user("Again."), assistant(prose(223, 400)), user("And?", pixel)},
	)}, c.ends()}
}

// heavyFloor has a newest turn that does not fit.
func heavyFloor() story {
	var c caller
	return story{"the newest message is over the limit", 300, conversation{system: instructions, tools: tools, messages: []message{
		user("Hello."), assistant("Good morning."), user("Summarise this: " + prose(230, 400)),
	}}, [2][]message{{assistant("It is about ships."), user("Shorter.")}, c.round("I look.", "run", "tide", listing(231, 80))}}
}

func withoutIDs() story {
	s := together()
	s.name, s.noIDs = "calls without ids", true
	s.messages[0] = user("Compare them all.")
	return s
}

// split makes a story of a recorded conversation, which is asked for after so many
// messages, each time when the user or a tool has spoken.
func split(name string, window int, c conversation, first, second, third int) story {
	s := story{name: name, window: window, conversation: c}
	for _, end := range []*int{&first, &second, &third} {
		for c.messages[*end-1].role != "user" {
			*end++
		}
	}
	s.messages = c.messages[:first:first]
	s.next = [2][]message{c.messages[first:second:second], c.messages[second:third:third]}
	return s
}

// recorded reads a body of chat completions.
func recorded(t *testing.T, body []byte) conversation {
	t.Helper()
	var r struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		Messages []struct {
			Role       string
			Content    any
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	var c conversation
	for _, f := range r.Tools {
		c.tools = append(c.tools, tool{f.Function.Name, f.Function.Description, string(f.Function.Parameters)})
	}
	names := map[string]string{}
	for _, m := range r.Messages {
		var parts []any
		switch content := m.Content.(type) {
		case string:
			parts = append(parts, content)
		case []any:
			for _, block := range content {
				if text, ok := block.(object)["text"].(string); ok {
					parts = append(parts, text)
				} else {
					parts = append(parts, pixel)
				}
			}
		}
		for _, made := range m.ToolCalls {
			names[made.ID] = made.Function.Name
			parts = append(parts, call{made.ID, made.Function.Name, made.Function.Arguments})
		}
		switch last := len(c.messages) - 1; {
		case m.Role == "system":
			c.system = parts[0].(string)
		case m.Role != "tool":
			c.messages = append(c.messages, message{m.Role, parts})
		case c.messages[last].role == "user":
			c.messages[last].parts = append(c.messages[last].parts, result{id: m.ToolCallID, name: names[m.ToolCallID], text: parts[0].(string)})
		default:
			c.messages = append(c.messages, user(result{id: m.ToolCallID, name: names[m.ToolCallID], text: parts[0].(string)}))
		}
	}
	return c
}

func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
