package wiretest

import (
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/wire"
)

// Hostile decodes bodies that were made to hurt and asks that none takes more
// than four times its size in memory, or 16 MiB if it is small. Template is a body
// of the dialect in which MESSAGES, PARTS and MEMBERS stand for elements of its
// lists (each may be empty), such as
// {"messages":[MESSAGES{"role":"user","content":[PARTS]}]MEMBERS}; message and
// part are the smallest elements, with a comma behind them.
func Hostile(t *testing.T, codec wire.Codec, template, message, part string) {
	t.Helper()
	// The smaller numbers are about what a small body may hold of each.
	sizes, allowance := []int{14_000, 23_900, 260_000, 1_000_000}, 1
	if raceEnabled {
		sizes, allowance = sizes[:1], 3 // the race detector makes pools forget
	}
	for _, many := range sizes {
		for name, body := range hostile(template, message, part, many) {
			if used := allocated(codec, []byte(body)); used > allowance*max(4*len(body), smallBody) {
				t.Errorf("%d times %s: %d bytes for a body of %d", many, name, used, len(body))
			}
		}
	}
}

func hostile(template, message, part string, many int) map[string]string {
	fill := func(messages, parts, members string) string {
		return strings.NewReplacer("MESSAGES", messages, "PARTS", parts, "MEMBERS", members).Replace(template)
	}
	last := strings.TrimSuffix(part, ",")
	return map[string]string{
		"a message":              fill(strings.Repeat(message, many), last, ""),
		"a part":                 fill("", strings.Repeat(part, many)+last, ""),
		"a number for a part":    fill("", strings.Repeat("0,", many)+"0", ""),
		"a string for a part":    fill("", strings.Repeat(`"",`, many)+`""`, ""),
		"an empty part":          fill("", strings.Repeat("{},", many)+"{}", ""),
		"a member":               fill("", last, strings.Repeat(`,"a":0`, many)),
		"a list in a list":       fill("", strings.Repeat("[", many), ""),
		"an unterminated string": strings.SplitAfter(fill("", `"`+strings.Repeat("x", many), ""), "x")[0] + strings.Repeat("x", many),
		"an escaped quote":       fill("", last, `,"a":"`+strings.Repeat(`\"`, many)+`"`),
		"a lone surrogate":       fill("", last, `,"a":"`+strings.Repeat(`\ud800`, many)+`"`),
		"invalid UTF-8 and NUL":  fill("", last, `,"a":"`+strings.Repeat("\xff\x00", many)+`"`),
	}
}

// smallBody is what the index of a body may take whatever its size.
const smallBody = 16 << 20

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
