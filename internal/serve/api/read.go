package api

import (
	_ "embed" // for the description
	"errors"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/report"
)

// description is the API in the form of OpenAPI 3.1.
//
//go:embed openapi.json
var description []byte

var errNoStore = &plimsoll.Error{
	Op: "read the store", Code: plimsoll.CodeNotFound, Err: errors.New("nothing is kept here"), Hint: "start the service with a store",
}

// listedAccounts is how many accounts are listed where no number is given.
const listedAccounts = 100

// accounts lists what conversations used and saved.
func (c *call) accounts() (answer, error) {
	limit := int(c.wish.limit)
	if limit == 0 {
		limit = listedAccounts
	}
	s, err := c.statement(limit)
	if err != nil {
		return answer{}, err
	}
	return answer{body: s.Accounts()}, nil
}

// accountsTotal adds them up.
func (c *call) accountsTotal() (answer, error) {
	s, err := c.statement(1)
	if err != nil {
		return answer{}, err
	}
	return answer{body: s.Accounts().Total}, nil
}

func (c *call) statement(limit int) (*report.Statement, error) {
	if c.tenant == nil {
		return nil, errNoStore
	}
	return report.ReadStatement(c.Context(), c.tenant, limit)
}

// Content is stored content, or what was found in it, as a model would get it: lines
// with their numbers, and notes that say how to go on.
type Content struct {
	plimsoll.Ref
	Text string `json:"text"`
}

// ref reads stored content by lines.
func (c *call) ref() (answer, error) {
	read := expand.Read{
		Ref: c.id, Offset: c.wish.offset, Limit: c.wish.limit,
		InLine: c.wish.inLine, CharOffset: c.wish.charOffset, CharLimit: c.wish.charLimit,
	}
	return c.content(func(out *strings.Builder) error {
		return read.Lines(c.Context(), out, c.tenant, c.h.options.Limits)
	})
}

// grep searches stored content.
func (c *call) grep() (answer, error) {
	if c.wish.pattern == "" {
		return answer{}, wishError("pattern", errMissing, "say what to look for")
	}
	grep := expand.Grep{
		Ref: c.id, Pattern: c.wish.pattern, Regex: c.wish.regex, IgnoreCase: c.wish.ignoreCase,
		Before: c.wish.before, After: c.wish.after, MaxMatches: c.wish.maxMatches, Offset: c.wish.offset,
	}
	return c.content(func(out *strings.Builder) error {
		return grep.Matches(c.Context(), out, c.tenant, c.h.options.Limits)
	})
}

// content answers with what is written about a reference.
func (c *call) content(write func(*strings.Builder) error) (answer, error) {
	if c.tenant == nil {
		return answer{}, errNoStore
	}
	r, err := c.tenant.Open(c.Context(), c.id)
	if err != nil {
		return answer{}, err
	}
	object := r.Object()
	if err := r.Close(); err != nil {
		return answer{}, err
	}
	var text strings.Builder
	if err := write(&text); err != nil {
		return answer{}, err
	}
	return answer{body: Content{plimsoll.Ref{ID: object.ID, Bytes: object.Bytes, Lines: object.Lines}, text.String()}}, nil
}

// description is the API's own description.
func (c *call) description() (answer, error) { return answer{raw: description}, nil }
