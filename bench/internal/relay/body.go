package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/bench/internal/workload"
)

// conversation is a Chat Completions request that grows by a round at a time. All its
// bodies share their bytes.
type conversation struct {
	text []byte
	// ends are the lengths of text after each further round; the first is what the
	// conversation begins with.
	ends []int
}

// tail closes a body.
const tail = "]}"

const head = `{"model":"gpt-4.1","max_tokens":1000,%s"tools":[{"type":"function","function":{"name":"read","description":"Read lines of a file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}}}],"messages":[` +
	`{"role":"system","content":"You are a careful engineer. Read what you need, change little, and say what you did."},{"role":"user","content":%s}`

// Rounds of a history are about as long as what an agent reads at once, those that it
// grows by shorter, so that a body keeps its size.
const (
	longRound  = 6 << 10
	shortRound = 1 << 10
)

// maker makes conversations of which no two have a text in common.
type maker struct {
	text *workload.Text
	made int
}

func newMaker(source string) (*maker, error) {
	text, err := workload.NewText(source, 3)
	return &maker{text: text}, err
}

// history returns an agent's conversation of about so many bytes, which can grow by so
// many rounds.
func (m *maker) history(size, rounds int) *conversation {
	m.made++
	c := &conversation{text: fmt.Appendf(nil, head, "", quote(fmt.Sprintf("Task %d: find out why the test fails, and repair it.", m.made)))}
	for n := 0; len(c.text) < size; n++ {
		m.round(c, n, min(longRound, max(size-len(c.text), 256)))
	}
	c.ends = append(c.ends, len(c.text))
	for n := range rounds {
		m.round(c, 1_000_000+n, shortRound)
		c.ends = append(c.ends, len(c.text))
	}
	return c
}

// short returns a conversation of one message.
func (m *maker) short(size int, streamed bool) *conversation {
	m.made++
	option := ""
	if streamed {
		option = `"stream":true,"stream_options":{"include_usage":true},`
	}
	c := &conversation{text: fmt.Appendf(nil, head, option, quote(fmt.Sprintf("Question %d: what is wrong here?\n%s", m.made, m.text.Output(size*4/5))))}
	c.ends = []int{len(c.text)}
	return c
}

func (m *maker) round(c *conversation, n, size int) {
	c.text = fmt.Appendf(c.text, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/file%d.go\",\"from\":1}"}}]},{"role":"tool","tool_call_id":"call_%d","content":%s}`,
		n, n, n, quote(m.text.Output(size)))
}

// quote writes a text as JSON as clients do.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		panic("a string is always JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// body returns the conversation after n rounds.
func (c *conversation) body(n int) (io.Reader, int64) {
	end := c.ends[n]
	return io.MultiReader(bytes.NewReader(c.text[:end]), bytes.NewReader([]byte(tail))), int64(end + len(tail))
}

// size is how long the first body is.
func (c *conversation) size() int { return c.ends[0] + len(tail) }
