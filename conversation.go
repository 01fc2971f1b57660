package plimsoll

// Dialect names the API a conversation is spoken in. It decides the framing
// tokens around each message, never the meaning of a part.
type Dialect string

// The dialects.
const (
	// OpenAI is OpenAI's Chat Completions and everything compatible with it.
	OpenAI Dialect = "openai"
	// Responses is OpenAI's Responses API.
	Responses Dialect = "responses"
	// Anthropic is Anthropic's Messages API.
	Anthropic Dialect = "anthropic"
	// Gemini is Google's generateContent.
	Gemini Dialect = "gemini"
	// Ollama is the chat of Ollama's own API.
	Ollama Dialect = "ollama"
	// Converse is Amazon Bedrock's API of that name.
	Converse Dialect = "converse"
)

// Role says who speaks. Dialects that use other words (Gemini's "model") are
// translated by their codec.
type Role string

// The roles.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolRole is a message of its own for a tool result, as OpenAI sends it.
	// Anthropic and Gemini put results into user messages.
	ToolRole Role = "tool"
)

// Instructs reports whether the role speaks for the program's author: system or
// developer.
func (r Role) Instructs() bool { return r == System || r == Developer }

// Conversation is what one request says to a model. It is immutable: the lists
// cannot be changed in place, and a [Draft] makes a new conversation out of an
// old one.
type Conversation struct {
	// Dialect the request was spoken in; empty means that of the model's own API, else
	// OpenAI.
	Dialect Dialect
	// Model as the caller named it.
	Model string
	// MaxOutput is the most tokens that the answer may have, 0 if the request
	// does not say.
	MaxOutput int
	// Window is the context window in tokens that the request asks the server for, 0 if
	// the request does not say.
	Window int
	// System holds instructions that stand outside the messages (Anthropic's
	// system, Gemini's systemInstruction, Responses' instructions). OpenAI's
	// system messages stand among the messages.
	System List[Part]
	// Tools the model may call.
	Tools List[Tool]
	// Choice says how the model may use its tools: empty or "auto" as it likes, "single" one at
	// a time, "none" not at all, "required" at least one. Any other word names the tool that
	// it must call.
	Choice string
	// Output is the form that the answer must have, with the schema of the answer; zero
	// for any form.
	Output Tool
	// Thinking is how the model shall think, in the provider's word ("enabled", "adaptive", "pro");
	// empty if the request does not say.
	Thinking string
	// Messages, oldest first.
	Messages List[Message]
}

// Message is one entry of a conversation.
type Message struct {
	Role Role
	// Name of the speaker, where the dialect has one.
	Name  string
	Parts List[Part]
	// Digest identifies the message's raw bytes; zero when unknown. Messages
	// with equal non-zero digests are equal, which lets a meter weigh a message
	// it has seen before without looking at it.
	Digest Digest
}

// Digest is a 128-bit fingerprint of raw bytes. It is no secret and no proof.
type Digest [16]byte

// NewMessage returns a message of the given parts.
func NewMessage(role Role, parts ...Part) Message {
	return Message{Role: role, Parts: ListOf(parts...)}
}

// Say returns a message of one text.
func Say(role Role, text string) Message {
	return Message{Role: role, Parts: frozen([]Part{Text{text}})}
}

// Text joins the message's text parts with newlines.
func (m Message) Text() string { return TextOf(m.Parts) }

// Tool describes a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON schema of the arguments, unchanged; empty for none.
	Schema string
	// Result is the JSON schema of what the tool returns, unchanged. Only Gemini has one.
	Result string
	// Opaque is the whole declaration, unchanged, for tools that are not plain
	// functions (web search, code execution, namespaces). Then Schema is empty.
	Opaque string
}
