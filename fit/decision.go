package fit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// compactName is the rung of edits that replay a checkpoint.
const compactName = "compact"

// replayReason is the reason of edits that an earlier request had.
const replayReason = "as for an earlier request"

// cutList is everything that was cut for the prefix of a conversation. It is replayed
// as it is: same prefix, same bytes. A [Decision] is its stored form.
type cutList struct {
	Version int `json:"version"`
	// Until is how many messages the prefix has.
	Until int `json:"until"`
	// Window is the one that the prefix was cut for; 0 if it was not noted.
	Window     int                 `json:"window,omitempty"`
	Checkpoint *summary.Checkpoint `json:"checkpoint,omitempty"`
	Drops      []cutDrop           `json:"drops,omitempty"`
	Results    []cutResult         `json:"results,omitempty"`
	Removed    []cutRemoval        `json:"removed,omitempty"`
	Inserts    []cutInsert         `json:"inserts,omitempty"`
	// Offered says that the tools of [Task.Offer] were added.
	Offered bool `json:"offered,omitempty"`
	// stored is the fingerprint of the decision in the memory.
	stored uint64
}

const cutVersion = 2

// cutDrop is a run of messages that one rung took out.
type cutDrop struct {
	plimsoll.Span
	Rung string        `json:"rung"`
	Ref  *plimsoll.Ref `json:"ref,omitempty"`
}

// cutResult is a tool result with other content.
type cutResult struct {
	At      plimsoll.PartRef `json:"at"`
	Content []cutPart        `json:"content"`
	Rung    string           `json:"rung"`
	Ref     *plimsoll.Ref    `json:"ref,omitempty"`
}

// cutPart is a text, or a part of the original content.
type cutPart struct {
	Text string `json:"text,omitempty"`
	Same *int   `json:"same,omitempty"`
}

type cutRemoval struct {
	At   plimsoll.PartRef `json:"at"`
	Rung string           `json:"rung"`
	Ref  *plimsoll.Ref    `json:"ref,omitempty"`
}

type cutInsert struct {
	Before int           `json:"before"`
	Role   plimsoll.Role `json:"role"`
	Text   string        `json:"text"`
	Rung   string        `json:"rung"`
	Ref    *plimsoll.Ref `json:"ref,omitempty"`
}

// cutList writes down what the draft has lost. It returns nil for a draft that cannot be
// written down: one with added instructions, or with content that no rung makes.
func (w *Work) cutList() *cutList {
	d := w.draft
	if d.AddedSystem().Len() > 0 {
		return nil
	}
	c := &cutList{Version: cutVersion, Window: w.plan.Line.Window, Checkpoint: w.checkpoint, Offered: d.AddedTools().Len() > 0 || w.replayed != nil && w.replayed.Offered}
	if cp := w.checkpoint; cp != nil {
		c.Until = cp.Old.End
	}
	for _, e := range lastEdits(d.Edits()) {
		if !c.add(d, e) {
			return nil
		}
	}
	for _, in := range d.Inserted() {
		if slices.Contains(w.placed, in.ID) || in.Why.Rung == recollectName {
			continue
		}
		if in.Message.Parts.Len() != 1 || !plimsoll.Has[plimsoll.Text](in.Message) {
			return nil
		}
		c.Inserts = append(c.Inserts, cutInsert{in.Before, in.Message.Role, in.Message.Text(), in.Why.Rung, in.Why.Ref})
		c.Until = max(c.Until, in.Before)
	}
	if c.Until == 0 {
		return nil
	}
	return c
}

// lastEdits returns the last edit of each part and message that edits took or changed,
// in the order of the messages.
func lastEdits(edits []plimsoll.Edit) []plimsoll.Edit {
	last := map[plimsoll.PartRef]plimsoll.Edit{}
	for _, e := range edits {
		switch e.Kind {
		case plimsoll.EditDrop, plimsoll.EditReplace, plimsoll.EditRemove:
			last[plimsoll.PartRef{Message: e.Message, Part: e.Part}] = e
		}
	}
	return slices.SortedFunc(maps.Values(last), func(a, b plimsoll.Edit) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Part, b.Part))
	})
}

