package gemini

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Adjust sees to the media of function responses whose content was replaced: they
// stand in a list of their own beside the response.
func (w *writer) Adjust(d *plimsoll.Draft, kept []bool, _ map[int][][]byte) ([]rawjson.Edit, error) {
	var edits []rawjson.Edit
	done := map[plimsoll.PartRef]bool{}
	for _, e := range d.Edits() {
		at := plimsoll.PartRef{Message: e.Message, Part: e.Part}
		if e.Kind != plimsoll.EditReplace && e.Kind != plimsoll.EditRemove || !kept[e.Message] || done[at] {
			continue
		}
		if w.lone {
			return nil, fmt.Errorf("the only content is no list and cannot be changed in parts: %w", plimsoll.ErrUnsupported)
		}
		done[at] = true
		part, _ := d.Part(at)
		result, ok := part.(plimsoll.ToolResult)
		if !ok {
			continue
		}
		added, err := w.mediaEdit(at, result)
		if err != nil {
			return nil, err
		}
		edits = append(edits, added...)
	}
	return edits, nil
}

func (w *writer) mediaEdit(at plimsoll.PartRef, result plimsoll.ToolResult) ([]rawjson.Edit, error) {
	elements, err := renderParts(media(result.Content))
	if err != nil {
		return nil, err
	}
	if old, ok := w.found.media[at]; ok {
		return []rawjson.Edit{{Span: old, Text: joined("[", elements, "]")}}, nil
	}
	if len(elements) == 0 {
		return nil, nil
	}
	end := w.Locate(at.Message).Places[at.Part].Content.End
	return []rawjson.Edit{{Span: rawjson.Span{Start: end, End: end}, Text: joined(`,"parts":[`, elements, "]")}}, nil
}
