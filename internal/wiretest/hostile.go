package wiretest

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
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

// Hostile asks that what a body takes to decode and check grows with its size, whatever
// the body has many of. It counts allocated bytes, which no other load disturbs. Tests
// that call it must not run in parallel.
func Hostile(t *testing.T, codec wire.Codec, e Elements) {
	t.Helper()
	small, large := e.bodies(100_000), e.bodies(200_000)
	for name, body := range small {
		once, twice := allocated(codec, body), allocated(codec, large[name])
		if twice > 3*once+64<<10 {
			t.Errorf("%s: %d bytes allocate %d, %d bytes allocate %d", name, len(body), once, len(large[name]), twice)
		}
	}
}

// Capped asks that a body may have [wire.MaxItems] messages, parts and tools, and that
// one more is refused with status 413 and a hint. The elements must be valid.
func Capped(t *testing.T, codec wire.Codec, template, message, part, tool string) {
	t.Helper()
	e := Elements{Template: template}
	for place, one := range map[string]string{"MESSAGES": message, "PARTS": part, "TOOLS": tool} {
		// The template has a message of its own.
		most := wire.MaxItems
		if place == "MESSAGES" {
			most--
		}
		if _, err := codec.Decode([]byte(e.full(place, strings.Repeat(one, most)))); err != nil {
			t.Errorf("%d %s are refused: %v", wire.MaxItems, place, err)
		}
		_, err := codec.Decode([]byte(e.full(place, strings.Repeat(one, most+1))))
		if plimsoll.CodeOf(err) != plimsoll.CodeTooLarge || !strings.Contains(err.Error(), "more than 200,000 "+strings.ToLower(place)) {
			t.Errorf("one more than %d %s: %v", wire.MaxItems, place, err)
			continue
		}
		if status, text := codec.Refusal(err); status != 413 || !bytes.Contains(text, []byte("shorten the conversation")) {
			t.Errorf("one more than %d %s is answered with %d %s", wire.MaxItems, place, status, text)
		}
	}
}

// Modest asks that decoding and checking a real body allocates at most four times its
// bytes. Tests that call it must not run in parallel.
func Modest(t *testing.T, codec wire.Codec) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	bodies := 0
	for i, c := range Sessions(t) {
		body, err := Rewrite(codec, c)
		if err != nil || len(body) < 16<<10 {
			continue // a short chat of tiny messages may take more, and takes little
		}
		bodies++
		if took := allocated(codec, string(body)); took > 4*len(body) {
			t.Errorf("session %d: %d bytes allocate %d", i, len(body), took)
		}
	}
	if bodies == 0 {
		t.Error("no session could be written: nothing was checked")
	}
}

// allocated returns how many bytes decoding and checking a body allocates.
func allocated(codec wire.Codec, body string) int {
	data := []byte(body)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if r, err := codec.Decode(data); err == nil {
		wire.CheckEdited(r, r)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
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
			bodies[place+" of "+one] = e.full(place, many(one, size))
		}
	}
	return bodies
}

// full puts elements, each with a comma behind it, in one place of the template.
func (e Elements) full(place, elements string) string {
	if place == "PARTS" || place == "TOOLS" {
		elements = strings.TrimSuffix(elements, ",")
	}
	return e.fill(place, elements)
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
