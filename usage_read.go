package plimsoll

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// readUsage reads the members that somebody has a name for. It comes with every answer,
// and reflection would take longer than all else that is done with most answers.
func readUsage(data []byte) (w wireUsage, err error) {
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return w, errors.New("not an object")
	}
	for key := range s.Members() {
		if f := w.figure(string(key)); f != nil {
			err = cmp.Or(err, f.read(s, data))
		} else if d := w.details(string(key)); d != nil {
			*d, err = readDetails(s, data, err)
		}
	}
	if broken := s.End(); broken != nil {
		return w, broken
	}
	return w, err
}

func readDetails(s *rawjson.Scanner, data []byte, err error) (*usageDetails, error) {
	switch s.Peek() {
	case 'n':
		s.Value()
		return nil, err
	case '{':
	default:
		return nil, cmp.Or(err, fmt.Errorf("%s is not an object", s.Value().Of(data)))
	}
	d := &usageDetails{}
	for key := range s.Members() {
		switch string(key) {
		case "cached_tokens":
			err = cmp.Or(err, d.Cached.read(s, data))
		case "cache_write_tokens":
			err = cmp.Or(err, d.CacheWrite.read(s, data))
		case "reasoning_tokens":
			err = cmp.Or(err, d.Reasoning.read(s, data))
		}
	}
	return d, err
}

// figure returns the figure of a name; nil if that is not one.
func (w *wireUsage) figure(name string) *figure {
	switch name {
	case "prompt_tokens":
		return &w.PromptTokens
	case "completion_tokens":
		return &w.CompletionTokens
	case "total_tokens":
		return &w.TotalTokens
	case "prompt_cache_hit_tokens":
		return &w.CacheHit
	case "input_tokens":
		return &w.InputTokens
	case "output_tokens":
		return &w.OutputTokens
	case "cache_creation_input_tokens":
		return &w.CacheCreation
	case "cache_read_input_tokens":
		return &w.CacheRead
	case "promptTokenCount":
		return &w.PromptTokenCount
	case "candidatesTokenCount":
		return &w.CandidatesTokenCount
	case "thoughtsTokenCount":
		return &w.ThoughtsTokenCount
	case "cachedContentTokenCount":
		return &w.CachedContentTokenCount
	case "toolUsePromptTokenCount":
		return &w.ToolUsePromptTokenCount
	case "totalTokenCount":
		return &w.TotalTokenCount
	case "inputTokens":
		return &w.ConverseInput
	case "outputTokens":
		return &w.ConverseOutput
	case "cacheReadInputTokens":
		return &w.ConverseCacheRead
	case "cacheWriteInputTokens":
		return &w.ConverseCacheWrite
	case "prompt_eval_count":
		return &w.PromptEvalCount
	case "eval_count":
		return &w.EvalCount
	}
	return nil
}

// details returns where the details of a name go; nil if that is not one.
func (w *wireUsage) details(name string) **usageDetails {
	switch name {
	case "prompt_tokens_details":
		return &w.PromptDetails
	case "completion_tokens_details":
		return &w.CompletionDetail
	case "input_tokens_details":
		return &w.InputDetails
	case "output_tokens_details":
		return &w.OutputDetails
	}
	return nil
}

// read reads any JSON number and brings it into bounds.
func (f *figure) read(s *rawjson.Scanner, data []byte) error {
	kind, value := s.Peek(), s.Value().Of(data)
	switch kind {
	case 'n':
		*f = figure{}
		return nil
	case '0':
		n, _ := strconv.ParseFloat(string(value), 64) // what is out of range is infinite
		*f = figure{int(min(maxFigure, max(0, n))), true}
		return nil
	}
	return fmt.Errorf("%s is not a number", value)
}
