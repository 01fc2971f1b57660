package openai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

func TestTheReasoningIsOnePartAndGoesWithAllItsMembers(t *testing.T) {
	t.Parallel()
	const details = `"reasoning_details":[{"type":"reasoning.text","text":"hm"}]`
	opaque := plimsoll.Opaque{Kind: "reasoning_details", Raw: `[{"type":"reasoning.text","text":"hm"}]`}
	text := plimsoll.Text{Text: "yes"}
	for _, tt := range []struct {
		name, members string
		parts         []plimsoll.Part
		left          string
	}{
		{"one name", `"reasoning":"hm",`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, ``},
		{"both names", `"reasoning":"hm", "reasoning_content":"hm",`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, ``},
		{"the longest weighs", `"reasoning":"h","x":1,"reasoning_content":"hmm","reasoning":"hm",`, []plimsoll.Part{plimsoll.Reasoning{Text: "hmm"}, text}, `"x":1,`},
		{"details beside a text", details + `,"reasoning":"hm",`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, ``},
		{"blocks beside a text", `"reasoning_content":"hm","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"s"}],`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, ``},
		{"details twice", details + `,"reasoning":"hm",` + details + `,`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, ``},
		{"details beside an empty text", `"reasoning":"",` + details + `,`, []plimsoll.Part{text, opaque}, `"reasoning":"",` + details + `,`},
		{"details alone", details + `,`, []plimsoll.Part{text, opaque}, details + `,`},
		{"null and a text", `"reasoning":null,"reasoning_content":"hm",`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}, text}, `"reasoning":null,`},
	} {
		const before, after = `{"messages":[{"role":"user","content":"a"},{"role":"assistant",`, `"content":"yes"},{"role":"user","content":"b"}]}`
		r := decode(t, before+tt.members+after)
		if diff := cmp.Diff(tt.parts, r.Conversation().Messages.At(1).Parts.Slice()); diff != "" {
			t.Errorf("%s: parts (-want +got):\n%s", tt.name, diff)
		}
		got := edited(t, before+tt.members+after, func(d *plimsoll.Draft) error {
			if _, ok := tt.parts[0].(plimsoll.Reasoning); !ok {
				return nil
			}
			return d.RemovePart(plimsoll.PartRef{Message: 1}, because)
		})
		if diff := cmp.Diff(before+tt.left+after, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.name, diff)
		}
	}
}
