package rawjson_test

import (
	"errors"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestMembersYieldsKeysAndTheirSpans(t *testing.T) {
	t.Parallel()
	data := []byte(`{ "a" : 1,"b\n\u00e9":"x", "":[2, 3] ,"a":{"a":4}}`)
	s := rawjson.NewScanner(data)
	var got []string
	for key, span := range s.Members() {
		got = append(got, string(key), string(span.Of(data)), string(s.Value().Of(data)))
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	want := []string{"a", `"a"`, `1`, "b\né", `"b\n\u00e9"`, `"x"`, "", `""`, `[2, 3]`, "a", `"a"`, `{"a":4}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("key, span, value (-want +got):\n%s", diff)
	}
}

func TestAppendingToAKeyLeavesTheTextAlone(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":1}`)
	for key := range rawjson.NewScanner(data).Members() {
		_ = append(key, "!!!"...)
	}
	if string(data) != `{"a":1}` {
		t.Errorf("the text is now %q", data)
	}
}

func TestElementsYieldsIndexes(t *testing.T) {
	t.Parallel()
	data := []byte(`[true, "b" ,[3],{}]`)
	s := rawjson.NewScanner(data)
	var got []string
	for i := range s.Elements() {
		got = append(got, strconv.Itoa(i), string(s.Value().Of(data)))
	}
	want := []string{"0", "true", "1", `"b"`, "2", "[3]", "3", "{}"}
	if diff := cmp.Diff(want, got); diff != "" || s.End() != nil {
		t.Errorf("index, value (-want +got):\n%s%v", diff, s.Err())
	}
}

func TestTheScannerStandsBehindALoopHoweverItEnds(t *testing.T) {
	t.Parallel()
	const list = `[[1,{"k":[2]}] , [3, "]"], {"x":[4], "y":5}]`
	for name, loop := range map[string]func(*rawjson.Scanner){
		"read to the end": func(s *rawjson.Scanner) {
			for range s.Elements() {
				s.Value()
			}
		},
		"left alone": func(s *rawjson.Scanner) {
			for range s.Elements() {
				continue
			}
		},
		"only looked at": func(s *rawjson.Scanner) {
			for range s.Elements() {
				s.Peek()
			}
		},
		"left before a value": func(s *rawjson.Scanner) {
			for range s.Elements() {
				break
			}
		},
		"left behind a value": func(s *rawjson.Scanner) {
			for range s.Elements() {
				s.Value()
				break
			}
		},
		"left at the last": func(s *rawjson.Scanner) {
			for i := range s.Elements() {
				if i == 2 {
					break
				}
			}
		},
		"left from an inner loop": leaveInner,
		"walked as an object": func(s *rawjson.Scanner) {
			for range s.Members() {
				panic("not an object")
			}
		},
		"read as a string": func(s *rawjson.Scanner) { s.String() },
		"read as a bool":   func(s *rawjson.Scanner) { s.Bool() },
		"read as a number": func(s *rawjson.Scanner) { s.Int() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rawjson.NewScanner([]byte(`{"list":` + list + `,"next":7}`))
			var keys []string
			for key := range s.Members() {
				keys = append(keys, string(key))
				if string(key) == "list" {
					loop(s)
				} else if n, ok := s.Int(); !ok || n != 7 {
					t.Errorf("next is %d, %v", n, ok)
				}
			}
			if diff := cmp.Diff([]string{"list", "next"}, keys); diff != "" || s.End() != nil {
				t.Errorf("keys (-want +got):\n%s%v", diff, s.Err())
			}
		})
	}
}

// leaveInner returns from two loops at once.
func leaveInner(s *rawjson.Scanner) {
	for range s.Elements() {
		for i := range s.Elements() {
			if i == 1 {
				return
			}
		}
	}
}

func TestSiblingsDoNotCountAsDepth(t *testing.T) {
	t.Parallel()
	data := []byte(`[` + strings.Repeat(`[[1,2],{"k":[3,4]}],`, rawjson.MaxDepth) + nested(rawjson.MaxDepth-1) + `]`)
	for name, loop := range map[string]func(*rawjson.Scanner){
		"read to the end": walk,
		"left by a break": func(s *rawjson.Scanner) {
			for range s.Elements() {
				break
			}
		},
		"listed": func(s *rawjson.Scanner) { s.List() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rawjson.NewScanner(data)
			for range s.Elements() {
				loop(s)
			}
			if err := s.End(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDepthIsCountedAcrossLoopsAndValue(t *testing.T) {
	t.Parallel()
	s := rawjson.NewScanner([]byte(strings.Repeat("[", rawjson.MaxDepth+1)))
	var enter func(depth int)
	enter = func(depth int) {
		if depth == rawjson.MaxDepth {
			s.Value()
			return
		}
		for range s.Elements() {
			enter(depth + 1)
		}
	}
	enter(0)
	var syntax *rawjson.SyntaxError
	if !errors.As(s.Err(), &syntax) || syntax.Offset != rawjson.MaxDepth || syntax.Found != "'['" {
		t.Errorf("the error is %v", s.Err())
	}
}

func TestPeekTellsTheKind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		`{}`: '{', ` []`: '[', "\n\"x\"": '"', `0`: '0', `-1`: '0', `9`: '0', `true`: 't', `false`: 'f', `null`: 'n',
		``: 0, ` `: 0, `]`: 0, `}`: 0, `,`: 0, `:`: 0, `x`: 0, "\xff": 0, "\x00": 0,
	} {
		s := rawjson.NewScanner([]byte(text))
		if got := s.Peek(); got != want || s.Err() != nil {
			t.Errorf("Peek at %q is %q, %v, want %q", text, got, s.Err(), want)
		}
	}
}

func TestReadersOfOneKindPassOverTheOthers(t *testing.T) {
	t.Parallel()
	data := []byte(`["a", true, false, null, 12, 1.5, [], {}]`)
	s := rawjson.NewScanner(data)
	var stringsAt, boolsAt, intsAt []int
	for pass, read := range []func(i int){
		func(i int) {
			if _, ok := s.String(); ok {
				stringsAt = append(stringsAt, i)
			}
		},
		func(i int) {
			if _, ok := s.Bool(); ok {
				boolsAt = append(boolsAt, i)
			}
		},
		func(i int) {
			if _, ok := s.Int(); ok {
				intsAt = append(intsAt, i)
			}
		},
	} {
		s = rawjson.NewScanner(data)
		for i := range s.Elements() {
			read(i)
		}
		if err := s.End(); err != nil {
			t.Errorf("pass %d: %v", pass, err)
		}
	}
	if diff := cmp.Diff([][]int{{0}, {1, 2}, {4}}, [][]int{stringsAt, boolsAt, intsAt}); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
}

func TestBool(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`true`: true, `false`: false} {
		if got, ok := rawjson.NewScanner([]byte(text)).Bool(); !ok || got != want {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want int
		ok   bool
	}{
		{"0", 0, true},
		{"-0", 0, true},
		{"-17", -17, true},
		{"4096", 4096, true},
		{strconv.Itoa(math.MaxInt), math.MaxInt, true},
		{strconv.Itoa(math.MinInt), math.MinInt, true},
		{"9223372036854775808", 0, false},
		{"-9223372036854775809", 0, false},
		{"92233720368547758070", 0, false},
		{strings.Repeat("9", 1000), 0, false},
		{"1.0", 0, false},
		{"1e3", 0, false},
		{"01", 0, false},
		{"-", 0, false},
		{`"1"`, 0, false},
		{"", 0, false},
	} {
		if got, ok := rawjson.NewScanner([]byte(test.text)).Int(); got != test.want || ok != test.ok {
			t.Errorf("%.40s is %d, %v, want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}

func TestErrorsStick(t *testing.T) {
	t.Parallel()
	s := rawjson.NewScanner([]byte(`[1, x, "after", true, [4], {"k":5}]`))
	rounds := 0
	for range s.Elements() {
		s.Value()
		rounds++
	}
	first := s.Err()
	var syntax *rawjson.SyntaxError
	if !errors.As(first, &syntax) || syntax.Offset != 4 || rounds != 1 {
		t.Fatalf("%d rounds, error %v", rounds, first)
	}
	for range s.Elements() {
		t.Error("Elements goes on")
	}
	for range s.Members() {
		t.Error("Members goes on")
	}
	_, isString := s.String()
	_, isBool := s.Bool()
	_, isInt := s.Int()
	if isString || isBool || isInt || s.Peek() != 0 || !s.Value().IsZero() || !s.List().IsZero() {
		t.Error("values are read after an error")
	}
	if s.Err() != first || s.End() != first {
		t.Errorf("the error is now %v, was %v", s.End(), first)
	}
}

func TestAnErrorSaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	const want = `json: offset 6: expected ',' or '}' after a member, found ']'`
	if got := skipAll([]byte(`{"a":1]`)); got == nil || got.Error() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The tests below count allocations and must not run beside others.

func TestReadingDoesNotAllocate(t *testing.T) {
	data := []byte(`{"a":[1,-2.5e3,true,null,{"b":"c\n"}],"d":"` + strings.Repeat("long ", 100) + `","e":` + nested(60) + `}`)
	for name, read := range map[string]func([]byte) error{"Value": skipAll, "iterators": walkAll} {
		if got := testing.AllocsPerRun(10, func() { _ = read(data) }); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

func TestHostileTextsTakeLittleMemory(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"a million keys":         `{` + strings.Repeat(`"":0,`, n) + `"":0}`,
		"a million escaped keys": `{` + strings.Repeat(`"\n":0,`, n) + `"":0}`,
		"a million brackets":     strings.Repeat("[", n),
		"a million objects":      strings.Repeat(`{"":`, n),
		"the deepest nesting":    nested(rawjson.MaxDepth),
		"an open string":         `"` + strings.Repeat("x", n),
		"an open escape":         `"` + strings.Repeat(`\\`, n) + `\`,
		"invalid UTF-8":          `"` + strings.Repeat("\xff", n) + `"`,
		"half a pair":            `"` + strings.Repeat(`\ud800`, n) + `"`,
		"NUL":                    strings.Repeat("\x00", n),
		"a number":               strings.Repeat("9", n),
		"white space":            strings.Repeat(" ", n),
	} {
		data := []byte(text)
		if got := allocated(func() { _ = skipAll(data) }); got > 8<<10 {
			t.Errorf("%s: Value takes %d bytes", name, got)
		}
	}
}

func TestListTakesASmallMultipleOfWhatItReturns(t *testing.T) {
	data := []byte(`[` + strings.Repeat(`0,`, 1<<20) + `0]`)
	var l rawjson.List
	took := allocated(func() { l = rawjson.NewScanner(data).List() })
	if returned := 16 * uint64(len(l.Items)); took > 8*returned {
		t.Errorf("%d bytes for %d", took, returned)
	}
}

// allocated returns the least of a few runs: what the runtime allocates meanwhile
// only adds to it.
func allocated(do func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
