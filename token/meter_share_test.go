package token

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// TestSharedWeighingIsWeighing is not parallel: it sets how many processors there are.
func TestSharedWeighingIsWeighing(t *testing.T) {
	var messages []plimsoll.Message
	for i := range 500 {
		messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprint(i, " ", strings.Repeat("some words ", i%7))))
	}
	c := plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
	processors := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(processors)
	shared := NewMeter(nil).Weigh(c)
	runtime.GOMAXPROCS(1)
	if diff := cmp.Diff(NewMeter(nil).Weigh(c), shared, cmp.AllowUnexported(plimsoll.Load{})); diff != "" {
		t.Errorf("-alone +shared\n%s", diff)
	}
}
