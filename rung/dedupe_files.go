package rung

import (
	"fmt"
	"sync"

	"github.com/plimsoll/plimsoll"
)

// knownPaths are the paths of a rung, with what is asked of calls because of them.
type knownPaths struct {
	*Paths
	accesses plimsoll.Question[[]access]
	// kinds of the tools by the names that they are given.
	kinds map[string]fileTool
}

// paths returns the paths of the rung.
func (d *Dedupe) paths() *knownPaths {
	if d.Paths == nil {
		return defaultPaths()
	}
	d.files.Do(func() { d.known = known(d.Paths) })
	return d.known
}

// defaultPaths are those of all rungs that have none of their own.
var defaultPaths = sync.OnceValue(func() *knownPaths { return known(DefaultPaths()) })

func known(paths *Paths) *knownPaths {
	p := &knownPaths{paths, plimsoll.NewQuestion[[]access](), map[string]fileTool{}}
	for _, names := range p.tools() {
		for _, name := range names {
			p.kinds[name] = paths.kind(name)
		}
	}
	return p
}

// kind is that of the paths, and need not compare a name that is spelt as there.
func (p *knownPaths) kind(tool string) fileTool {
	if kind, ok := p.kinds[tool]; ok {
		return kind
	}
	return p.Paths.kind(tool)
}

// Look finds out of a call what it did to files.
func (d *Dedupe) Look(s plimsoll.Sight) {
	call, ok := s.Part.(plimsoll.ToolCall)
	if !ok {
		return
	}
	paths := d.paths()
	if kind := paths.kind(call.Name); kind != noFiles {
		plimsoll.Note(s, paths.accesses, paths.Paths.accesses(kind, call.Arguments))
	}
}

// fileUses returns what the calls of the outputs did to files, by the place of the
// output. Only calls of tools that are known are read.
func (d *Dedupe) fileUses(w *plimsoll.Work, all []output) [][]access {
	paths := d.paths()
	var calls []plimsoll.PartRef
	var kinds []fileTool
	var of []int
	tool, kind := "", noFiles // of the output before: many in a row are of one tool
	for i, o := range all {
		if o.call.Message < 0 {
			continue
		}
		if name := o.tool(w); name != tool {
			tool, kind = name, paths.kind(name)
		}
		if kind != noFiles {
			calls, kinds, of = append(calls, o.call), append(kinds, kind), append(of, i)
		}
	}
	find := func(k int) []access {
		call := w.Draft().Original().Messages.At(calls[k].Message).Parts.At(calls[k].Part).(plimsoll.ToolCall)
		return paths.Paths.accesses(kinds[k], call.Arguments)
	}
	plimsoll.Learn(w, calls, paths.accesses, find)
	uses := make([][]access, len(all))
	for k, at := range calls {
		uses[of[k]] = plimsoll.FactOf(w, at, paths.accesses, func() []access { return find(k) })
	}
	return uses
}

// later is what is known of a file when one looks back from the end.
type later struct {
	// changed is the newest message that changed it, or -1.
	changed int
	// reads are the newest reads, newest first. Few are enough: an agent that
	// reads more parts of a file than these does not repeat itself soon.
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
func outdated(w *plimsoll.Work, all []output, files [][]access) map[int]duplicate {
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

// write notes a change, unless it failed. Of several the newest counts.
func (f *later) write(w *plimsoll.Work, o output) {
	if f.changed >= 0 {
		return
	}
	if o.look(w).didWork {
		f.changed = o.at.Message
	}
}

// read reports whether a read can be done without; if not it is noted.
func (f *later) read(w *plimsoll.Work, o output, a access) (duplicate, bool) {
	if o.look(w).placeholder {
		return duplicate{}, false
	}
	x := duplicate{output: o}
	for _, read := range f.reads {
		// A newer read that is much smaller may only say that nothing changed.
		if read.span.covers(a.span) && read.tokens*2 >= o.tokens && free(w, o) {
			x.words = olderMark + clip(a.path) + ", which was read again later"
			x.reason = fmt.Sprintf("read again in message %d", read.message)
			return x, true
		}
	}
	bad := o.result(w).IsError || o.tokens < mostOfRefusal && o.look(w).failed
	if !bad && len(f.reads) < readsPerFile {
		f.reads = append(f.reads, laterRead{a.span, o.tokens, o.at.Message})
	}
	if f.changed >= 0 && !bad && free(w, o) {
		x.words, x.stale = olderMark+clip(a.path)+", which was changed later", true
		x.reason = fmt.Sprintf("changed in message %d", f.changed)
		return x, true
	}
	return duplicate{}, false
}
