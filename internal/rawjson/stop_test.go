package rawjson_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestAStoppedScannerReadsNoFurther(t *testing.T) {
	t.Parallel()
	const text = `{"a":[1,2],"b":3}`
	s := rawjson.NewScanner([]byte(text))
	read := 0
	for range s.Members() {
		for i := range s.Elements() {
			read++
			if i == 1 {
				s.Stop("one element")
				s.Stop("none")
			}
		}
	}
	var syntax *rawjson.SyntaxError
	if !errors.As(s.End(), &syntax) || text[syntax.Offset] != '2' || syntax.Expected != "one element" || read != 2 {
		t.Errorf("%d elements, then %v", read, s.Err())
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
