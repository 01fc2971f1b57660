package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// rawPart is a part of stored content as JSON, with whatever it has.
type rawPart struct {
	Type string `json:"type"`
	// Text of text and reasoning, Signature and Redacted of reasoning.
	Text      *exact `json:"text,omitempty"`
	Signature exact  `json:"signature,omitzero"`
	Redacted  bool   `json:"redacted,omitzero"`
	// Kind of media and of opaque parts; Raw is the unchanged JSON of an opaque part.
	Kind exact  `json:"kind,omitzero"`
	Raw  *exact `json:"raw,omitempty"`
	// MIME and the rest are of media.
	MIME    exact   `json:"mime,omitzero"`
	Data    exact   `json:"data,omitzero"`
	URL     exact   `json:"url,omitzero"`
	Detail  exact   `json:"detail,omitzero"`
	Width   int     `json:"width,omitzero"`
	Height  int     `json:"height,omitzero"`
	Pages   int     `json:"pages,omitzero"`
	Seconds float64 `json:"seconds,omitzero"`
	// ID, Name and Arguments are of calls; CallID and the rest of results.
	ID        exact     `json:"id,omitzero"`
	CallID    exact     `json:"call_id,omitzero"`
	Name      exact     `json:"name,omitzero"`
	Arguments *exact    `json:"arguments,omitempty"`
	IsError   bool      `json:"is_error,omitzero"`
	Ref       *rawRef   `json:"ref,omitempty"`
	Content   []rawPart `json:"content,omitempty"`
}

// rawRef is a reference in a result.
type rawRef struct {
	ID    exact `json:"id"`
	Bytes int64 `json:"byte_size"`
	Lines int64 `json:"line_count"`
}

// The types of parts.
const (
	typeText      = "text"
	typeMedia     = "media"
	typeOpaque    = "opaque"
	typeCall      = "tool_call"
	typeResult    = "tool_result"
	typeReasoning = "reasoning"
)

// exact is a text that is written to JSON and read from it without a change. What is
// no UTF-8 becomes {"base64": "…"}.
type exact string

type base64Text struct {
	Base64 *[]byte `json:"base64"`
}

// MarshalJSON writes it.
func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		var b strings.Builder
		err := encodeJSON(&b, string(e))
		return []byte(b.String()), err
	}
	data := []byte(e)
	return json.Marshal(base64Text{&data})
}

// UnmarshalJSON reads it.
func (e *exact) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*e = exact(text)
		return nil
	}
	var other base64Text
	if err := json.Unmarshal(data, &other); err != nil || other.Base64 == nil {
		return errors.New(`want a text, or {"base64": "…"}`)
	}
	*e = exact(*other.Base64)
	return nil
}

// rawParts returns content as it is printed.
func rawParts(content plimsoll.List[plimsoll.Part]) []rawPart {
	all := make([]rawPart, 0, content.Len())
	for _, p := range content.All() {
		all = append(all, rawOf(p))
	}
	return all
}

func rawOf(p plimsoll.Part) rawPart {
	text := func(s string) *exact { return (*exact)(&s) }
	switch p := p.(type) {
	case plimsoll.Text:
		return rawPart{Type: typeText, Text: text(p.Text)}
	case plimsoll.ToolCall:
		return rawPart{Type: typeCall, ID: exact(p.ID), Name: exact(p.Name), Arguments: text(p.Arguments)}
	case plimsoll.ToolResult:
		r := rawPart{Type: typeResult, CallID: exact(p.CallID), Name: exact(p.Name), IsError: p.IsError, Content: rawParts(p.Content)}
		if p.Ref != nil {
			r.Ref = &rawRef{exact(p.Ref.ID), p.Ref.Bytes, p.Ref.Lines}
		}
		return r
	case plimsoll.Reasoning:
		return rawPart{Type: typeReasoning, Text: text(p.Text), Signature: exact(p.Signature), Redacted: p.Redacted}
	case plimsoll.Media:
		return rawPart{
			Type: typeMedia, Kind: exact(p.Kind), MIME: exact(p.MIME), Data: exact(p.Data), URL: exact(p.URL), Detail: exact(p.Detail),
			Width: p.Width, Height: p.Height, Pages: p.Pages, Seconds: p.Seconds,
		}
	case plimsoll.Opaque:
		return rawPart{Type: typeOpaque, Kind: exact(p.Kind), Raw: text(p.Raw)}
	default:
		panic(fmt.Sprintf("a part of type %T", p))
	}
}

