package hook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/hook"
)

// said is a transport that gives one answer.
type said string

func (s said) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// FuzzAnswer gives hooks any answer: an error comes without a veto, and a directive
// is never empty.
func FuzzAnswer(f *testing.F) {
	for _, tt := range answers {
		if len(tt.said) < 1000 {
			f.Add(tt.said)
		}
	}
	f.Fuzz(func(t *testing.T, answer string) {
		h, err := hook.Webhook("http://host/", &hook.Options{Transport: said(answer)})
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.PreCompress(t.Context(), fit.PreCompress{})
		if err != nil && (v.Veto != "" || len(v.Directives) > 0) {
			t.Errorf("error %v with %+v", err, v)
		}
		for _, d := range v.Directives {
			if strings.TrimSpace(d) == "" {
				t.Errorf("an empty directive of %q", answer)
			}
		}
	})
}
