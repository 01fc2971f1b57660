package token

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// rounds is a conversation of tool calls, of which some are made together.
func rounds(n int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}
	for i := range n {
		call := func(k int) plimsoll.ToolCall {
			return plimsoll.ToolCall{ID: fmt.Sprint(i, "/", k), Name: "read", Arguments: fmt.Sprintf(`{"path":"%d"}`, i)}
		}
		parts := []plimsoll.Part{call(0)}
		if i%5 == 0 {
			parts = append(parts, call(1))
		}
		messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, parts...))
		for k := range parts {
			messages = append(messages, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
				CallID: fmt.Sprint(i, "/", k), Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: strings.Repeat("some words ", 20+i%7)}),
			}))
		}
	}
	for i := range messages {
		messages[i].Digest = plimsoll.Digest{1, byte(i), byte(i >> 8)}
	}
	return plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
}

var sameLoads = cmp.AllowUnexported(plimsoll.Load{})

// TestWhatIsWeighedIsShownFromWhereItIsHeavyEnough is not parallel: it sets how many
// processors there are.
func TestWhatIsWeighedIsShownFromWhereItIsHeavyEnough(t *testing.T) {
	c := rounds(200)
	want := NewMeter(nil).Weigh(c)
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		var mu sync.Mutex
		shown := map[plimsoll.PartRef]string{}
		meter := NewMeter(nil)
		show := func(at plimsoll.PartRef, p plimsoll.Part, content []plimsoll.Part) {
			mu.Lock()
			defer mu.Unlock()
			shown[at] = said(p, content)
		}
		got := meter.WeighShowing(c, want.Total/2, show)
		runtime.GOMAXPROCS(before)
		if diff := cmp.Diff(want, got, sameLoads); diff != "" {
			t.Errorf("%d processors: -weighed +shown\n%s", processors, diff)
		}
		newer := 0
		for i := c.Messages.Len() - 1; i >= 0; i-- {
			for j, p := range c.Messages.At(i).Parts.All() {
				text, ok := shown[plimsoll.PartRef{Message: i, Part: j}]
				_, isCall := p.(plimsoll.ToolCall)
				switch is := said(p, contentOf(p)); {
				case ok && text != is:
					t.Errorf("message %d was shown as %q, want %q", i, text, is)
				case processors > 1: // where it begins depends on who comes when
				case isCall && !ok && i < c.Messages.Len()-2*shareLen: // all together are likely to be heavy enough
					t.Errorf("call %d of message %d was not shown", j, i)
				case !isCall && ok && newer <= want.Total/2-shareLen*100:
					t.Errorf("message %d was shown, with %d tokens behind it", i, newer)
				case !ok && is != "" && newer > want.Total/2+shareLen*100:
					t.Errorf("message %d was not shown, with %d tokens behind it", i, newer)
				}
			}
			newer += want.Messages[i].Tokens
		}
		NewMeter(nil).WeighShowing(c, 2*want.Total, func(at plimsoll.PartRef, _ plimsoll.Part, _ []plimsoll.Part) {
			t.Errorf("message %d was shown of a conversation that is too light", at.Message)
		})
		meter.WeighShowing(c, 0, func(at plimsoll.PartRef, _ plimsoll.Part, _ []plimsoll.Part) {
			t.Errorf("message %d was read again", at.Message)
		})
	}
}

func said(p plimsoll.Part, content []plimsoll.Part) string {
	switch p := p.(type) {
	case plimsoll.ToolCall:
		return p.Arguments
	case plimsoll.ToolResult:
		return plimsoll.TextOf(plimsoll.ListOf(content...))
	}
	return ""
}

func contentOf(p plimsoll.Part) []plimsoll.Part {
	if r, ok := p.(plimsoll.ToolResult); ok {
		return r.Content.Slice()
	}
	return nil
}

func TestWhatHasChangedIsWeighedAgain(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]plimsoll.Dialect{"exact": plimsoll.OpenAI, "estimated": plimsoll.Anthropic} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rounds(60)
			c.Dialect = dialect
			meter, changed, messages := NewMeter(nil), []int{}, c.Messages.Slice()
			for i, m := range messages {
				r, ok := m.Parts.At(0).(plimsoll.ToolResult)
				if !ok || i%3 == 0 {
					continue
				}
				r.Content = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: strings.Repeat("[cut]", 1+i/20)})
				messages[i] = plimsoll.NewMessage(m.Role, r)
				changed = append(changed, i)
			}
			cut := c
			cut.Messages = plimsoll.ListOf(messages...)
			want := NewMeter(nil).Weigh(cut)
			if diff := cmp.Diff(want, meter.Reweigh(c, cut, changed, cut.Outline().Siblings), sameLoads); diff != "" {
				t.Errorf("without the original: -want +got\n%s", diff)
			}
			meter.Weigh(c)
			if got := meter.Reweigh(c, cut, changed, cut.Outline().Siblings); !got.Equal(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if got := meter.Weigh(c); !got.Equal(NewMeter(nil).Weigh(c)) {
				t.Error("the original weighs something else afterwards")
			}
		})
	}
}

func TestAConversationWithoutMessagesHasAListOfNone(t *testing.T) {
	t.Parallel()
	if load := NewMeter(nil).Weigh(plimsoll.Conversation{Model: "gpt-4o"}); load.Messages == nil {
		t.Error("it has no list, which is null in reports")
	}
}
