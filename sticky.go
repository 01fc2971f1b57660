package plimsoll

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
)

// replayReason stands in edits that an earlier request was given.
const replayReason = "as for an earlier request"

// sticky is everything that was cut for the prefix of a conversation. It is replayed
// as it is: same prefix, same bytes.
type sticky struct {
	Version int `json:"version"`
	// Until is how many messages the prefix has.
	Until      int             `json:"until"`
	Checkpoint *Checkpoint     `json:"checkpoint,omitempty"`
	Drops      []stickyDrop    `json:"drops,omitempty"`
	Results    []stickyResult  `json:"results,omitempty"`
	Removed    []stickyRemoval `json:"removed,omitempty"`
	Inserts    []stickyInsert  `json:"inserts,omitempty"`
	// Offered says that the tools of [Task.Offer] were added.
	Offered bool `json:"offered,omitempty"`

	// compiled is the same once it has been laid.
	compiled atomic.Pointer[compiled]
}

const stickyVersion = 2

// stickyDrop is a run of messages that one rung took out.
type stickyDrop struct {
	Span
	Rung string `json:"rung"`
	Ref  *Ref   `json:"ref,omitempty"`
}

// stickyResult is a tool result with other content.
type stickyResult struct {
	At      PartRef      `json:"at"`
	Content []stickyPart `json:"content"`
	Rung    string       `json:"rung"`
	Ref     *Ref         `json:"ref,omitempty"`
}

// stickyPart is a text, or a part of the original content.
type stickyPart struct {
	Text string `json:"text,omitempty"`
	Same *int   `json:"same,omitempty"`
}

type stickyRemoval struct {
	At   PartRef `json:"at"`
	Rung string  `json:"rung"`
	Ref  *Ref    `json:"ref,omitempty"`
}

type stickyInsert struct {
	Before int    `json:"before"`
	Role   Role   `json:"role"`
	Text   string `json:"text"`
	Rung   string `json:"rung"`
	Ref    *Ref   `json:"ref,omitempty"`
}

// stick writes down what stands in the draft. It returns nil for a draft that cannot
// be written down: one with added instructions, or with content of another kind than
// rungs make.
func (w *Work) stick() *sticky {
	d := w.draft
	if len(d.system) > 0 {
		return nil
	}
	s := &sticky{Version: stickyVersion, Checkpoint: w.checkpoint, Offered: len(d.tools) > 0 || w.sent != nil && w.sent.Offered}
	if cp := w.checkpoint; cp != nil {
		s.Until = cp.Old.End
	}
	last, slots := newLastEdits(d.log), d.slots()
	for i := range slots {
		if (slots[i].dropped || slots[i].edited) && !s.slot(d, i, last) {
			return nil
		}
	}
	for _, in := range d.Inserted() {
		if slices.Contains(w.laid, in.ID) {
			continue
		}
		if in.Message.Parts.Len() != 1 || !Has[Text](in.Message) {
			return nil
		}
		s.Inserts = append(s.Inserts, stickyInsert{in.Before, in.Message.Role, in.Message.Text(), in.Why.Rung, in.Why.Ref})
		s.Until = max(s.Until, in.Before)
	}
	if s.Until == 0 {
		return nil
	}
	return s
}

// lastEdits finds the last edits of parts, for those who ask in the order of the parts.
type lastEdits struct {
	// sorted is the log by parts, from the next one on that may be asked for.
	sorted []*entry
}

func newLastEdits(log []entry) *lastEdits {
	l := &lastEdits{make([]*entry, len(log))}
	for k := range log {
		l.sorted[k] = &log[k]
	}
	slices.SortStableFunc(l.sorted, func(a, b *entry) int { return a.compare(PartRef{b.Message, b.Part}) })
	return l
}

// compare compares the place of an edit with another.
func (e *entry) compare(at PartRef) int {
	return cmp.Or(cmp.Compare(e.Message, at.Message), cmp.Compare(e.Part, at.Part))
}

func (l *lastEdits) why(at PartRef) (why Why, edited bool) {
	for len(l.sorted) > 0 && l.sorted[0].compare(at) <= 0 {
		e := l.sorted[0]
		if l.sorted = l.sorted[1:]; e.compare(at) == 0 {
			why, edited = Why{Rung: e.Rung, Ref: e.Ref}, true
		}
	}
	return why, edited
}

// slot writes down what became of one message that was dropped or edited; false if that
// cannot be done.
func (s *sticky) slot(d *Draft, i int, last *lastEdits) bool {
	slot := &d.slots()[i]
	if slot.dropped {
		why, _ := last.why(PartRef{i, -1})
		s.drop(i, why)
		return true
	}
	s.Until = max(s.Until, i+1)
	original := d.base.Messages.items[i].Parts
	for j := range original.Len() {
		at := PartRef{i, j}
		why, edited := last.why(at)
		k := slot.place(j)
		if k < 0 {
			s.Removed = append(s.Removed, stickyRemoval{at, why.Rung, why.Ref})
			continue
		}
		result, ok := slot.parts()[k].(ToolResult)
		if !edited || !ok {
			continue
		}
		content, ok := stickyContent(result.Content, original.At(j).(ToolResult).Content)
		if !ok {
			return false
		}
		s.Results = append(s.Results, stickyResult{at, content, why.Rung, why.Ref})
	}
	return true
}

