package split_test

import (
	"fmt"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/split"
)

func ExamplePattern_Next() {
	text := "It's 12345 tokens"
	for pos := 0; pos < len(text); {
		end := split.O200K.Next(text, pos)
		fmt.Printf("%q ", text[pos:end])
		pos = end
	}
	// Output: "It's" " " "123" "45" " tokens"
}

func ExamplePattern_Window() {
	text := "Count the pieces of a text."
	for pos := 0; pos < len(text); {
		ends, n := split.CL100K.Window(text, pos)
		start := 0
		for ; ends != 0; ends &= ends - 1 {
			end := bits.TrailingZeros64(ends) + 1
			fmt.Printf("%q ", text[pos+start:pos+end])
			start = end
		}
		if start < n {
			fmt.Printf("%q ", text[pos+start:pos+n])
		}
		pos += n
	}
	// Output: "Count" " the" " pieces" " of" " a" " text" "."
}

func ExamplePattern_LastSafe() {
	text := "The end of this text may sti"
	safe := split.CL100K.LastSafe(text)
	fmt.Printf("%q %q\n", text[:safe], text[safe:])
	// Output: "The end of this text may" " sti"
}

func ExampleLookup() {
	pattern, ok := split.Lookup(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)
	fmt.Println(pattern == split.GPT2, ok)
	// Output: true true
}
