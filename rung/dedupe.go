package rung

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Dedupe replaces outputs that the conversation holds in a newer form by a
// reference to it:
//
//   - an output that a later one repeats, byte for byte;
//   - a read of a file that was read again later;
//   - a read of a file that was changed later, which is stale.
//
// The first two lose nothing, so they go first. Outputs that report a failure go last.
// A read of a part of a file counts as repeated only by a read of the same or a larger
// part, and never by a read that failed or returned much less.
type Dedupe struct {
	// Paths says which tools read and write files; nil means DefaultPaths.
	Paths *Paths
	// KeepNewest is how many of the newest outputs stay even if their file was changed
	// since: an agent that works on a file still needs what it read. 0 means 5,
	// negative none.
	KeepNewest int
	// All replaces everything that can be, whatever the goal is.
	All bool
}

const defaultKeepNewest = 5

// Name returns "dedupe".
func (*Dedupe) Name() string { return "dedupe" }

// Apply replaces outputs until the goal is reached.
func (d *Dedupe) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	var waiting []duplicate
	for _, x := range d.find(w) {
		if !d.All && t.Reached(w) || ctx.Err() != nil {
			return ctx.Err()
		}
		if r := x.output.result(w); failed(r.IsError, textsOf(r.Content)) {
			waiting = append(waiting, x)
			continue
		}
		if err := x.replace(ctx, w, d.Name()); err != nil {
			return err
		}
	}
	for _, x := range waiting {
		if !d.All && t.Reached(w) || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := x.replace(ctx, w, d.Name()); err != nil {
			return err
		}
	}
	return nil
}

// duplicate is an output that the model does not need.
type duplicate struct {
	output output
	// start begins the placeholder, reason is for the plan.
	start, reason string
	// stale reports that no newer output has the content.
	stale bool
}

func (x duplicate) replace(ctx context.Context, w *fit.Work, rung string) error {
	ref, id, err := origin(ctx, w, x.output.result(w))
	if err != nil {
		return err
	}
	_, err = replace(w, x.output, only(placeholder(w.HasReader(), x.start, id, "")), plimsoll.Why{Rung: rung, Reason: x.reason, Ref: ref})
	return err
}

// lightestCopy is the fewest tokens of an output that is worth replacing.
const lightestCopy = 24

// find lists the outputs that Dedupe can replace, in the order in which it should.
func (d *Dedupe) find(w *fit.Work) []duplicate {
	all := outputs(w)
	files := d.fileUses(w, all)
	found := copies(w, all, files)
	keep := d.KeepNewest
	if keep == 0 {
		keep = defaultKeepNewest
	}
	for i, x := range outdated(w, all, files) {
		if _, isCopy := found[i]; !isCopy && (!x.stale || i < len(all)-max(0, keep)) {
			found[i] = x
		}
	}
	list := make([]duplicate, 0, len(found))
	for _, x := range found {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b duplicate) int {
		return cmp.Or(compareBool(a.stale, b.stale),
			cmp.Compare(a.output.at.Message, b.output.at.Message), cmp.Compare(a.output.at.Part, b.output.at.Part))
	})
	return list
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// free reports whether an output may be replaced and is worth it.
func free(w *fit.Work, o output) bool {
	return !w.Pinned(o.at.Message) && o.tokens >= lightestCopy && !o.mustShow(w)
}

// copies finds outputs that a later one repeats, by their index in all.
func copies(w *fit.Work, all []output, files [][]access) map[int]duplicate {
	found := map[int]duplicate{}
	newest := map[contentHash]int{}
	maybe := sameWeight(w, all)
	for i := len(all) - 1; i >= 0; i-- {
		o := all[i]
		if o.tokens < lightestCopy || !maybe(i) {
			continue
		}
		r := o.result(w)
		if onlyPlaceholder(r) {
			continue
		}
		key := contentKey(r.Content)
		later, again := newest[key]
		if !again {
			newest[key] = i
			continue
		}
		if !free(w, o) {
			continue
		}
		of := all[later].tool(w)
		if a := files[later]; len(a) == 1 {
			of += " of " + a[0].path
		}
		found[i] = duplicate{
			output: o, start: sameStart + "the newer result of " + clip(of),
			reason: fmt.Sprintf("same output as message %d", all[later].at.Message),
		}
	}
	return found
}

// sameWeight returns a test that is false for outputs that cannot have a copy, because
// no other weighs the same. Results of parallel calls weigh otherwise than single ones,
// so with such results it is always true.
func sameWeight(w *fit.Work, all []output) func(int) bool {
	siblings := w.Draft().Outline().Siblings
	weights := map[int]int{}
	for _, o := range all {
		if siblings[o.at.Message] > 1 {
			return func(int) bool { return true }
		}
		weights[o.tokens]++
	}
	return func(i int) bool { return weights[all[i].tokens] > 1 }
}

// contentHash identifies the content of a result within this process.
type contentHash [2]uint64

// contentSeeds are random, so that no tool can make two outputs with the same hash.
var contentSeeds = [len(contentHash{})]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func contentKey(content plimsoll.List[plimsoll.Part]) contentHash {
	var key contentHash
	for _, p := range content.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			key.add("text", p.Text)
		case plimsoll.Media:
			key.add(string(p.Kind), p.MIME, p.Data, p.URL, p.Detail)
		case plimsoll.Opaque:
			key.add("opaque", p.Kind, p.Raw)
		default:
			key.add(fmt.Sprintf("%T", p), fmt.Sprint(p))
		}
	}
	return key
}

// add hashes texts one by one, so that "a", "b" differs from "ab".
func (k *contentHash) add(texts ...string) {
	const odd = 0x9e3779b97f4a7c15
	for i, seed := range contentSeeds {
		for _, text := range texts {
			k[i] = (k[i] + maphash.String(seed, text)) * odd
		}
	}
}

// clip bounds the length of a name in a placeholder.
func clip(name string) string {
	const most = 120
	return cutter{line: most}.shorten(name)
}
