package wire

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Overflow is what a provider said about a context that is full.
type Overflow struct {
	// Tokens that were sent and Limit, where the message names them; else 0.
	Tokens, Limit int
	// Message as the provider wrote it.
	Message string
	// Words are the part of the message that says so, in lower case; empty if the
	// provider says so by a code. A message may quote words of the client.
	Words string
}

// FindOverflow reports whether an error answer means that the context is full,
// and not one of the other things that providers answer 400 to. The body may be
// empty: some answer 413 and nothing else.
func FindOverflow(status int, body []byte) (Overflow, bool) {
	e := errorIn(body)
	if e == nil {
		e = &APIError{Message: string(body)}
	}
	if e.Status == 0 {
		e.Status = status
	}
	if status == 413 && len(strings.TrimSpace(e.Message)) == 0 {
		return Overflow{}, true
	}
	return overflowOf(e)
}

// Overflows reports whether an error in the middle of a stream, or any other
// error already read, means that the context is full.
func (e *APIError) Overflows() bool {
	_, ok := overflowOf(e)
	return ok
}

// errorIn finds the error object of an answer: under "error", in a list of one
// (Gemini streams), under "response" (Responses streams), or the body itself.
func errorIn(body []byte) *APIError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var object struct {
		Error    json.RawMessage `json:"error"`
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	for _, raw := range []json.RawMessage{object.Error, object.Response.Error} {
		if e := ParseAPIError(raw); e != nil {
			return e
		}
	}
	switch {
	case object.Message != "":
		return ParseAPIError(body)
	case len(object.Detail) > 0:
		return ParseAPIError(detailOf(object.Detail))
	}
	return nil
}

// detailOf leaves of a list of details what they say: servers repeat in them what they
// were sent.
func detailOf(raw json.RawMessage) json.RawMessage {
	var list []struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	var said []string
	for _, d := range list {
		said = append(said, d.Message)
	}
	text, _ := json.Marshal(strings.Join(said, "; ")) // a text always can be
	return text
}

func overflowOf(e *APIError) (Overflow, bool) {
	text := strings.ToLower(e.Message)
	all := strings.ToLower(e.Type + "\n" + e.Code + "\n" + e.Message)
	if e.Status != 0 && !mayOverflow[e.Status] {
		return Overflow{}, false
	}
	for _, other := range otherwise {
		if strings.Contains(all, other) {
			return Overflow{}, false
		}
	}
	o := Overflow{Message: e.Message}
	if !overflowCodes[e.Code] && !overflowCodes[e.Type] {
		for _, phrase := range overflowPhrases {
			if o.Words = phrase.FindString(text); o.Words != "" {
				break
			}
		}
		if o.Words == "" {
			return Overflow{}, false
		}
	}
	o.Tokens, o.Limit = figures(text)
	if e.ContextSize > 0 {
		o.Tokens, o.Limit = e.PromptTokens, e.ContextSize
	}
	return o, true
}

// mayOverflow are the statuses that providers use for it; 500 is llama.cpp's in
// some versions, 0 stands for an error inside a stream.
var mayOverflow = map[int]bool{400: true, 413: true, 422: true, 500: true}

var overflowCodes = map[string]bool{
	"context_length_exceeded":       true,
	"model_context_window_exceeded": true,
	"context_window_exceeded":       true,
	"exceed_context_size_error":     true,
	"request_too_large":             true,
	"max_tokens_exceeded":           true,
}

// otherwise are errors that sound alike and mean something else: a single field
// that is too long, a rate limit, an answer limit out of range.
var otherwise = []string{
	"string_above_max_length",
	"'user' too long",
	"rate limit",
	"rate_limit",
	"tokens per min",
	"tokens per day",
	"too many requests",
	"max_tokens is too large",
	"max_tokens' is too large",
	"max_completion_tokens' is too large",
	"max_output_tokens is too",
	"throttling",
	"please wait",
}

