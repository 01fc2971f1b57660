package config

import "github.com/plimsoll/plimsoll/fit"

// Settings is everything that can be configured. Its fields are the keys of the
// file in snake_case; their tags are
//
//	default  the value when no source has one, written as in the environment
//	null     what it means that there is no value; such a setting may be null, also
//	         if it has a default
//	oneof    the words that are possible
//	min, max the numbers that are possible; those above a bound with "above"
//	atmost   the key of another number that this one must not exceed
//	form     what a text must look like, a regular expression; described by want
//	alias    another key by which files and variables may know it
//	variable another variable by which the environment may know it
//	reach    "outside" for what makes the program open files or addresses, or run
//	         programs
//	help     a sentence for the documentation
//
// A pointer is nil where zero would be a value of its own; elsewhere zero means
// that there is none.
type Settings struct {
	Preset string `default:"auto" oneof:"auto cookbook agent multichat gemini" help:"Named configuration that supplies what no other source sets."`
	Method string `null:"the preset's" oneof:"window summary hybrid" help:"How old content goes: whole turns (window), replaced by a summary (summary), or both (hybrid)."`
	Model  string `null:"the request's" alias:"model.name" help:"Model whose window and tokenizer count."`

	Window  int  `null:"the model's" min:"1" help:"Context window in tokens, for prompt and answer together, whatever the model."`
	Reserve *int `null:"the request's" min:"0" help:"Tokens that stay free for the answer; 0 means none."`

	Marks Marks
	Pins  []fit.Pin `null:"none" help:"Messages that stay as they are: by role, index (negative from the end), tool or match (a regular expression)."`

	Policy string `null:"the preset's: rent in auto, threshold elsewhere" oneof:"rent threshold" help:"When to cut: only what is over the high mark (threshold), or also what costs more to send again and again than to cut (rent)."`

	Recollect string `default:"auto" oneof:"auto off" help:"Whether Plimsoll quotes missing messages before the newest question: in preset auto without a method (auto), or not (off)."`

	ToolOutputCache ToolOutputCache
	Compaction      CompactionSettings

	Expand string `default:"auto" oneof:"auto always off" help:"How a model behind the proxy gets back what was cut: by tools from the first cut on (auto), from the first request on (always), or not (off)."`
	Serve  Serve
	Chat   Chat

	Store        Path           `null:"none; cache, mcp, serve and run use the user's own" reach:"outside" help:"Where Plimsoll keeps what it cuts: a file or a postgres:// address."`
	Tokenizers   Path           `null:"none" reach:"outside" help:"Directory of Hugging Face tokenizers, one folder or file a family."`
	BufferFactor float64        `default:"1.2" min:"1" max:"10" variable:"TOKEN_BUFFER_FACTOR" help:"Margin of preset multichat and prune on the estimate for models without a vocabulary; also TOKEN_BUFFER_FACTOR."`
	Models       []Path         `null:"none" reach:"outside" help:"Lists of models to lay over the built-in one, files or addresses."`
	Windows      map[string]int `null:"none" min:"1" help:"Context windows of single models in tokens; a star stands for any text in a name."`
}

// Serve says where the proxy listens, whom it asks, and what it bears.
type Serve struct {
	Listen    string   `default:"127.0.0.1:7171" form:"\\S*:\\d+" want:"HOST:PORT" reach:"outside" help:"Where the proxy listens."`
	Admin     string   `null:"the same address" form:"\\S*:\\d+" want:"HOST:PORT" reach:"outside" help:"Address where metrics, the HTTP API and the dashboard are served instead."`
	Dashboard string   `default:"auto" oneof:"auto on off" reach:"outside" help:"Who sees the dashboard, with contents of all tenants: clients with the admin token (auto), without a token also clients on this machine (on), or no client (off)."`
	Openai    Path     `default:"https://api.openai.com/v1" reach:"outside" help:"Server for Chat Completions and Responses."`
	Anthropic Path     `default:"https://api.anthropic.com" reach:"outside" help:"Server for Messages."`
	Gemini    Path     `default:"https://generativelanguage.googleapis.com" reach:"outside" help:"Server for generateContent."`
	Hosts     []string `null:"those of this machine" reach:"outside" help:"Names by which browsers and tools may call the proxy, beside its address."`
	Origins   []string `null:"none" reach:"outside" help:"Origins of web pages that may call the proxy."`
	Tenants   string   `default:"auto" oneof:"auto credential one" help:"Who owns a conversation: everyone with the same credential (credential), or one tenant for all, which plimsoll cache, account and mcp see (one). auto means one on a loopback address without hosts and without an admin token, and credential elsewhere."`

	MaxBodyBytes int `null:"64 MiB" min:"1024" help:"Bytes that a request may have, decoded."`
}

