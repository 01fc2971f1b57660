package build_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

func TestElementsStandWhereTheListHasThem(t *testing.T) {
	t.Parallel()
	const message = `{"role":"user","content":"x"}`
	tests := map[string]string{
		"none":                     `[]`,
		"none in white space":      "[ \n ]",
		"one":                      `[` + message + `]`,
		"without space":            `[` + message + `,` + message + `]`,
		"with every kind of space": "[ \t" + message + "\r\n,\n\t " + message + " ,  " + message + "\n]",
	}
	for name, list := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := []byte(`{"model":"m", "messages" : ` + list + `, "n":1}`)
			r, err := openai.Codec{}.Decode(body)
			if err != nil {
				t.Fatal(err)
			}
			at := strings.Index(string(body), list)
			want := rawjson.NewScannerAt(body, rawjson.Span{Start: at, End: at + len(list)}).List()
			got := r.Layout().Messages
			if got.Span != want.Span || len(got.Items) != len(want.Items) {
				t.Fatalf("got %v with %d elements, want %v with %d", got.Span, len(got.Items), want.Span, len(want.Items))
			}
			for i, span := range want.Items {
				if got.Items[i] != span {
					t.Errorf("element %d stands at %v, not at %v", i, span, got.Items[i])
				}
			}
		})
	}
}

func TestAMistakeInTheJSONComesBeforeWhatItHides(t *testing.T) {
	t.Parallel()
	s := build.NewScanner(plimsoll.OpenAI, []byte(`{"messages":?}`))
	for range s.Members() {
		s.Value()
	}
	if got := s.Wrong("messages", "a list"); got.Path != "" || got.Offset != 12 || got.Err == nil {
		t.Errorf("%q at %d: %v", got.Path, got.Offset, got)
	}
}
