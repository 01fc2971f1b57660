package token_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func ExampleFor() {
	counter, err := token.For("gpt-4o", nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(counter.Count("How deep may she be loaded?"), counter.Info().Encoding, counter.Info().Exact)
	// Output: 7 o200k_base true
}

func ExampleNamed() {
	counter, err := token.Named("gemini")
	if err != nil {
		panic(err)
	}
	fmt.Println(counter.Count("Hello world!"), counter.Info().Exact)
	// Output: 3 false
}

func ExampleMeter() {
	meter := token.NewMeter(nil)
	load := meter.Weigh(plimsoll.Conversation{
		Model: "gpt-4o",
		Messages: plimsoll.ListOf(
			plimsoll.Say(plimsoll.System, "Be brief."),
			plimsoll.Say(plimsoll.User, "How deep may she be loaded?"),
		),
	})
	line := plimsoll.Line{Window: 128_000, Reserve: 4_000}
	fmt.Println(load.Total, load.Exact, load.Exceeds(line))
	// Output: 21 true false
}