// Chat says who takes part in a chat.
type Chat struct {
	Models []string `null:"none" reach:"outside" help:"Models that take part in a chat, as API:MODEL, optionally with @URL behind and NAME= in front."`
	System string   `null:"none" help:"System prompt of a chat."`

	Servers []string `null:"none" form:"[a-zA-Z][a-zA-Z0-9_-]{0,31}=.*\\S.*" want:"NAME=COMMAND or NAME=URL" reach:"outside" help:"MCP servers whose tools models are offered with --tools, as NAME=COMMAND or NAME=URL."`
}

// Marks are fractions of the limit: above High the engine acts, and it cuts down
// to Low.
type Marks struct {
	High float64 `null:"the preset's" above:"0" max:"1" help:"High watermark: the fraction of the limit above which Plimsoll cuts."`
	Low  float64 `null:"the preset's: in auto 0.8, and 1 for a conversation that was not seen before" above:"0" max:"1" atmost:"marks.high" help:"Low watermark: how much of the limit to keep after a cut."`
}

// ToolOutputCache says how tool outputs enter a conversation.
type ToolOutputCache struct {
	Enabled             bool `default:"true" help:"Whether large tool outputs are kept outside the conversation."`
	ContextBudgetTokens *int `null:"the preset's: none in auto, a quarter of the window, 20000 to 60000, in agent" min:"0" help:"Tokens that tool outputs may take together."`
	MaxMessageBytes     int  `default:"51200" min:"1" help:"Bytes that a single output may take."`
	MaxLineLength       int  `default:"2000" min:"1" help:"Characters that a line of an output may have."`
}

// CompactionSettings says when old messages are replaced by a checkpoint, and who writes it.
type CompactionSettings struct {
	Enabled              bool     `default:"true" help:"Whether old messages may be replaced by a checkpoint."`
	Auto                 bool     `default:"true" help:"Whether Plimsoll compacts when the load calls for it; else only on request."`
	ThresholdRatio       float64  `default:"0.8" above:"0" max:"1" help:"Fraction of the window at which preset agent compacts."`
	CompressionThreshold float64  `default:"0.5" above:"0" max:"1" alias:"model.compression_threshold" help:"Fraction of the window below which preset gemini leaves everything as it is; also model.compression_threshold."`
	Model                string   `null:"that of the summarizer, else the request's" reach:"outside" help:"Model that writes summaries; cheaper means the cheapest of the same provider."`
	SummaryPrompt        string   `null:"the built-in one" help:"How Plimsoll asks a model for a summary."`
	SummaryDirectives    []string `null:"none" help:"What to add to that, as bullets."`
	RetainPrompt         string   `null:"nothing is asked for" help:"What Plimsoll asks a model to retain word for word."`
	RetainDirectives     []string `null:"none" help:"What to add to that, as bullets."`
	RetainLastTurns      int      `default:"1" min:"0" help:"Newest turns that stay as they are in preset agent."`
	Summarizer           string   `null:"the preset's: auto in agent and gemini, with a method of summaries, and with a model; else extract" form:"auto|extract|(openai|responses|anthropic|gemini|ollama)(:\\S*)?" want:"auto, extract or API:MODEL, optionally with @URL" reach:"outside" help:"Who writes summaries: auto (the client's own provider with the client's key, if there is one to ask, else extract), extract (no model), openai:MODEL@URL, responses:MODEL, anthropic:MODEL, gemini:MODEL or ollama:MODEL."`
	TimeoutSeconds       int      `default:"60" min:"1" help:"How long a model may take, in seconds; then extract writes the summary."`
	Hooks                Hooks
}

// Hooks are commands for the shell, or addresses, that hear of compactions.
type Hooks struct {
	Pre     []string `null:"none" reach:"outside" help:"Commands and addresses that Plimsoll asks before a compaction; they may veto it."`
	Post    []string `null:"none" reach:"outside" help:"Commands and addresses that get the result of a compaction."`
	Content bool     `default:"false" reach:"outside" help:"Whether the pre hooks also get the messages."`
}

// Path is a file, a directory or an address. Relative ones in a file are relative
// to that file's directory.
type Path string