// partsOf returns what was printed as content.
func partsOf(all []rawPart) (plimsoll.List[plimsoll.Part], error) {
	var parts []plimsoll.Part
	for i, r := range all {
		p, err := r.part()
		if err != nil {
			return plimsoll.List[plimsoll.Part]{}, fmt.Errorf("part %d: %w", i, err)
		}
		parts = append(parts, p)
	}
	return plimsoll.ListOf(parts...), nil
}

func (r rawPart) part() (plimsoll.Part, error) {
	text := func(e *exact) string {
		if e == nil {
			return ""
		}
		return string(*e)
	}
	switch r.Type {
	case typeText:
		return plimsoll.Text{Text: text(r.Text)}, nil
	case typeCall:
		return plimsoll.ToolCall{ID: string(r.ID), Name: string(r.Name), Arguments: text(r.Arguments)}, nil
	case typeResult:
		content, err := partsOf(r.Content)
		result := plimsoll.ToolResult{CallID: string(r.CallID), Name: string(r.Name), IsError: r.IsError, Content: content}
		if r.Ref != nil {
			result.Ref = &plimsoll.Ref{ID: string(r.Ref.ID), Bytes: r.Ref.Bytes, Lines: r.Ref.Lines}
		}
		return result, err
	case typeReasoning:
		return plimsoll.Reasoning{Text: text(r.Text), Signature: string(r.Signature), Redacted: r.Redacted}, nil
	case typeMedia:
		return plimsoll.Media{
			Kind: plimsoll.MediaKind(r.Kind), MIME: string(r.MIME), Data: string(r.Data), URL: string(r.URL), Detail: string(r.Detail),
			Width: r.Width, Height: r.Height, Pages: r.Pages, Seconds: r.Seconds,
		}, nil
	case typeOpaque:
		return plimsoll.Opaque{Kind: string(r.Kind), Raw: text(r.Raw)}, nil
	}
	return nil, fmt.Errorf("there is no type %q", r.Type)
}

// readParts reads what writeParts wrote.
func readParts(r io.Reader) (plimsoll.List[plimsoll.Part], error) {
	var all []rawPart
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	err := d.Decode(&all)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something stands behind the list")
		}
	}
	if err != nil {
		return plimsoll.List[plimsoll.Part]{}, err
	}
	return partsOf(all)
}

func writeParts(w io.Writer, content plimsoll.List[plimsoll.Part]) error {
	return encodeJSON(w, rawParts(content))
}

// part prints one part: a text, a file or an unknown part as its bytes, anything else
// as JSON.
func (c *cacheGetCmd) part(ctx context.Context, w io.Writer, t *store.Tenant) error {
	content, err := t.Content(ctx, c.ID)
	if err != nil {
		return cacheError(c.ID, err)
	}
	n := *c.Part
	if n >= content.Len() {
		return &plimsoll.Error{
			Op: "cache " + c.ID, Code: plimsoll.CodeInvalid, Err: fmt.Errorf("there is no part %d, the last one is %d", n, content.Len()-1),
			Hint: "plimsoll cache get " + c.ID + " --raw prints all of them",
		}
	}
	var whole string
	switch p := content.At(n).(type) {
	case plimsoll.Text:
		whole = p.Text
	case plimsoll.Opaque:
		whole = p.Raw
	case plimsoll.Media:
		data, err := base64.StdEncoding.DecodeString(p.Data)
		if p.Data == "" || err != nil {
			return encodeJSON(w, rawOf(p))
		}
		whole = string(data)
	default:
		return encodeJSON(w, rawOf(p))
	}
	_, err = io.WriteString(w, whole)
	return err
}
