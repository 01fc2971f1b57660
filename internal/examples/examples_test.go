package examples_test

import (
	"bytes"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

func ExampleHarbour() {
	t, err := transcript.Read(bytes.NewReader(examples.Harbour()), transcript.Auto)
	if err != nil {
		fmt.Println(err)
		return
	}
	session := t.Conversations[0]
	fmt.Println(session.Model, session.Messages.Len(), session.Tools.Len())
	// Output: gpt-4o 65 6
}