func (s *sticky) drop(i int, why Why) {
	if cp := s.Checkpoint; cp != nil && cp.Old.Contains(i) && !slices.Contains(cp.Kept, i) {
		return // the checkpoint does it
	}
	s.Until = max(s.Until, i+1)
	if n := len(s.Drops); n > 0 {
		last := &s.Drops[n-1]
		if last.End == i && last.Rung == why.Rung && sameRef(last.Ref, why.Ref) {
			last.End++
			return
		}
	}
	s.Drops = append(s.Drops, stickyDrop{Span{i, i + 1}, why.Rung, why.Ref})
}

func sameRef(a, b *Ref) bool { return a == b || a != nil && b != nil && *a == *b }

func stickyContent(now, original List[Part]) ([]stickyPart, bool) {
	content := make([]stickyPart, 0, now.Len())
	for _, p := range now.All() {
		if t, ok := p.(Text); ok {
			content = append(content, stickyPart{Text: t.Text})
			continue
		}
		same := indexOf(original, p)
		if same < 0 {
			return nil, false
		}
		content = append(content, stickyPart{Same: &same})
	}
	return content, true
}

// indexOf finds a picture or an opaque part in content.
func indexOf(content List[Part], part Part) int {
	for k, p := range content.All() {
		switch p := p.(type) {
		case Media:
			if o, ok := part.(Media); ok && o == p {
				return k
			}
		case Opaque:
			if o, ok := part.(Opaque); ok && o == p {
				return k
			}
		}
	}
	return -1
}

// refs returns all references that are named.
func (s *sticky) refs() []string {
	var all []string
	add := func(ref *Ref) {
		if ref != nil && !slices.Contains(all, ref.ID) {
			all = append(all, ref.ID)
		}
	}
	if s.Checkpoint != nil {
		all = append(all, s.Checkpoint.refs()...)
	}
	for _, d := range s.Drops {
		add(d.Ref)
	}
	for _, r := range s.Results {
		add(r.Ref)
	}
	for _, r := range s.Removed {
		add(r.Ref)
	}
	for _, in := range s.Inserts {
		add(in.Ref)
	}
	return all
}

// lay cuts the draft as an earlier one was. It refuses to take what must now
// survive, and what does not stand where it stood.
func (s *sticky) lay(w *Work) error {
	if cp := s.Checkpoint; cp != nil {
		if err := cp.mayLay(w); err != nil {
			return err
		}
		if err := w.Lay(cp, Why{Rung: compactName, Reason: replayReason}); err != nil {
			return err
		}
	}
	n := w.draft.base.Messages.Len()
	for _, drop := range s.Drops {
		if drop.Start < 0 || drop.End > n {
			return fmt.Errorf("drop messages %d to %d of %d: %w", drop.Start, drop.End, n, ErrInvalid)
		}
		for i := drop.Start; i < drop.End; i++ {
			if w.Kept(i) {
				return fmt.Errorf("message %d: %w", i, errPin)
			}
			if err := w.draft.DropAlone(i, Why{drop.Rung, replayReason, drop.Ref}); err != nil {
				return err
			}
		}
	}
	for _, r := range s.Results {
		if err := r.lay(w); err != nil {
			return err
		}
	}
	// From the last part to the first: a message may lose several.
	for _, r := range slices.Backward(s.Removed) {
		if r.At.Message >= n || w.Pinned(r.At.Message) {
			return fmt.Errorf("message %d: %w", r.At.Message, errPin)
		}
		if err := w.draft.RemovePart(r.At, Why{r.Rung, replayReason, r.Ref}); err != nil {
			return err
		}
	}
	for _, in := range s.Inserts {
		if _, err := w.draft.Insert(in.Before, Say(in.Role, in.Text), Why{in.Rung, replayReason, in.Ref}); err != nil {
			return err
		}
	}
	return nil
}

func (r stickyResult) lay(w *Work) error {
	part, err := w.draft.find(r.At)
	if err != nil {
		return err
	}
	result, ok := part.(ToolResult)
	if !ok || w.Pinned(r.At.Message) {
		return fmt.Errorf("message %d: %w", r.At.Message, errPin)
	}
	content := make([]Part, len(r.Content))
	for k, p := range r.Content {
		switch {
		case p.Same == nil:
			content[k] = Text{p.Text}
		case *p.Same < 0 || *p.Same >= result.Content.Len():
			return fmt.Errorf("part %d of message %d: %w", r.At.Part, r.At.Message, ErrNotFound)
		default:
			content[k] = result.Content.At(*p.Same)
		}
	}
	return w.draft.ReplaceResult(r.At, frozen(content), Why{r.Rung, replayReason, r.Ref})
}

// mayLay reports whether a checkpoint takes nothing that must now survive.
func (cp *Checkpoint) mayLay(w *Work) error {
	if !cp.fits(w.draft.base.Messages.Len()) {
		return fmt.Errorf("checkpoint for messages %d to %d: %w", cp.Old.Start, cp.Old.End, ErrInvalid)
	}
	for i := cp.Old.Start; i < cp.Old.End; i++ {
		if _, kept := slices.BinarySearch(cp.Kept, i); !kept && w.Kept(i) {
			return fmt.Errorf("message %d: %w", i, errPin)
		}
	}
	return nil
}

// decision writes it down for a memory.
func (s *sticky) decision(key Digest) (Decision, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return Decision{}, fmt.Errorf("remember: %w", err)
	}
	return Decision{Key: key, Body: body, Refs: s.refs()}, nil
}

// stickyOf reads what another process wrote down; nil if another version did.
func stickyOf(d Decision) *sticky {
	var s sticky
	if err := json.Unmarshal(d.Body, &s); err != nil || s.Version != stickyVersion {
		return nil
	}
	return &s
}
