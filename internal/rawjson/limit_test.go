package rawjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestLimitBoundsWhatIsSpent(t *testing.T) {
	t.Parallel()
	const text = `{"a":[1,2],"b":3}`
	s := rawjson.NewScanner([]byte(text)).Limit(20)
	yielded := 0
	for range s.Members() {
		s.Spend(5)
		for range s.Elements() {
			yielded++
			s.Spend(10)
		}
	}
	var syntax *rawjson.SyntaxError
	if !errors.As(s.End(), &syntax) || text[syntax.Offset] != '2' || yielded != 2 {
		t.Errorf("%d elements, then %v", yielded, s.Err())
	}
	if s.Spend(0) {
		t.Error("after an error there is nothing to spend")
	}
}

func TestWithoutALimitEverythingCanBeSpent(t *testing.T) {
	t.Parallel()
	if s := rawjson.NewScanner([]byte("1")); !s.Spend(1 << 40) {
		t.Error(s.Err())
	}
}

func TestKeysThatAreUnescapedAreSpent(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		`{"` + strings.Repeat("a", 100) + `":0}`:  false,
		`{"` + strings.Repeat(`\n`, 100) + `":0}`: true,
	} {
		s := rawjson.NewScanner([]byte(text)).Limit(100)
		for range s.Members() {
			s.Value()
		}
		if err := s.End(); (err != nil) != refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAScannerForASpanHasTheOffsetsOfTheWhole(t *testing.T) {
	t.Parallel()
	text := []byte(`[0,{"a":1},2]`)
	s := rawjson.NewScannerAt(text, rawjson.Span{Start: 3, End: 10})
	for key, at := range s.Members() {
		if v := s.Value(); string(key) != "a" || string(at.Of(text)) != `"a"` || v.View(text) != "1" {
			t.Errorf("%q at %v: %v", key, at, v)
		}
	}
	if err := s.End(); err != nil || s.Offset() != 10 {
		t.Errorf("ends at %d: %v", s.Offset(), err)
	}
}
