package rung

import (
	"context"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// output is a tool result that still stands in the draft.
type output struct {
	at plimsoll.PartRef
	// call that it answers; its message is -1 if there is none.
	call plimsoll.PartRef
	// tokens is what it weighs now.
	tokens int
	// edited says that an earlier rung has changed it.
	edited bool
	seen   *seen
}

// outputs lists the tool results of the draft, oldest first. It loads nothing.
func outputs(w *fit.Work) []output {
	d, saved := w.Draft(), savedBy(w.Draft().Edits())
	pairs, orphans := d.Outline().Pairs, d.Outline().Orphans
	all := make([]output, 0, len(pairs)+len(orphans))
	add := func(at, call plimsoll.PartRef) {
		if _, stands := d.Message(at.Message); stands {
			taken, edited := saved[at]
			all = append(all, output{at, call, w.Before().Messages[at.Message].Parts[at.Part] - taken, edited, &seen{}})
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

// result returns the result as it stands now.
func (o output) result(w *fit.Work) plimsoll.ToolResult {
	part, _ := w.Draft().Part(o.at)
	return part.(plimsoll.ToolResult)
}

// mustShow reports whether the API takes nothing but a picture as the output:
// so does Responses for the use of a computer.
func (o output) mustShow(w *fit.Work) bool {
	return w.Draft().Original().Dialect == plimsoll.Responses && o.tool(w) == "computer"
}

// ExpansionTools returns the names of the tools that give back what was taken out.
// What they return was asked for on purpose and is stored already.
func ExpansionTools() []string { return []string{"tool_output_cache", "tool_output_cache_grep"} }

// replace puts other content in the place of a result's, unless that saves nothing.
func replace(w *fit.Work, o output, content plimsoll.List[plimsoll.Part], why plimsoll.Why) (bool, error) {
	d := w.Draft()
	mark, saved := d.Mark(), d.Saved()
	if err := d.ReplaceResult(o.at, content, why); err != nil {
		return false, err
	}
	if d.Saved() <= saved {
		d.Rollback(mark)
		return false, nil
	}
	return true, nil
}

// origin names the whole output: by the reference that a view of it has, else by
// what the archive says. The id is that of the reference, or without an archive
// the one that the text itself names.
func origin(ctx context.Context, w *fit.Work, o output) (ref *plimsoll.Ref, id string, err error) {
	if ref, err = stored(ctx, w, o); err != nil {
		return nil, "", err
	}
	if ref != nil {
		return ref, ref.ID, nil
	}
	return nil, o.look(w).ref, nil
}

// stored names the whole output, or returns nil without an archive.
func stored(ctx context.Context, w *fit.Work, o output) (*plimsoll.Ref, error) {
	r := o.result(w)
	if r.Ref != nil {
		return r.Ref, nil
	}
	return w.Archive(ctx, r.Content)
}

// The words that views and placeholders begin their marks with, so that they are
// known when they come back.
const (
	truncatedMark = "[tool output truncated"
	trimmedMark   = "[tool output trimmed"
	sameMark      = "[same output as "
	olderMark     = "[older content of "
	// markLimit is more than any mark is long: what is longer only pretends.
	markLimit = 1024
	// refWord stands before the id of a reference.
	refWord = "; ref="
)

// mark writes a mark with its reference, if there is one, else with what to do.
func mark(words, id, without string) string {
	switch {
	case id != "":
		return words + refWord + id + "]"
	case without != "":
		return words + "; " + without + "]"
	}
	return words + "]"
}

// isPlaceholder reports whether nothing is left of an output but a mark.
func isPlaceholder(r plimsoll.ToolResult) bool {
	if r.Content.Len() != 1 {
		return false
	}
	t, ok := r.Content.At(0).(plimsoll.Text)
	return ok && isMark(t.Text)
}

func isMark(text string) bool {
	if len(text) > markLimit || !strings.HasSuffix(text, "]") {
		return false
	}
	for _, words := range []string{trimmedMark, truncatedMark, sameMark, olderMark} {
		if strings.HasPrefix(text, words) {
			return true
		}
	}
	return false
}

// splitMark parts a view from the mark at its end.
func splitMark(text string) (body, mark string) {
	if !strings.HasSuffix(text, "]") {
		return text, ""
	}
	from := max(0, len(text)-markLimit)
	at := strings.LastIndex(text[from:], truncatedMark)
	if at < 0 || strings.Contains(text[from+at:], "\n") {
		return text, ""
	}
	body, mark = text[:from+at], text[from+at:]
	if body == "" {
		return "", mark
	}
	body, found := strings.CutSuffix(body, "\n\n")
	if !found {
		return text, ""
	}
	return body, mark
}

// markedRef returns the id of the reference that a view or a placeholder names.
func markedRef(text string) string {
	_, m := splitMark(text)
	if m == "" && isMark(text) {
		m = text
	}
	at := strings.LastIndex(m, refWord)
	if at < 0 {
		return ""
	}
	id := strings.TrimSuffix(m[at+len(refWord):], "]")
	if strings.ContainsAny(id, " \n\t;[]") {
		return ""
	}
	return id
}

// only returns content of one text.
func only(text string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})
}
