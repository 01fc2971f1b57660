package rawjson_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestLimitBoundsWhatLoopsYieldTogether(t *testing.T) {
	t.Parallel()
	const text = `{"a":[1,2],"b":[[3,4],5],"c":{"d":6}}`
	walk := func(limit int) (int, error) {
		s := rawjson.NewScanner([]byte(text)).Limit(limit)
		yielded := 0
		for range s.Members() {
			yielded++
			for range s.Elements() {
				yielded++ // nested values are skipped, and do not count
			}
		}
		return yielded, s.End()
	}
	if n, err := walk(7); n != 7 || err != nil {
		t.Errorf("with a limit of 7: %d, %v", n, err)
	}
	n, err := walk(6)
	var syntax *rawjson.SyntaxError
	if n != 6 || !errors.As(err, &syntax) || text[syntax.Offset] != '"' {
		t.Errorf("with a limit of 6: %d, %v", n, err)
	}
}
