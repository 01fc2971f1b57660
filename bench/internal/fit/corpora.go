package fit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// files of recorded conversations, those with tool calls first.
var files = []string{
	"tau-bench/airline_gpt-4o.jsonl.gz",
	"tau2-bench/simulations.jsonl.gz",
	"entire-claude-code/sessions.jsonl.gz",
	"swe-agent/trajs.jsonl.gz",
	"pi-sessions/before-compaction.jsonl.gz",
	"aider-chats/chats.jsonl.gz",
	"asdc-ja/dialogs.jsonl.gz",
	"mt-bench-ja/chats.jsonl.gz",
	"realpersonachat-llm-ja/chats.jsonl.gz",
}

// Cases reads the recorded conversations and says how many could not be used.
func Cases(shared string) (all []Case, unused int, err error) {
	policies, err := policies(shared)
	if err != nil {
		return nil, 0, err
	}
	for _, file := range files {
		data, err := open(shared, file)
		if err != nil {
			return nil, 0, err
		}
		records, err := read(file, data)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", file, err)
		}
		for _, r := range records {
			c, err := newCase(r.id, filepath.Dir(file), append(policies[r.domain], r.messages...))
			if err != nil {
				return nil, 0, err
			}
			if c == nil {
				unused++
				continue
			}
			all = append(all, *c)
		}
	}
	return all, unused, nil
}

type record struct {
	id, domain string
	messages   []plimsoll.Message
}

func open(shared, file string) ([]byte, error) {
	f, err := os.Open(filepath.Join(shared, "corpora", file))
	if err != nil {
		return nil, fmt.Errorf("recorded conversations are missing; set PLIMSOLL_SHARED to the folder that holds corpora/: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(z)
}

// policies returns the system prompts that the simulations were run with, by the
// domain.
func policies(shared string) (map[string][]plimsoll.Message, error) {
	data, err := open(shared, "tau2-bench/policies.jsonl.gz")
	if err != nil {
		return nil, err
	}
	records, err := read("policies", data)
	byDomain := map[string][]plimsoll.Message{}
	for _, r := range records {
		byDomain[r.domain] = r.messages
	}
	return byDomain, err
}

func read(name string, data []byte) ([]record, error) {
	if filepath.Dir(name) == "pi-sessions" { // one session, an event a line
		t, err := transcript.Parse(data, transcript.JSONL)
		if err != nil {
			return nil, err
		}
		return []record{{id: name, messages: t.Conversations[0].Messages.Slice()}}, nil
	}
	var all []record
	for line := range bytes.Lines(data) {
		r, err := parse(line)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// note is what a line says about a message beside its content.
type note struct {
	Role string `json:"role"`
	// Requestor is "user" where the simulated user called a tool of its own.
	Requestor   string   `json:"requestor"`
	ToolCallIDs []string `json:"tool_call_ids"`
}

func parse(line []byte) (record, error) {
	var head struct {
		ID, Domain string
		Messages   []note
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return record{}, err
	}
	t, err := transcript.Parse(line, transcript.JSON)
	if err != nil {
		return record{}, fmt.Errorf("%s: %w", head.ID, err)
	}
	r := record{id: head.ID, domain: head.Domain}
	for i, m := range t.Conversations[0].Messages.All() {
		if m, ok := head.Messages[i].apply(m); ok {
			r.messages = append(r.messages, m)
		}
	}
	return r, nil
}

// apply leaves out what never was in the agent's prompt: what a simulated user did
// with its own tools, and notices of a program to its user. It gives results the
// id of their call where a record writes it in its own way.
func (n note) apply(m plimsoll.Message) (plimsoll.Message, bool) {
	if n.Requestor == "user" || n.Role == "notice" || m.Role == plimsoll.User && plimsoll.Has[plimsoll.ToolCall](m) {
		return m, false
	}
	if m.Role == plimsoll.ToolRole && len(n.ToolCallIDs) == 1 {
		m = plimsoll.NewMessage(m.Role, plimsoll.ToolResult{CallID: n.ToolCallIDs[0], Content: contentOf(m)})
	}
	return m, true
}

func contentOf(m plimsoll.Message) plimsoll.List[plimsoll.Part] {
	for _, p := range m.Parts.All() {
		if r, ok := p.(plimsoll.ToolResult); ok {
			return r.Content
		}
	}
	return m.Parts
}
