package wire_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll/wire"
)

func ExampleParseUsage() {
	usage, err := wire.ParseUsage([]byte(`{"prompt_tokens":1200,"completion_tokens":80,"prompt_tokens_details":{"cached_tokens":1024}}`))
	fmt.Println(usage.Input, usage.CacheRead, usage.Output, usage.Total(), err)
	// Output: 176 1024 80 1280 <nil>
}
