package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

func TestACompactedConversationCanBeSentBack(t *testing.T) {
	t.Parallel()
	r := wiretest.Decode(t, responses.Codec{}, `{"model":"gpt-5","input":[{"role":"user","content":"old"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]},{"role":"user","content":"new"}]}`)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.Drop(plimsoll.Span{Start: 0, End: 2}, plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Insert(0, plimsoll.Say(plimsoll.User, "what was said before"), plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	body, err := responses.Compacted(r, d, "cmp_1", time.Unix(1_800_000_000, 0), plimsoll.Usage{Input: 7, CacheRead: 2, Output: 3})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		ID, Object string
		CreatedAt  int64 `json:"created_at"`
		Output     json.RawMessage
		Usage      struct {
			Input int `json:"input_tokens"`
			Total int `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.ID != "cmp_1" || answer.Object != "response.compaction" || answer.CreatedAt != 1_800_000_000 || answer.Usage.Input != 9 || answer.Usage.Total != 12 {
		t.Errorf("%s", body)
	}
	next := wiretest.Decode(t, responses.Codec{}, fmt.Sprintf(`{"model":"gpt-5","input":%s}`, answer.Output))
	if found := wire.Check(next); len(found) > 0 {
		t.Errorf("the API would refuse it: %v", found)
	}
	if text := string(answer.Output); strings.Contains(text, "yes") || !strings.Contains(text, "what was said before") || !strings.Contains(text, `{"type":"message","role":"user","content":[{"type":"input_text","text":"new"}]}`) {
		t.Errorf("output %s", text)
	}
}
