package expand

import (
	"context"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Answer is what a call gives back.
type Answer struct {
	Text string
	// Parts are the pictures, documents and other parts that stand in the lines of the
	// text, where a word in brackets is their place, in order and whole.
	Parts []plimsoll.Part
}

// Call executes a call of one of the tools for a tenant. The arguments are JSON as a
// model writes it. If it fails, [Explain] says what to tell the model. Limits may be
// nil.
func Call(ctx context.Context, t *store.Tenant, name, arguments string, l *Limits) (Answer, error) {
	if l == nil {
		l = &Limits{}
	}
	switch name {
	case toolRead:
		r, err := parseRead(arguments)
		if err != nil {
			return Answer{}, err
		}
		return r.Answer(ctx, t, *l)
	case toolGrep:
		g, err := parseGrep(arguments)
		if err != nil {
			return Answer{}, err
		}
		var b strings.Builder
		err = g.Matches(ctx, &b, t, *l)
		return Answer{Text: b.String()}, err
	}
	return Answer{}, &plimsoll.Error{
		Op: "expand", Code: plimsoll.CodeInvalid, Hint: "the tools are " + toolRead + " and " + toolGrep,
		Err: fmt.Errorf("%w %q", errUnknownTool, name),
	}
}

// attached returns the parts that stand in lines from one number on and before
// another, and a note about those that are too large. All of an object's parts are
// read to have some of them, so that is bounded too.
func attached(ctx context.Context, c *store.Reader, from, to int64, l Limits) ([]plimsoll.Part, string, error) {
	const loaded = 4
	o := c.Object()
	if o.Kind != store.KindParts || from >= to {
		return nil, "", nil
	}
	if l.Media > 0 && o.Stored-o.Bytes > loaded*int64(l.Media) {
		return nil, "\n\n[the parts that are no text are too large to come along]", nil
	}
	all, err := c.Attachments(ctx)
	if err != nil {
		return nil, "", err
	}
	var parts []plimsoll.Part
	used, tooLarge, first := 0, 0, int64(0)
	for _, a := range all {
		if a.Line < from || a.Line >= to {
			continue
		}
		if size := sizeOf(a.Part); l.Media < 0 || used+size <= l.Media {
			used += size
			parts = append(parts, a.Part)
			continue
		}
		if tooLarge++; tooLarge == 1 {
			first = a.Line
		}
	}
	if tooLarge == 0 {
		return parts, "", nil
	}
	return parts, fmt.Sprintf("\n\n[parts that are no text and too large to come along: %d] Read the line of one alone to try it by itself: offset=%d limit=1", tooLarge, first), nil
}

func sizeOf(p plimsoll.Part) int {
	switch p := p.(type) {
	case plimsoll.Media:
		return len(p.Data) + len(p.URL)
	case plimsoll.Opaque:
		return len(p.Raw)
	}
	return 0
}