// add writes down an edit; false if that cannot be done. What was edited in a message
// that was dropped later goes with the message.
func (c *cutList) add(d *plimsoll.Draft, e plimsoll.Edit) bool {
	at := plimsoll.PartRef{Message: e.Message, Part: e.Part}
	if e.Kind == plimsoll.EditDrop {
		c.drop(e.Message, plimsoll.Why{Rung: e.Rung, Ref: e.Ref})
		return true
	}
	if _, stays := d.Message(e.Message); !stays {
		return true
	}
	c.Until = max(c.Until, e.Message+1)
	if e.Kind == plimsoll.EditRemove {
		c.Removed = append(c.Removed, cutRemoval{at, e.Rung, e.Ref})
		return true
	}
	part, _ := d.Part(at)
	original := d.Original().Messages.At(at.Message).Parts.At(at.Part)
	content, ok := contentOf(part.(plimsoll.ToolResult).Content, original.(plimsoll.ToolResult).Content)
	c.Results = append(c.Results, cutResult{at, content, e.Rung, e.Ref})
	return ok
}

func (c *cutList) drop(i int, why plimsoll.Why) {
	if cp := c.Checkpoint; cp != nil && cp.Old.Contains(i) && !slices.Contains(cp.Kept, i) {
		return // the checkpoint does it
	}
	c.Until = max(c.Until, i+1)
	if n := len(c.Drops); n > 0 {
		last := &c.Drops[n-1]
		if last.End == i && last.Rung == why.Rung && sameRef(last.Ref, why.Ref) {
			last.End++
			return
		}
	}
	c.Drops = append(c.Drops, cutDrop{plimsoll.Span{Start: i, End: i + 1}, why.Rung, why.Ref})
}

func sameRef(a, b *plimsoll.Ref) bool { return a == b || a != nil && b != nil && *a == *b }

func contentOf(now, original plimsoll.List[plimsoll.Part]) ([]cutPart, bool) {
	content := make([]cutPart, 0, now.Len())
	for _, p := range now.All() {
		if t, ok := p.(plimsoll.Text); ok {
			content = append(content, cutPart{Text: t.Text})
			continue
		}
		same := indexOf(original, p)
		if same < 0 {
			return nil, false
		}
		content = append(content, cutPart{Same: &same})
	}
	return content, true
}

// indexOf finds a picture or an opaque part in content.
func indexOf(content plimsoll.List[plimsoll.Part], part plimsoll.Part) int {
	for k, p := range content.All() {
		switch p := p.(type) {
		case plimsoll.Media:
			if o, ok := part.(plimsoll.Media); ok && o == p {
				return k
			}
		case plimsoll.Opaque:
			if o, ok := part.(plimsoll.Opaque); ok && o == p {
				return k
			}
		}
	}
	return -1
}

// refs returns all references that are named.
func (c *cutList) refs() []string {
	var all []string
	add := func(ref *plimsoll.Ref) {
		if ref != nil && !slices.Contains(all, ref.ID) {
			all = append(all, ref.ID)
		}
	}
	if c.Checkpoint != nil {
		all = append(all, c.Checkpoint.Refs...)
		add(c.Checkpoint.Ref)
	}
	for _, d := range c.Drops {
		add(d.Ref)
	}
	for _, r := range c.Results {
		add(r.Ref)
	}
	for _, r := range c.Removed {
		add(r.Ref)
	}
	for _, in := range c.Inserts {
		add(in.Ref)
	}
	return all
}

