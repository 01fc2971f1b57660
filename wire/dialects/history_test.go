package dialects_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// client writes requests of one dialect as an agent does: the same instructions
// and tools in front, then the messages.
type client struct {
	dialect plimsoll.Dialect
	// body has SYSTEM, TOOLS and MESSAGES in it; tools is the list of a main agent,
	// fewer that of a helper.
	body, tools, fewer string
	// user and assistant are messages with TEXT in them, round a call with its
	// result.
	user, assistant, round string
	// compact is what the client asks for when it compacts, and summary how the
	// next request begins.
	compact, summary string
	// head is how many links of the chain are for what stands in front: one, and
	// one more where the instructions are a message.
	head, roundLinks int
}

var clients = []client{
	{
		dialect: plimsoll.OpenAI,
		body:    `{"model":"m","metadata":{"sessionId":"s-1"},"messages":[{"role":"system","content":"SYSTEM"}MESSAGES]TOOLS}`,
		tools:   `,"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"write"}}]`,
		fewer:   `,"tools":[{"type":"function","function":{"name":"read"}}]`,
		user:    `,{"role":"user","content":"TEXT"}`, assistant: `,{"role":"assistant","content":"TEXT"}`,
		round:   `,{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}`,
		compact: "First, reason in your scratchpad. Then write the <state_snapshot>.",
		summary: "<state_snapshot><goal>a harbour</goal></state_snapshot>",
		head:    2, roundLinks: 2,
	},
	{
		dialect: plimsoll.Ollama,
		body:    `{"model":"m","keep_alive":"5m","messages":[{"role":"system","content":"SYSTEM"}MESSAGES]TOOLS}`,
		tools:   `,"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"write"}}]`,
		fewer:   `,"tools":[{"type":"function","function":{"name":"read"}}]`,
		user:    `,{"role":"user","content":"TEXT"}`, assistant: `,{"role":"assistant","content":"TEXT"}`,
		round:   `,{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{}}}]},{"role":"tool","tool_name":"read","content":"r"}`,
		compact: "Summarise what was said.",
		summary: "Summary: a harbour.",
		head:    2, roundLinks: 2,
	},
	{
		dialect:   plimsoll.Responses,
		body:      `{"model":"m","prompt_cache_key":"s-1","input":[{"type":"message","role":"developer","content":"SYSTEM"}MESSAGES]TOOLS}`,
		tools:     `,"tools":[{"type":"function","name":"read"},{"type":"namespace","name":"fs","tools":[]}]`,
		fewer:     `,"tools":[{"type":"function","name":"read"}]`,
		user:      `,{"type":"message","role":"user","content":[{"type":"input_text","text":"TEXT"}]}`,
		assistant: `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT"}]}`,
		round: `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"g"},{"type":"function_call","id":"fc_1","call_id":"1","name":"read","arguments":"{}"}` +
			`,{"type":"function_call_output","call_id":"1","output":"r"}`,
		compact: "You are performing a CONTEXT CHECKPOINT COMPACTION.",
		summary: "Another language model started to solve this problem and produced a summary.",
		head:    2, roundLinks: 3,
	},
	{
		dialect: plimsoll.Anthropic,
		body:    `{"model":"m","metadata":{"user_id":"{\"session_id\":\"s-1\"}"},"system":[{"type":"text","text":"SYSTEM","cache_control":{"type":"ephemeral"}}]TOOLS,"messages":[MESSAGES]}`,
		tools:   `,"tools":[{"name":"read","input_schema":{}},{"name":"write","input_schema":{}}]`,
		fewer:   `,"tools":[{"name":"read","input_schema":{}}]`,
		user:    `,{"role":"user","content":[{"type":"text","text":"TEXT"}]}`, assistant: `,{"role":"assistant","content":[{"type":"text","text":"TEXT"}]}`,
		round:   `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}`,
		compact: "Your task is to create a detailed summary in <analysis> and <summary> tags.",
		summary: "This session is being continued from a previous conversation. <summary>a harbour</summary>",
		head:    1, roundLinks: 2,
	},
	{
		dialect: plimsoll.Gemini,
		body:    `{"systemInstruction":{"role":"user","parts":[{"text":"SYSTEM"}]}TOOLS,"labels":{"session":"s-1"},"contents":[MESSAGES]}`,
		tools:   `,"tools":[{"functionDeclarations":[{"name":"read"},{"name":"write"}]}]`,
		fewer:   `,"tools":[{"functionDeclarations":[{"name":"read"}]}]`,
		user:    `,{"role":"user","parts":[{"text":"TEXT"}]}`, assistant: `,{"role":"model","parts":[{"text":"TEXT"}]}`,
		round:   `,{"role":"model","parts":[{"functionCall":{"name":"read","args":{}},"thoughtSignature":"s"}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"r"}}}]}`,
		compact: "First, reason in your scratchpad. Then, generate the <state_snapshot>.",
		summary: "<state_snapshot><overall_goal>a harbour</overall_goal></state_snapshot>",
		head:    1, roundLinks: 2,
	},
}

