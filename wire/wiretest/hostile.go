package wiretest

import (
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/wire"
)

// Hostile decodes bodies that were made to hurt and asks that none takes more
// than four times its size in memory. Template is a body of the dialect in which
// MESSAGES, PARTS and MEMBERS stand for elements of its lists (each may be empty),
// such as {"messages":[MESSAGES{"role":"user","content":[PARTS]}]MEMBERS}; message
// and part are the smallest elements, with a comma behind them.
func Hostile(t *testing.T, codec wire.Codec, template, message, part string) {
	t.Helper()
	const many = 500_000
	fill := func(messages, parts, members string) string {
		return strings.NewReplacer("MESSAGES", messages, "PARTS", parts, "MEMBERS", members).Replace(template)
	}
	last := strings.TrimSuffix(part, ",")
	for name, body := range map[string]string{
		"many messages":          fill(strings.Repeat(message, many), last, ""),
		"many parts":             fill("", strings.Repeat(part, many)+last, ""),
		"many numbers for parts": fill("", strings.Repeat("0,", many)+"0", ""),
		"many empty parts":       fill("", strings.Repeat("{},", many)+"{}", ""),
		"many members":           fill("", last, strings.Repeat(`,"a":0`, many)),
		"deep nesting":           fill("", strings.Repeat("[", many), ""),
		"an unterminated string": strings.SplitAfter(fill("", `"`+strings.Repeat("x", many), ""), "x")[0] + strings.Repeat("x", many),
		"escaped quotes":         fill("", last, `,"a":"`+strings.Repeat(`\"`, many)+`"`),
		"lone surrogates":        fill("", last, `,"a":"`+strings.Repeat(`\ud800`, many)+`"`),
		"invalid UTF-8 and NUL":  fill("", last, `,"a":"`+strings.Repeat("\xff\x00", many)+`"`),
	} {
		if used := allocated(codec, []byte(body)); used > max(4*len(body), smallBody) {
			t.Errorf("%s: %d bytes for a body of %d", name, used, len(body))
		}
	}
}

// smallBody is what the index of a body may take whatever its size.
const smallBody = 40 << 20

func allocated(codec wire.Codec, body []byte) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := codec.Decode(body)
	runtime.ReadMemStats(&after)
	if err == nil {
		wire.Check(r)
	}
	return int(after.TotalAlloc - before.TotalAlloc)
}
