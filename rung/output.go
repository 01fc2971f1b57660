package rung

import (
	"context"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// output is a tool result that is still in the draft.
type output struct {
	at plimsoll.PartRef
	// call is the tool call that it answers; its message is -1 if there is none.
	call plimsoll.PartRef
	// tokens is the weight in the draft.
	tokens int
	// edited reports whether an earlier rung changed it.
	edited bool
}

// outputs lists the tool results of the draft, oldest first. It loads nothing.
func outputs(w *fit.Work) []output {
	d, saved := w.Draft(), savedBy(w.Draft().Edits())
	pairs, orphans := d.Outline().Pairs, d.Outline().Orphans
	all := make([]output, 0, len(pairs)+len(orphans))
	add := func(at, call plimsoll.PartRef) {
		if _, stands := d.Message(at.Message); stands {
			taken, edited := saved[at]
			all = append(all, output{at, call, w.Before().Messages[at.Message].Parts[at.Part] - taken, edited})
		}
	}
	for _, p := range pairs {
		for len(orphans) > 0 && before(orphans[0], p.Result) {
			add(orphans[0], plimsoll.PartRef{Message: -1})
			orphans = orphans[1:]
		}
		add(p.Result, p.Call)
	}
	for _, at := range orphans {
		add(at, plimsoll.PartRef{Message: -1})
	}
	return all
}

func before(a, b plimsoll.PartRef) bool {
	return a.Message < b.Message || a.Message == b.Message && a.Part < b.Part
}

// savedBy returns what earlier rungs took off each result.
func savedBy(edits []plimsoll.Edit) map[plimsoll.PartRef]int {
	saved := map[plimsoll.PartRef]int{}
	for _, e := range edits {
		if e.Kind == plimsoll.EditReplace {
			saved[plimsoll.PartRef{Message: e.Message, Part: e.Part}] += e.Saved
		}
	}
	return saved
}

// tool returns the name of the tool whose output it is. It loads nothing.
func (o output) tool(w *fit.Work) string {
	messages := w.Draft().Original().Messages
	if o.call.Message >= 0 {
		return plimsoll.Peek(messages.At(o.call.Message), o.call.Part).(plimsoll.ToolCall).Name
	}
	return plimsoll.Peek(messages.At(o.at.Message), o.at.Part).(plimsoll.ToolResult).Name
}

// result returns the result as the draft has it.
func (o output) result(w *fit.Work) plimsoll.ToolResult {
	part, _ := w.Draft().Part(o.at)
	return part.(plimsoll.ToolResult)
}

// mustShow reports whether the API accepts only a picture as the output: Responses does
// so for computer use.
func (o output) mustShow(w *fit.Work) bool {
	return w.Draft().Original().Dialect == plimsoll.Responses && o.tool(w) == "computer"
}

// ExpansionTools returns the names of the tools with which a model reads archived
// content. Their outputs are in the archive already.
func ExpansionTools() []string { return []string{"tool_output_cache", "tool_output_cache_grep"} }

// replace replaces the content of a result, unless that saves no tokens.
func replace(w *fit.Work, o output, content plimsoll.List[plimsoll.Part], why plimsoll.Why) (bool, error) {
	d := w.Draft()
	before, saved := d.Position(), d.Saved()
	if err := d.ReplaceResult(o.at, content, why); err != nil {
		return false, err
	}
	if d.Saved() <= saved {
		d.Rollback(before)
		return false, nil
	}
	return true, nil
}

// origin returns the reference to the whole output in the archive, and its id. Without
// an archive the reference is nil, and the id is the one that a placeholder in the text
// names.
func origin(ctx context.Context, w *fit.Work, r plimsoll.ToolResult) (ref *plimsoll.Ref, id string, err error) {
	if ref, err = stored(ctx, w, r); err != nil {
		return nil, "", err
	}
	if ref != nil {
		return ref, ref.ID, nil
	}
	if texts := textsOf(r.Content); len(texts) > 0 {
		id = refIn(texts[len(texts)-1])
	}
	return nil, id, nil
}

// stored returns the reference to the whole output in the archive, or nil without an
// archive.
func stored(ctx context.Context, w *fit.Work, r plimsoll.ToolResult) (*plimsoll.Ref, error) {
	if r.Ref != nil {
		return r.Ref, nil
	}
	return w.Archive(ctx, r.Content)
}

// only returns content of one text.
func only(text string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})
}
