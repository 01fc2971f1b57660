package quality

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// talk is a chat in which each message has a number of its own.
func talk(n int) []message {
	var all []message
	for i := range n {
		all = append(all, message{[]string{"user", "assistant"}[i%2], fmt.Sprintf("The tide was calm today. Buoy %d lies near rock %d.", i, 1000+i)})
	}
	return append(all, message{"user", "Where is the harbour?"})
}

func TestEveryWayStaysWithinItsLimitAndKeepsTheNewest(t *testing.T) {
	t.Parallel()
	b := newBench()
	messages := talk(200)
	window := b.weigh(messages).Total / 4
	for _, name := range Ways() {
		p, err := b.way(name, messages, window)
		if err != nil {
			t.Fatal(err)
		}
		over := p.tokens > p.limit && name != idfExtract // that one estimates tokens by letters
		if p.limit != window-window/16 || p.tokens == 0 || over || !strings.HasSuffix(p.text, "Where is the harbour?") {
			t.Errorf("%s: %d of %d tokens, ends %q", name, p.tokens, p.limit, p.text[max(0, len(p.text)-40):])
		}
	}
}

func TestAQuestionIsNoPartOfTheScoredText(t *testing.T) {
	t.Parallel()
	p, err := newBench().fit(talk(20), "auto", 100_000, true)
	if err != nil || strings.Contains(p.text, "harbour") || !strings.Contains(p.text, "rock 1019") {
		t.Errorf("%v: %q", err, p.text)
	}
}

func TestTheNewestMessagesAreAllThatFit(t *testing.T) {
	t.Parallel()
	b, messages := newBench(), talk(20)
	for _, n := range []int{1, 7, 21} {
		limit := b.weigh(messages[21-n:]).Total
		if got := len(b.newest(messages, limit)); got != n {
			t.Errorf("%d messages at a limit for %d", got, n)
		}
		if got := len(b.newest(messages, limit-1)); got != n-1 {
			t.Errorf("%d messages at a token less than %d need", got, n)
		}
	}
}

func TestTheExtractTakesSentencesWithRareWordsFirst(t *testing.T) {
	t.Parallel()
	b := newBench()
	left := b.extract(talk(200), 1000)
	if text := left[0].Content; strings.Contains(text, "calm") || strings.Count(text, "lies near rock") < 10 {
		t.Errorf("extracted %q", text)
	}
}

func TestSentencesEndAtPunctuationAndLineBreaks(t *testing.T) {
	t.Parallel()
	if got, want := sentences("Hi! Is 3.5 m deep?\nYes.  No"), []string{"Hi!", "Is 3.5 m deep?", "Yes.", "No"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALaterTurnNeedsTheRareWordsThatItsDialogueTold(t *testing.T) {
	t.Parallel()
	var dialogues [][]message
	for i := range joined {
		d := slices.Repeat([]message{{"user", "旅館をお願いします"}}, 10)
		if i == 3 {
			d[0].Content, d[9].Content = "出雲大社に行きます", "出雲大社の旅館と温泉ですね"
		}
		dialogues = append(dialogues, d)
	}
	chats := join(append(dialogues, dialogues[0]))
	if len(chats) != 1 || len(chats[0].messages) != joined*7+1 {
		t.Fatalf("%d chats", len(chats))
	}
	// All dialogues have 旅館, and nobody told of 温泉.
	if want := []string{"出雲大社"}; !reflect.DeepEqual(chats[0].needed, want) {
		t.Errorf("needed %q, want %q", chats[0].needed, want)
	}
}
