package wire_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/openai"
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
			got := r.Layout().Messages.List()
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

func TestShortTextsSayWhatTheySaidWhoeverSharesTheirPlace(t *testing.T) {
	t.Parallel()
	var texts []string
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			texts = append(texts, string(a)+string(b), string(b), `\n`+string(a), "é"+string(b))
		}
	}
	texts = append(texts, "", `\u0041`, "12345678", "123456789", `a longer one\n`, texts[0])
	var body strings.Builder
	body.WriteString(`{"messages":[`)
	for i, text := range texts {
		if i > 0 {
			body.WriteByte(',')
		}
		body.WriteString(`{"role":"user","content":"` + text + `"}`)
	}
	r, err := openai.Codec{}.Decode([]byte(body.String() + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\n`, "\n", `\u0041`, "A")
	for i, text := range texts {
		if got, want := r.Conversation().Messages.At(i).Text(), unescape.Replace(text); got != want {
			t.Errorf("message %d says %q, not %q", i, got, want)
		}
	}
}
