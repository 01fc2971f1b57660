package rig

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/plimsoll/plimsoll/interop/job"
)

// Verdict is what became of a job that ran on a rig.
type Verdict struct {
	job.Result
	// Requests of the client that carried a conversation, Asked those of them and of
	// ours that the model answered.
	Requests, Asked int
	// Cuts is how many requests were cut anew, Recalled how many as before.
	Cuts, Recalled int
	// Overflows that the upstream said, Refusals other errors of it.
	Overflows int
	Refusals  []string
	// Told are the failures that the client was told of.
	Told []string
	// Sent are all marks that the client sent, Kept those that stand behind references
	// before the model, Lost those that are neither there nor before it.
	Sent, Kept, Lost job.Set
	// Cached is the share of the prompts that came out of the provider's cache, until
	// the last file was read.
	Cached float64
	// Paid is what the prompts cost, in tokens at full price: those out of the cache
	// cost a tenth.
	Paid float64
	// Warnings of plimsoll, each once.
	Warnings []string
}

// Judge looks at everything that passed.
func (r *Rig) Judge(t testing.TB, j *job.Job) Verdict {
	t.Helper()
	v := Verdict{Result: j.Result(), Sent: job.Set{}}
	warned := map[string]bool{}
	for _, p := range r.Passages() {
		if p.Failed() {
			v.Told = append(v.Told, fmt.Sprintf("%s %s: %d %.300s", p.Method, p.Path, p.Status, tail(p.Answer)))
		}
		if !p.Converses() {
			continue
		}
		v.Requests++
		v.Sent.Add(job.Marks(p.Body))
		switch p.Header.Get("X-Plimsoll-Decision") {
		case "cut", "compact":
			v.Cuts++
		case "recall":
			v.Recalled++
		}
		if w := p.Header.Get("X-Plimsoll-Warning"); w != "" && !warned[w] {
			warned[w] = true
			v.Warnings = append(v.Warnings, w)
		}
	}
	v.readUpstream(r)
	v.Kept = r.behind(t, v.Refs)
	v.Lost = v.Sent.Without(v.Context, v.Kept)
	return v
}

// behind returns the marks in what the client's references stand for, and in what
// stands behind the references in that.
func (r *Rig) behind(t testing.TB, refs []string) job.Set {
	t.Helper()
	found := job.Set{}
	if len(refs) == 0 {
		return found
	}
	kept := r.open(t)
	defer kept.Close()
	tenant := kept.Tenant(r.Passages()[0].tenant)
	seen := map[string]bool{}
	for len(refs) > 0 {
		id := refs[0]
		refs = refs[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		content, err := tenant.Open(t.Context(), id)
		if err != nil {
			t.Errorf("ref=%s stands before the model and cannot be had: %v", id, err)
			continue
		}
		text, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			t.Errorf("ref=%s: %v", id, err)
		}
		found.Add(job.Marks(text))
		refs = append(refs, job.Refs(text)...)
	}
	return found
}

// String says it in a line.
func (v Verdict) String() string {
	return fmt.Sprintf("%d of %d steps, %d requests, %d asked, %d cuts, %d recalled, %d overflows, marks: %d sent, %d in context, %d behind refs, %d given back by tools, %d lost, cached %.1f%% %s",
		v.Steps, v.Of, v.Requests, v.Asked, v.Cuts, v.Recalled, v.Overflows, len(v.Sent), len(v.Context), len(v.Kept), len(v.Back), len(v.Lost), 100*v.Cached, v.Warnings)
}

// readUpstream takes bills and refusals from the upstream's log.
func (v *Verdict) readUpstream(r *Rig) {
	v.Refusals = r.thinking.refusals()
	prompt, cached := 0, 0
	for _, e := range r.Asked() {
		switch {
		case e.Overflow:
			v.Overflows++
		case e.Status >= 400:
			v.Refusals = append(v.Refusals, fmt.Sprintf("%s %s: %d %.200s", e.Method, e.Path, e.Status, e.Refusal))
		case e.Call != nil && e.Usage.Prompt() > 0:
			v.Asked++
			if v.Last > 0 && e.Call.N > v.Last {
				continue
			}
			prompt += e.Usage.Prompt()
			cached += e.Usage.CacheRead
		}
	}
	if prompt > 0 {
		v.Cached = float64(cached) / float64(prompt)
	}
	v.Paid = float64(prompt-cached) + float64(cached)/10
}

func tail(b []byte) []byte { return b[max(0, len(b)-300):] }
