package responses

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Adjust keeps reasoning and what follows it together. The API refuses reasoning
// without the item behind it, so an edit that would leave it so is refused here.
// The other way round it asks for the reasoning only of items that it knows by
// their id, so an item whose reasoning went loses its id too.
func (w *writer) Adjust(d *plimsoll.Draft, kept []bool, _ map[int][][]byte) ([]rawjson.Edit, error) {
	if err := w.keepFollowers(d); err != nil {
		return nil, err
	}
	var edits []rawjson.Edit
	bereft := false
	for i, n := range w.notes {
		switch {
		case w.layout.Parsed[i].Role != plimsoll.Assistant:
			bereft = false
		case n.class == classReasoning:
			bereft = !kept[i]
		case bereft && kept[i] && n.idOptional() && n.id != "":
			edits = append(edits, w.withoutID(i)...)
		}
	}
	return edits, nil
}

func (n note) idOptional() bool { return n.class == classMessage || n.class == classCall }

func (w *writer) keepFollowers(d *plimsoll.Draft) error {
	after := -1 // the reasoning that the next message must follow
	check := func(next int) error {
		if after >= 0 && after+1 < len(w.notes) && next != after+1 {
			return fmt.Errorf("reasoning in message %d would lose the item behind it: %w", after, plimsoll.ErrUnsupported)
		}
		return nil
	}
	for p := range d.Placed() {
		if err := check(p.Original); err != nil {
			return err
		}
		after = -1
		if plimsoll.Has[plimsoll.Reasoning](p.Message) {
			after = p.Original
		}
	}
	return check(-1)
}

// withoutID returns the edits that take the id out of an item.
func (w *writer) withoutID(i int) []rawjson.Edit {
	span := w.layout.Messages.Items[i]
	s := rawjson.NewScanner(span.Of(w.layout.Body))
	list := rawjson.List{Span: rawjson.Span{End: span.Len()}}
	var kept []bool
	for key, at := range s.Members() {
		kept = append(kept, string(key) != "id")
		list.Items = append(list.Items, rawjson.Span{Start: at.Start, End: s.Value().End})
	}
	edits := rawjson.Rearrange(list, kept, nil)
	for k := range edits {
		edits[k].Start += span.Start
		edits[k].End += span.Start
	}
	return edits
}
