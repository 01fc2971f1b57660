package rawjson_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestLimitBoundsWhatLoopsCostTogether(t *testing.T) {
	t.Parallel()
	const text = `{"a":[1,2],"b":[[3,4],5],"c":{"d":6}}`
	walk := func(total int) (int, error) {
		s := rawjson.NewScanner([]byte(text)).Limit(total, rawjson.Costs{Member: 1, Item: 100, Element: 10})
		yielded := 0
		for range s.Members() {
			yielded++
			for range s.Elements() {
				yielded++
				for range s.Elements() {
					yielded++ // what is in "c" is skipped, and costs nothing
				}
			}
		}
		return yielded, s.End()
	}
	for _, tt := range []struct {
		name           string
		total, yielded int
		refused        byte // what begins there, or 0
	}{
		{"all of it", 423, 9, 0},
		{"all but the last member", 422, 8, '"'},
		{"all but the last item", 421, 7, '5'},
		{"all but the last element", 321, 6, '4'},
	} {
		n, err := walk(tt.total)
		var syntax *rawjson.SyntaxError
		refused := errors.As(err, &syntax)
		if n != tt.yielded || refused != (tt.refused != 0) || refused && text[syntax.Offset] != tt.refused {
			t.Errorf("%s: %d, %v", tt.name, n, err)
		}
	}
}
