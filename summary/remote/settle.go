package remote

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// held reports whether the server holds a part of the conversation that a request for a
// summary must not use. The server would add the request and its answer to it, or refuse
// other instructions.
func held(body []byte, r *summary.Request) bool {
	o := parseObject(body)
	return o.has("conversation") || r.Prompt.System != "" && o.has("cachedContent", "cached_content")
}

// settle turns the caller's request into one for a summary: no stream, no tool calls, no
// required form of the answer, room for the summary. System, tools and messages keep
// their bytes.
func (a asking) settle(body []byte, r *summary.Request) ([]byte, error) {
	o := parseObject(body)
	o.replace("stream", "false")
	o.replace("model", quoted(a.model)) // the caller may have named another one than its body has
	switch a.dialect {
	case plimsoll.OpenAI:
		a.settleOpenAI(o, r)
	case plimsoll.Responses:
		a.settleResponses(o, r)
	case plimsoll.Anthropic:
		a.settleAnthropic(o, r)
	case plimsoll.Gemini:
		a.settleGemini(o, r)
	case plimsoll.Ollama:
		a.settleOllama(o, r)
	}
	return o.bytes()
}

// toolless reports whether the request for a summary goes out without tools.
func toolless(r *summary.Request) bool { return r.Whole || r.Prompt.System != "" }

func (a asking) settleOpenAI(o *object, r *summary.Request) {
	o.remove("stream_options", "n", "response_format", "stop", "logprobs", "top_logprobs", "prediction", "modalities", "audio")
	if toolless(r) {
		o.remove("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
	}
	if o.has("tools") {
		o.set(`"none"`, "tool_choice")
	}
	if o.has("functions") {
		o.set(`"none"`, "function_call")
	}
	output := strconv.Itoa(a.output(r))
	if !o.replace("max_completion_tokens", output) && !o.replace("max_tokens", output) {
		o.set(output, a.outputMember())
	}
}

func (a asking) settleResponses(o *object, r *summary.Request) {
	// Truncation would drop the oldest items without a word.
	o.remove("stream_options", "background", "truncation", "top_logprobs")
	o.within(func(text *object) { text.remove("format") }, "text")
	if toolless(r) {
		o.remove("tools", "tool_choice", "parallel_tool_calls")
	}
	if system := summary.System(r); system != "" {
		o.set(quoted(system), "instructions")
	}
	if o.has("tools") {
		o.set(`"none"`, "tool_choice")
	}
	o.set(strconv.Itoa(a.output(r)), "max_output_tokens")
}

// settleAnthropic keeps the tool choice if there are cache breakpoints: another choice
// invalidates the cached messages, which are most of the cache. The prompt says to call
// no tools, and remote refuses an answer that does.
func (a asking) settleAnthropic(o *object, r *summary.Request) {
	o.remove("stop_sequences", "output_format")
	o.within(func(output *object) { output.remove("format") }, "output_config")
	if system := summary.System(r); system != "" {
		o.set(quoted(system), "system")
	}
	switch {
	case !o.has("tools"):
	case toolless(r) && !callsTools(r):
		o.remove("tools", "tool_choice")
	case toolless(r) || !hasBreakpoint(o) || forced(o):
		o.set(`{"type":"none"}`, "tool_choice")
	}
	var thinking struct {
		Budget int `json:"budget_tokens"`
	}
	if json.Unmarshal(o.get("thinking"), &thinking) != nil {
		thinking.Budget = 0
	}
	// The limit must be above what the model may think.
	o.set(strconv.Itoa(a.output(r)+max(thinking.Budget, 0)), "max_tokens")
}

// callsTools reports whether there are calls in the messages. Then the API asks for
// the tools too.
func callsTools(r *summary.Request) bool {
	for _, m := range r.Conversation.Messages.All() {
		if plimsoll.Has[plimsoll.ToolCall](m) {
			return true
		}
	}
	return false
}

// hasBreakpoint reports whether the request has a cache breakpoint. Quotes in texts are
// escaped, so no text looks like the name of a member.
func hasBreakpoint(o *object) bool { return bytes.Contains(o.body, []byte(`"cache_control"`)) }

// forced reports whether the request makes the model call a tool.
func forced(o *object) bool {
	var choice struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(o.get("tool_choice"), &choice) == nil && (choice.Type == "any" || choice.Type == "tool")
}

func (a asking) settleGemini(o *object, r *summary.Request) {
	output := strconv.Itoa(a.output(r))
	limit := func(config *object) {
		config.remove("responseMimeType", "response_mime_type", "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema",
			"stopSequences", "stop_sequences", "candidateCount", "candidate_count", "responseModalities", "response_modalities")
		config.set(output, "maxOutputTokens", "max_output_tokens")
	}
	if !o.within(limit, "generationConfig", "generation_config") {
		o.set(`{"maxOutputTokens":`+output+`}`, "generationConfig")
	}
	if toolless(r) {
		o.remove("tools", "toolConfig", "tool_config")
	}
	if system := summary.System(r); system != "" {
		o.set(`{"parts":[{"text":`+quoted(system)+`}]}`, "systemInstruction", "system_instruction")
	}
	if o.has("tools") {
		o.set(`{"functionCallingConfig":{"mode":"NONE"}}`, "toolConfig", "tool_config")
	}
}

// settleOllama keeps the tools, because the server has read them. The API has no member
// that forbids calls: the prompt says to call none, and remote refuses an answer that does.
func (a asking) settleOllama(o *object, r *summary.Request) {
	o.remove("format", "logprobs", "top_logprobs")
	if !o.has("stream") {
		o.set("false", "stream") // without it the server streams
	}
	if toolless(r) {
		o.remove("tools")
	}
	output := strconv.Itoa(a.output(r))
	limit := func(options *object) {
		options.remove("stop")
		options.set(output, "num_predict")
	}
	if !o.within(limit, "options") {
		o.set(`{"num_predict":`+output+`}`, "options")
	}
}
