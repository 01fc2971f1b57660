package rung

import (
	"fmt"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// fileUses returns what the calls of the outputs did to files, by the index of the
// output. It reads only calls of known tools.
func (d *Dedupe) fileUses(w *fit.Work, all []output) [][]access {
	paths := d.Paths
	if paths == nil {
		paths = defaultPaths()
	}
	kinds, uses := map[string]fileTool{}, make([][]access, len(all))
	for i, o := range all {
		if o.call.Message < 0 {
			continue
		}
		tool := o.tool(w)
		kind, known := kinds[tool]
		if !known {
			kind = paths.kind(tool)
			kinds[tool] = kind
		}
		if kind != noFiles {
			call := w.Draft().Original().Messages.At(o.call.Message).Parts.At(o.call.Part).(plimsoll.ToolCall)
			uses[i] = paths.accesses(kind, call.Arguments)
		}
	}
	return uses
}

// defaultPaths are the paths of rungs that have none of their own.
var defaultPaths = sync.OnceValue(DefaultPaths)

// later is what the messages after an output do with a file.
type later struct {
	// changed is the newest message that changed it, or -1.
	changed int
	// reads are the newest reads, newest first. Few are enough: an agent that reads
	// more parts of a file than these does not repeat them soon.
	reads []laterRead
}

type laterRead struct {
	span    lineSpan
	tokens  int
	message int
}

const readsPerFile = 32

// mostOfRefusal is more tokens than it takes to say that a file cannot be read.
const mostOfRefusal = 200

// outdated finds reads of files that were read again or changed later.
func outdated(w *fit.Work, all []output, files [][]access) map[int]duplicate {
	found := map[int]duplicate{}
	uses := make(map[string]int, len(files))
	for _, accesses := range files {
		for _, a := range accesses {
			uses[a.path]++
		}
	}
	seen := map[string]*later{}
	for i := len(all) - 1; i >= 0; i-- {
		for _, a := range files[i] {
			if uses[a.path] == 1 {
				continue
			}
			file := seen[a.path]
			if file == nil {
				file = &later{changed: -1}
				seen[a.path] = file
			}
			if a.writes {
				file.write(w, all[i])
			} else if x, ok := file.read(w, all[i], a); ok {
				found[i] = x
			}
		}
	}
	return found
}

// write records a change, unless it failed. Of several the newest counts.
func (f *later) write(w *fit.Work, o output) {
	if f.changed >= 0 {
		return
	}
	if r := o.result(w); !startsFailed(r.IsError, textsOf(r.Content)) {
		f.changed = o.at.Message
	}
}

// read reports whether the model does not need a read. If it does, read records it.
func (f *later) read(w *fit.Work, o output, a access) (duplicate, bool) {
	r := o.result(w)
	if onlyPlaceholder(r) {
		return duplicate{}, false
	}
	x := duplicate{output: o}
	for _, read := range f.reads {
		// A newer read that is much smaller may only say that nothing changed.
		if read.span.covers(a.span) && read.tokens*2 >= o.tokens && free(w, o) {
			x.start = olderStart + clip(a.path) + ", which was read again later"
			x.reason = fmt.Sprintf("read again in message %d", read.message)
			return x, true
		}
	}
	bad := r.IsError || o.tokens < mostOfRefusal && failed(false, textsOf(r.Content))
	if !bad && len(f.reads) < readsPerFile {
		f.reads = append(f.reads, laterRead{a.span, o.tokens, o.at.Message})
	}
	if f.changed >= 0 && !bad && free(w, o) {
		x.start, x.stale = olderStart+clip(a.path)+", which was changed later", true
		x.reason = fmt.Sprintf("changed in message %d", f.changed)
		return x, true
	}
	return duplicate{}, false
}