// replay cuts the draft as an earlier one was. It refuses to take what must now
// survive, and what is not where it was.
func (c *cutList) replay(w *Work) error {
	if cp := c.Checkpoint; cp != nil {
		if err := w.mayPlace(cp); err != nil {
			return err
		}
		if err := w.Place(cp, plimsoll.Why{Rung: compactName, Reason: replayReason}); err != nil {
			return err
		}
	}
	for _, drop := range c.Drops {
		for i := drop.Start; i < drop.End; i++ {
			if err := w.draft.DropAlone(i, plimsoll.Why{Rung: drop.Rung, Reason: replayReason, Ref: drop.Ref}); err != nil {
				return err
			}
			if w.Protected(i) {
				return fmt.Errorf("message %d: %w", i, errProtected)
			}
		}
	}
	for _, r := range c.Results {
		if err := r.replay(w); err != nil {
			return err
		}
	}
	// From the last part to the first: a message may lose several.
	for _, r := range slices.Backward(c.Removed) {
		if err := w.draft.RemovePart(r.At, plimsoll.Why{Rung: r.Rung, Reason: replayReason, Ref: r.Ref}); err != nil {
			return err
		}
		if w.Pinned(r.At.Message) {
			return fmt.Errorf("message %d: %w", r.At.Message, errProtected)
		}
	}
	for _, in := range c.Inserts {
		if _, err := w.draft.Insert(in.Before, plimsoll.Say(in.Role, w.named(in.Text, in.Ref)), plimsoll.Why{Rung: in.Rung, Reason: replayReason, Ref: in.Ref}); err != nil {
			return err
		}
	}
	return nil
}

func (r cutResult) replay(w *Work) error {
	part, _ := w.draft.Part(r.At)
	result, ok := part.(plimsoll.ToolResult)
	if !ok || w.Pinned(r.At.Message) {
		return fmt.Errorf("message %d: %w", r.At.Message, errProtected)
	}
	content := make([]plimsoll.Part, len(r.Content))
	for k, p := range r.Content {
		switch {
		case p.Same == nil:
			content[k] = plimsoll.Text{Text: w.named(p.Text, r.Ref)}
		case *p.Same < 0 || *p.Same >= result.Content.Len():
			return fmt.Errorf("part %d of message %d: %w", r.At.Part, r.At.Message, plimsoll.ErrNotFound)
		default:
			content[k] = result.Content.At(*p.Same)
		}
	}
	return w.draft.ReplaceResult(r.At, plimsoll.ListOf(content...), plimsoll.Why{Rung: r.Rung, Reason: replayReason, Ref: r.Ref})
}

// mayPlace reports why a checkpoint cannot be placed: it would take what must survive.
func (w *Work) mayPlace(cp *summary.Checkpoint) error {
	if !placeable(cp, w.draft.Original().Messages.Len()) {
		return fmt.Errorf("checkpoint for messages %d to %d: %w", cp.Old.Start, cp.Old.End, plimsoll.ErrInvalid)
	}
	for i := cp.Old.Start; i < cp.Old.End; i++ {
		if _, kept := slices.BinarySearch(cp.Kept, i); !kept && w.Protected(i) {
			return fmt.Errorf("message %d: %w", i, errProtected)
		}
	}
	return nil
}

// decision writes it down for a memory.
func (c *cutList) decision(key plimsoll.Digest) (Decision, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return Decision{}, fmt.Errorf("remember: %w", err)
	}
	return Decision{Key: key, Body: body, Refs: c.refs()}, nil
}

// readCutList reads what another process wrote down; nil if another version did.
func readCutList(d Decision) *cutList {
	var c cutList
	if err := json.Unmarshal(d.Body, &c); err != nil || c.Version != cutVersion {
		return nil
	}
	c.stored = fingerprint(d.Body)
	return &c
}

// placeable reports whether the checkpoint can be placed in a conversation of n messages.
func placeable(cp *summary.Checkpoint, n int) bool {
	if cp.Old.Start < 0 || cp.Old.End > n || cp.Old.Start > cp.Old.End {
		return false
	}
	last := cp.Old.Start - 1
	for _, i := range cp.Kept {
		if i <= last || i >= cp.Old.End {
			return false
		}
		last = i
	}
	for _, m := range cp.Messages {
		if m.Before < cp.Old.Start || m.Before > cp.Old.End {
			return false
		}
	}
	return true
}
