package wire

import (
	"regexp"
	"strconv"
	"strings"
)

// maxMessage bounds how many bytes of a message are read. All patterns here take time in
// proportion to it.
const maxMessage = 16 << 10

// anyOf compiles a pattern that matches where one of some patterns does. They are for
// texts in lower case. N stands for a number.
func anyOf(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll("(?:"+strings.Join(patterns, "|")+")", "N", `(\d[\d,_]*)`))
}

// perMinute finds a rate limit and a request that counts against it alone. Other messages
// about rate limits name what was used before.
var perMinute = anyOf(`tokens per min[a-z]* \(tpm\): limit N, requested N`)

// otherwise are errors that sound alike and mean something else: a rate limit, a failure
// of the server, an answer limit out of range.
var otherwise = anyOf(
	`rate.?limit`, `tokens per (?:min|day)`, `too many requests`, `throttling`, `please wait`, `slow down`, `retry after`,
	`timed out`, `internal error`,
	`max_(?:completion_|output_)?tokens['"\x60]*(?: is| must be less| should| cannot| exceeds| value|:| ?=| ?\()`,
)

// full are the ways to say that the context is full.
var full = anyOf(
	// What is too long.
	`(?:prompt|input|context|messages|conversation|request|payload|body)(?: token)?(?: length)?(?: is| are)? too (?:long|large)`,
	`too many (?:input |prompt |total |text )*(?:tokens|bytes)`,
	`ran out of room`,
	// What it exceeds.
	`(?:exceed(?:s|ed|ing)?|longer than|larger than|greater than) (?:[a-z']+ ){0,3}?context`,
	`exceed(?:s|ed)? (?:the )?(?:model'?s? )?max(?:imum)? (?:number of )?token`,
	`(?:prompt|input|payload|tokens?)(?:[ _(\[]+(?:tokens?|length|size|count|of|in|request|[\d,]+))*[)\]]* (?:exceed|more than|must be less than)[^.;]{0,40}?(?:max|limit|\d{3})`,
	`exceed(?:s|ed)? model token limit`,
	`token limit exceeded`,
	`size limit exceeded`,
	// The context itself.
	`context[ _]?(?:length|window|size)?[ _]?(?:has been |is )?(?:exceed|full)`,
	`when context the overflows`,
	`max(?:imum)? context (?:length|window|size|limit)`,
	`configured context size is`,
	// What it should have been.
	`maximum (?:allowed )?(?:prompt|input) length (?:is|of)`,
	`range of input length should be`,
	`input[a-z ]* length should not exceed`,
	`must have less than N tokens`,
	`\x60inputs\x60 tokens \+ \x60max_new_tokens\x60 must be`,
	`current length is N`,
	`max_tokens must be at least 1, got -`, // vLLM, of the room that is left
	`string too long\. expected a string with maximum length \d{6}`,
	// What to do.
	`reduce the length of (?:the |your )?(?:messages|prompt|input|either)`,
)

// field finds the member that an error is about, as OpenAI names it.
var field = regexp.MustCompile(`invalid '([a-z_]+)`)

// aboutAnotherField reports whether an error is about a member that is not the
// conversation.
func aboutAnotherField(text string) bool {
	m := field.FindStringSubmatch(text)
	return m != nil && m[1] != "messages" && m[1] != "input" && m[1] != "contents" && m[1] != "prompt"
}

// The ways to name figures, of which the first that is found counts.
var (
	excesses = []*regexp.Regexp{
		anyOf(`exceeded (?:[a-z]+ ){0,3}by N`),
		anyOf(`must be at least 1, got -N`),
	}
	limits = []*regexp.Regexp{
		anyOf(`\d of N tokens`),
		anyOf(`(?:> ?|<= ?|n_ctx:? |max_seq_len \()N`),
		anyOf(`context(?: length| window| size| limit)?(?: is| of| only)*:? ?[(\[]?N`),
		anyOf(`max(?:imum)?(?: (?:allowed|number|of|input|prompt|tokens?|length|size|is))*:? ?[(\[]?N`),
		anyOf(`should be \[\d+, ?N`),
		anyOf(`limit(?: for this model)?(?: is| of)?:? ?N`),
		anyOf(`(?:at most|exceeds?|less than)(?: the)? N`),
		anyOf(`N(?: maximum context|[ -]tokens? (?:limit|maximum))`),
	}
	// Sums name the prompt and the answer apart.
	sums = []*regexp.Regexp{
		anyOf(`N \+ N >`),
		anyOf(`N input tokens and requested N output`),
		anyOf(`given: N \x60inputs\x60 tokens and N`),
	}
	counts = anyOf(`(?:requested|resulted in|contains|given|too long|count|length|prompt|input|request|first|takes?|over the limit|n_keep|tokens|bytes)` +
		`(?: tokens| a total of| of| is| about| has| contains)*:? ?[~(\[]?N`)
	// byteUnits are in messages about something else than tokens.
	byteUnits = anyOf(`bytes`, `characters`, `string with maximum length`)
)

// leastFigure is the smallest limit that is believed. Smaller numbers are indices.
const leastFigure = 256

// readFigures takes the figures from a message.
func (o *Overflow) readFigures(text string) {
	o.Bytes = !strings.Contains(text, "token") && byteUnits.MatchString(text)
	o.Excess, text = first(excesses, text, 1)
	sum, _ := first(sums, text, leastFigure)
	o.Limit, text = first(limits, text, leastFigure)
	if o.Limit > 0 && o.Excess > 0 {
		o.Tokens = o.Limit + o.Excess
	}
	if sum > o.Limit {
		o.Tokens = sum
	}
	for _, m := range counts.FindAllStringSubmatch(text, -1) {
		if n := number(m[1]); o.Tokens == 0 && n > o.Limit && n >= leastFigure {
			o.Tokens = n
		}
	}
	o.Bytes = o.Bytes && o.Limit > 0
}

// first returns the first figure that is large enough, and the text without it. If a
// pattern has two numbers, the figure is their sum.
func first(patterns []*regexp.Regexp, text string, least int) (figure int, rest string) {
	for _, p := range patterns {
		for _, at := range p.FindAllStringSubmatchIndex(text, -1) {
			figure = 0
			for i := 2; i < len(at); i += 2 {
				figure += number(text[at[i]:at[i+1]])
			}
			if figure >= least {
				return figure, text[:at[2]] + text[at[len(at)-1]:]
			}
		}
	}
	return 0, text
}

// number reads digits with separators. What is too large for a count of tokens is none.
func number(digits string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(digits))
	if err != nil || n > 1<<40 {
		return 0
	}
	return n
}
