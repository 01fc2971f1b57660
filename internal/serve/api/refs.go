package api

import (
	"strings"

	"github.com/plimsoll/plimsoll/expand"
)

// Content is stored content, or what was found in it, as a model would get it.
type Content struct {
	ID    string `json:"id"`
	Bytes int64  `json:"byte_size"`
	Lines int64  `json:"line_count"`
	Text  string `json:"text" jsonschema:"Lines with their numbers, and notes that say how to go on."`
}

// refRequest asks for stored content by lines.
type refRequest struct {
	Offset     int64  `json:"offset,omitempty" jsonschema:"First line, counted from 0."`
	Limit      int64  `json:"limit,omitempty" jsonschema:"How many lines; 0 means as many as fit."`
	CharOffset *int64 `json:"char_offset,omitempty" jsonschema:"First character of the line at offset; asks for a part of that line."`
	CharLimit  *int64 `json:"char_limit,omitempty" jsonschema:"How many characters of that line; 0 means 10,000."`
}

func (o *refRequest) do(c *httpCall) (any, error) {
	read := expand.Read{
		Ref: c.PathValue("id"), Offset: o.Offset, Limit: o.Limit,
		InLine: o.CharOffset != nil || o.CharLimit != nil,
	}
	if o.CharOffset != nil {
		read.CharOffset = *o.CharOffset
	}
	if o.CharLimit != nil {
		read.CharLimit = *o.CharLimit
	}
	return c.content(func(out *strings.Builder) error {
		return read.Lines(c.Context(), out, c.tenant, c.h.options.Limits)
	})
}

// grepRequest searches stored content.
type grepRequest struct {
	Pattern    string `json:"pattern" jsonschema:"Text to find in a line. Required."`
	Regex      bool   `json:"regex,omitempty" jsonschema:"The pattern is a regular expression (RE2 syntax)."`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"Upper and lower case are the same."`
	Before     int64  `json:"before,omitempty" jsonschema:"Lines to show before each match."`
	After      int64  `json:"after,omitempty" jsonschema:"Lines to show after each match."`
	MaxMatches int64  `json:"max_matches,omitempty" jsonschema:"How many matches to show; 0 means 50."`
	Offset     int64  `json:"offset,omitempty" jsonschema:"Line to begin at, counted from 0."`
}

func (o *grepRequest) do(c *httpCall) (any, error) {
	if o.Pattern == "" {
		return nil, optionError("pattern", errMissing, "say what to look for")
	}
	grep := expand.Grep{
		Ref: c.PathValue("id"), Pattern: o.Pattern, Regex: o.Regex, IgnoreCase: o.IgnoreCase,
		Before: o.Before, After: o.After, MaxMatches: o.MaxMatches, Offset: o.Offset,
	}
	return c.content(func(out *strings.Builder) error {
		return grep.Matches(c.Context(), out, c.tenant, c.h.options.Limits)
	})
}

// content answers with the text that write finds under the reference of the path.
func (c *httpCall) content(write func(*strings.Builder) error) (any, error) {
	if c.tenant == nil {
		return nil, errNoStore
	}
	r, err := c.tenant.Open(c.Context(), c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	object := r.Object()
	if err := r.Close(); err != nil {
		return nil, err
	}
	var text strings.Builder
	if err := write(&text); err != nil {
		return nil, err
	}
	return Content{object.ID, object.Bytes, object.Lines, text.String()}, nil
}
