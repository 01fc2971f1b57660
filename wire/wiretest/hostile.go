package wiretest

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/wire"
)

// Elements are what bodies that were made to hurt have many of, in one dialect.
// Each is the smallest of its kind and ends in a comma; # stands for its number.
type Elements struct {
	// Template is a body in which MESSAGES, FIELDS, PARTS and TOOLS stand for
	// elements of its lists, and MEMBERS for members of the request, such as
	// {"messages":[MESSAGES{FIELDS"content":[PARTS]}],"tools":[TOOLS]MEMBERS}.
	// Each may be empty.
	Template string
	// Messages are elements of the list of messages, and Parts of a message's
	// content.
	Messages, Parts []string
	// Fields are members of a message, and Tools elements of the list of tools.
	Fields, Tools []string
}

// overhead is what any body may take, however small it is.
const overhead = 16 << 20

// Hostile asks that no body takes more than four times its size in memory, beside
// the overhead: neither all that is allocated while it is decoded and its chain is
// drawn, nor all that is allocated while it is checked, nor what is in use then.
func Hostile(t *testing.T, codec wire.Codec, e Elements) {
	t.Helper()
	sizes := []int{20_000, 120_000, 600_000, 3_000_000}
	if raceEnabled {
		sizes = sizes[:2]
	}
	accepted := 0
	for _, size := range sizes {
		for name, body := range e.bodies(size) {
			use, ok := measure(codec, []byte(body))
			if ok {
				accepted++
			}
			if limit := 4*len(body) + overhead; use.over(limit) {
				t.Errorf("%s, in %d bytes: decoding took %d bytes and checking %d, of which %d were kept",
					name, len(body), use.decoded, use.checked, use.kept)
			}
		}
	}
	if accepted == 0 {
		t.Error("all bodies were refused: nothing was checked")
	}
}

// bodies returns bodies of about a size, by what they have many of.
func (e Elements) bodies(size int) map[string]string {
	bodies := map[string]string{
		"a list in a list":       e.fill("PARTS", strings.Repeat("[", size)),
		"an unterminated string": strings.SplitAfter(e.fill("PARTS", `"x`), "x")[0] + strings.Repeat("x", size),
		"a number for a part":    e.fill("PARTS", many("0,", size)+"0"),
		"a string for a part":    e.fill("PARTS", many(`"",`, size)+`""`),
		"an empty part":          e.fill("PARTS", many("{},", size)+"{}"),
		"a member":               e.fill("MEMBERS", many(`,"a":0`, size)),
		"an escaped key":         e.fill("MEMBERS", many(`,"\u0061":0`, size)),
		"a long key":             e.fill("MEMBERS", many(`,"`+strings.Repeat("k", 40)+`":0`, size)),
		"an escaped quote":       e.fill("MEMBERS", `,"a":"`+many(`\"`, size)+`"`),
		"a lone surrogate":       e.fill("MEMBERS", `,"a":"`+many(`\ud800`, size)+`"`),
		"invalid UTF-8 and NUL":  e.fill("MEMBERS", `,"a":"`+many("\xff\x00", size)+`"`),
	}
	for place, elements := range map[string][]string{"MESSAGES": e.Messages, "PARTS": e.Parts, "FIELDS": e.Fields, "TOOLS": e.Tools} {
		for _, one := range elements {
			// Space between them makes them dear enough to be accepted in a large
			// body, and cheap enough to be many.
			for _, space := range []int{0, 60, 150} {
				text := many(strings.Repeat(" ", space)+one, size)
				if place == "PARTS" || place == "TOOLS" {
					text = strings.TrimSuffix(text, ",")
				}
				bodies[fmt.Sprintf("%s of %s after %d spaces", place, one, space)] = e.fill(place, text)
			}
		}
	}
	return bodies
}

// fill puts a text in one place of the template, and nothing in the others.
func (e Elements) fill(place, text string) string {
	body := strings.Replace(e.Template, place, text, 1)
	return strings.NewReplacer("MESSAGES", "", "FIELDS", "", "PARTS", "", "TOOLS", "", "MEMBERS", "").Replace(body)
}

// many repeats a text, and numbers it.
func many(text string, size int) string {
	n := size / len(text)
	if !strings.Contains(text, "#") {
		return strings.Repeat(text, n)
	}
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// use is what a body takes in memory, in bytes: what is allocated until it is
// decoded, what is until it is checked too, and what is then still in use.
type use struct{ decoded, checked, kept int }

func (u use) over(limit int) bool {
	if raceEnabled { // the race detector makes pools forget
		return u.kept > limit
	}
	return u.decoded > limit || u.kept > limit || u.checked > limit
}

// measure reports whether the body was accepted, too.
func measure(codec wire.Codec, body []byte) (use, bool) {
	runtime.GC()
	start := memory()
	r, err := codec.Decode(body)
	if err == nil {
		r.Chain()
	}
	decoded := memory()
	if err != nil {
		return use{decoded: int(decoded.TotalAlloc - start.TotalAlloc)}, false
	}
	wire.CheckEdited(r, r)
	checked := memory()
	runtime.GC()
	kept := memory()
	runtime.KeepAlive(r)
	return use{
		decoded: int(decoded.TotalAlloc - start.TotalAlloc),
		checked: int(checked.TotalAlloc - start.TotalAlloc),
		kept:    int(kept.HeapAlloc) - int(start.HeapAlloc),
	}, true
}

func memory() runtime.MemStats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m
}