// overflowPhrases are the words of OpenAI, Azure, Anthropic, Bedrock, Gemini,
// xAI, Groq, OpenRouter, Copilot, Mistral, Cohere, DeepSeek, Moonshot, MiniMax,
// Zhipu, Together, Fireworks, vLLM, SGLang, llama.cpp, LM Studio and Ollama.
var overflowPhrases = compileAll(
	`prompt is too long`,
	`input is too long`,
	`input length and .?max_tokens.? exceed context limit`,
	`exceeds? (?:the )?(?:model.?s )?(?:maximum )?context (?:limit|length|window|size)`,
	`maximum context length`,
	`max(?:imum)? context (?:length|window|size)`,
	`context (?:length|window|size) (?:is )?(?:exceed|exceeds|exceeded|too)`,
	`context window exceeds limit`,
	`exceeds the available context size`,
	`exceeds the context window`,
	`exceeds the maximum number of tokens`,
	`input token count .*exceeds the maximum`,
	`input tokens exceed the configured limit`,
	`exceeds? the (?:maximum )?(?:limit|number) of [\d,]+ (?:input )?tokens`,
	`maximum (?:prompt|input|allowed input) length (?:is|of)`,
	`prompt (?:length|token count|contains).*(?:exceeds?|limit)`,
	`current length is \d+.*while limit is`,
	`too many total text bytes`,
	`too many tokens`,
	`please reduce the length of (?:the )?(?:messages|prompt|your)`,
	`reduce the length of the messages`,
	`request too large for model`,
	`token limit exceeded`,
	`exceeded model token limit`,
	`tokens? (?:in|of) (?:the )?(?:request|prompt|input).*(?:exceeds?|greater than|larger than)`,
	`trying to keep the first \d+ tokens when context`,
	`larger than the maximum context`,
	`longer than the (?:model'?s )?context length`,
)

func compileAll(patterns ...string) []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		all[i] = regexp.MustCompile(p)
	}
	return all
}

var sum = regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`)

// named are the ways in which messages with more than two figures name the limit.
var named = compileAll(
	`max(?:imum)? context length (?:is|of) ([\d,_]+)`,
	`max(?:imum)? context \(([\d,_]+) tokens\)`,
	`tokens > ([\d,_]+) maximum`,
)

// errorCode is MiniMax's, and no limit.
const errorCode = "exceeds limit (2013)"

// figures takes two token counts from a message: what was sent is the larger. Unless
// it is named, the limit is the smaller, since it was exceeded.
func figures(text string) (tokens, limit int) {
	for _, pattern := range named {
		if m := pattern.FindStringSubmatch(text); m != nil {
			limit, _ = strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[1]))
			if most := slices.Max(append(counts(text), 0)); most > limit {
				tokens = most
			}
			return tokens, limit
		}
	}
	text = strings.ReplaceAll(text, errorCode, "")
	if m := sum.FindStringSubmatch(text); m != nil {
		prompt, _ := strconv.Atoi(m[1])
		answer, _ := strconv.Atoi(m[2])
		limit, _ = strconv.Atoi(m[3])
		return max(limit, prompt+answer), limit
	}
	for _, n := range counts(text) {
		switch {
		case n > tokens:
			tokens, limit = n, tokens
		case n > limit && n != tokens:
			limit = n
		}
	}
	if limit == 0 {
		tokens, limit = 0, tokens
	}
	return tokens, limit
}

// besideTokens is how many words a count may stand from the word "tokens":
// "210000 tokens", "token count of 130000".
const besideTokens = 3

// counts returns the numbers of a message that may count tokens. If two or more
// stand beside the word, they are those; else all may be.
func counts(text string) []int {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.,", r)
	})
	var all, beside []int
	for i, word := range words {
		n, ok := count(word)
		if !ok {
			continue
		}
		all = append(all, n)
		near := words[max(0, i-besideTokens):min(len(words), i+besideTokens+1)]
		if slices.ContainsFunc(near, func(w string) bool { return strings.Contains(w, "token") }) && !slices.Contains(beside, n) {
			beside = append(beside, n)
		}
	}
	if len(beside) >= 2 {
		return beside
	}
	return all
}

var number = regexp.MustCompile(`^(\d+|\d{1,3}([,_]\d{3})+)(-tokens?)?[.,-]*$`)

// count reads a word that is a number and nothing else, unlike the dates and
// versions in the names of models. Small ones are indices and answer limits.
func count(word string) (int, bool) {
	m := number.FindStringSubmatch(word)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[1]))
	return n, err == nil && n >= 512
}
