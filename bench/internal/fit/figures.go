package fit

import "time"

// Figure is what the keeper takes for one conversation, in CPU time.
type Figure struct {
	Messages int `json:"messages"`
	Tokens   int `json:"tokens"`
	Bytes    int `json:"bytes"`
	// Decode is reading the request's body, which is not part of the others; Count
	// is the bare tokenizer on all texts; Weigh a meter that has seen nothing.
	Decode time.Duration `json:"decode_ns"`
	Count  time.Duration `json:"count_ns"`
	Weigh  time.Duration `json:"weigh_ns"`
	// Under and Over are fits into twice and half of what the conversation weighs.
	Under Times `json:"under"`
	Over  Times `json:"over"`
}

// Times are those of a keeper that has seen nothing, and of the next request,
// which has one more round.
type Times struct {
	First time.Duration `json:"first_ns"`
	Next  time.Duration `json:"next_ns"`
}

// Waiting is how long the first sight of the first of [Sizes] takes by the clock.
type Waiting struct {
	// Processors that the program had.
	Processors int `json:"processors"`
	// Fresh says that each was the first work of a process, so that it had seen none of
	// the words before.
	Fresh bool          `json:"fresh"`
	Weigh time.Duration `json:"weigh_ns"`
	Under time.Duration `json:"under_ns"`
	Over  time.Duration `json:"over_ns"`
}

// Ratio says how much faster the next request is.
func (t Times) Ratio() float64 {
	if t.Next <= 0 {
		return 0
	}
	return float64(t.First) / float64(t.Next)
}

// Sizes are the conversations of the figures, in messages: the first has about
// 200,000 tokens, the others show how time grows.
var Sizes = []int{851, 1_001, 3_001, 10_001}