const noTools = ""

// request writes a request and asks that the API would take it.
func (c client) request(t *testing.T, system, tools string, messages ...string) *wire.Request {
	t.Helper()
	joined := strings.Join(messages, "")
	if c.head == 1 {
		joined = strings.TrimPrefix(joined, ",") // no instructions stand before it in the list
	}
	r := wiretest.Decode(t, dialects.Codec(c.dialect), strings.NewReplacer("SYSTEM", system, "TOOLS", tools, "MESSAGES", joined).Replace(c.body))
	wiretest.ExpectRule(t, wire.Check(r), "")
	return r
}

func (c client) ask(text string) string    { return strings.Replace(c.user, "TEXT", text, 1) }
func (c client) answer(text string) string { return strings.Replace(c.assistant, "TEXT", text, 1) }

// history is a turn with a tool round and its answer, and how many links the chain
// has up to there.
func (c client) history() (messages string, links int) {
	return c.ask("plan a harbour") + c.round + c.answer("done"), c.head + 1 + c.roundLinks + 1
}

// TestAClientsOwnCompactionBeginsANewHistory follows a client over its compaction:
// the request for the summary continues the conversation, and the next one shares
// only instructions and tools with it.
func TestAClientsOwnCompactionBeginsANewHistory(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		t.Run(string(c.dialect), func(t *testing.T) {
			t.Parallel()
			history, links := c.history()
			before := c.request(t, "be brief", c.tools, history, c.ask("and a pier"))
			for _, tt := range []struct {
				name string
				next *wire.Request
				want int
			}{
				{"the request for the summary", c.request(t, "be brief", c.tools, history, c.ask(c.compact)), links},
				{"the request after it", c.request(t, "be brief", c.tools, c.ask(c.summary), c.answer("Understood."), c.ask("and a pier")), c.head},
				{"one that keeps the newest question alone", c.request(t, "be brief", c.tools, c.ask(c.summary+" and a pier")), c.head},
			} {
				if got := wiretest.SharedLinks(before, tt.next); got != tt.want {
					t.Errorf("%s shares %d links, want %d", tt.name, got, tt.want)
				}
			}
			after := c.request(t, "be brief", c.tools, c.ask(c.summary))
			further := c.request(t, "be brief", c.tools, c.ask(c.summary), c.answer("Understood."), c.ask("and a pier"))
			if got, want := wiretest.SharedLinks(after, further), len(after.Chain()); got != want {
				t.Errorf("the new history shares %d links with its own continuation, want %d", got, want)
			}
		})
	}
}

// TestSideRequestsAreToldApartByPrefixAndTools looks at what clients send beside
// the conversation, with the same key and the same session.
func TestSideRequestsAreToldApartByPrefixAndTools(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		t.Run(string(c.dialect), func(t *testing.T) {
			t.Parallel()
			history, links := c.history()
			other := c
			other.body = strings.ReplaceAll(c.body, "s-1", "s-2")
			main := c.request(t, "be brief", c.tools, history, c.ask("and a pier"))
			for _, tt := range []struct {
				name string
				side *wire.Request
				want int
			}{
				{"the next request of the conversation", c.request(t, "be brief", c.tools, history, c.ask("and a pier"), c.answer("there"), c.ask("thanks")), links + 1},
				{"a title, with instructions of its own and no tools", c.request(t, "write a title", noTools, c.ask("plan a harbour")), 0},
				{"a title with the same instructions and no tools", c.request(t, "be brief", noTools, c.ask("plan a harbour")), 0},
				{"a helper with fewer tools on the same history", c.request(t, "be brief", c.fewer, history, c.ask("what is worth remembering?")), 0},
				{"a helper with other instructions on the same history", c.request(t, "remember", c.tools, history, c.ask("and a pier")), c.head - 1},
				{"the same conversation in another session", other.request(t, "be brief", c.tools, history, c.ask("and a pier")), links + 1},
				{"another conversation", c.request(t, "be brief", c.tools, c.ask("plan an airport")), c.head},
				{"another conversation that began with the same words", c.request(t, "be brief", c.tools, c.ask("plan a harbour"), c.answer("no")), c.head + 1},
			} {
				if got := wiretest.SharedLinks(main, tt.side); got != tt.want {
					t.Errorf("%s shares %d links, want %d", tt.name, got, tt.want)
				}
			}
		})
	}
}

// TestALinkStandsForAllBeforeIt compares histories that part and come to say the
// same again.
func TestALinkStandsForAllBeforeIt(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		t.Run(string(c.dialect), func(t *testing.T) {
			t.Parallel()
			one := c.request(t, "be brief", c.tools, c.ask("plan a harbour"), c.answer("done"), c.ask("thanks")).Chain()
			two := c.request(t, "be brief", c.tools, c.ask("plan an airport"), c.answer("done"), c.ask("thanks")).Chain()
			for i := c.head; i < len(one); i++ {
				if one[i] == two[i] {
					t.Errorf("link %d is the same after another question", i)
				}
			}
		})
	}
}
