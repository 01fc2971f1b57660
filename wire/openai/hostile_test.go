package openai_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/openai"
)

func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	for name, body := range map[string]string{
		"a million empty parts":   `{"messages":[{"role":"user","content":[` + strings.Repeat("{},", 1e6) + `{}]}]}`,
		"a million zeros":         `{"messages":[{"role":"user","content":[` + strings.Repeat("0,", 1e6) + `0]}]}`,
		"a million messages":      `{"messages":[` + strings.Repeat(`{"role":"u"},`, 1e6) + `{"role":"u"}]}`,
		"a million members":       `{"messages":[]` + strings.Repeat(`,"a":0`, 1e6) + `}`,
		"a million message keys":  `{"messages":[{"role":"u"` + strings.Repeat(`,"a":0`, 1e6) + `}]}`,
		"a million tools":         `{"messages":[],"tools":[` + strings.Repeat("{},", 1e6) + `{}]}`,
		"a long text":             `{"messages":[{"role":"user","content":"` + strings.Repeat(`\"`, 2e6) + `"}]}`,
		"a deep bomb":             `{"messages":` + strings.Repeat(`[`, 4e6),
		"an unterminated string":  `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 4e6),
		"a million lone halves":   `{"messages":[{"role":"user","content":"` + strings.Repeat(`\ud800`, 1e6) + `"}]}`,
		"a thousand big messages": `{"messages":[` + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("y", 4000)+`"},`, 1000) + `{"role":"user","content":"z"}]}`,
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := openai.Codec{}.Decode([]byte(body))
		runtime.ReadMemStats(&after)
		// The conversion to []byte above is one time the body; small bodies may use
		// what the budget's floor allows.
		if used := int(after.TotalAlloc - before.TotalAlloc); used > max(5*len(body), 20<<20) {
			t.Errorf("%s: %d bytes for a body of %d (%v)", name, used, len(body), err)
		}
		if err == nil {
			wire.Check(r)
		}
	}
}
