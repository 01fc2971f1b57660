package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// inserted is the request for one message, with another behind it.
func inserted(t *testing.T, parts ...plimsoll.Part) (string, error) {
	t.Helper()
	r := decode(t, `{"messages":[{"role":"user","content":"hi"}]}`)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if _, err := d.Insert(1, plimsoll.NewMessage(plimsoll.Assistant, parts...), because); err != nil {
		t.Fatal(err)
	}
	out, err := r.Encode(d)
	return string(out), err
}

func TestMediaIsWrittenByItsKind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		media plimsoll.Media
		want  string
	}{
		{"a picture elsewhere", plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png", Detail: "low"}, `{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}}`},
		{"a picture in base64", plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "AAAA"}, `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`},
		{"a picture in a data URL", plimsoll.Media{Kind: plimsoll.Image, Data: "data:image/png;base64,AAAA"}, `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`},
		{"a recording", plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/wav", Data: "BBBB"}, `{"type":"input_audio","input_audio":{"data":"BBBB","format":"wav"}}`},
		{"a recording by its registered type", plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/mpeg", Data: "BBBB"}, `{"type":"input_audio","input_audio":{"data":"BBBB","format":"mp3"}}`},
		{"a recording by an older type", plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/x-wav", Data: "BBBB"}, `{"type":"input_audio","input_audio":{"data":"BBBB","format":"wav"}}`},
		{"a document", plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", Data: "CCCC"}, `{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,CCCC"}}`},
		{"a document that the provider has", plimsoll.Media{Kind: plimsoll.Document, URL: "file-1"}, `{"type":"file","file":{"file_id":"file-1"}}`},
		{"a document elsewhere", plimsoll.Media{Kind: plimsoll.Document, URL: "https://example.com/a.pdf"}, ""},
		{"a picture of no known type", plimsoll.Media{Kind: plimsoll.Image, Data: "AAAA"}, ""},
		{"a picture that another provider has", plimsoll.Media{Kind: plimsoll.Image, URL: "file_1"}, ""},
		{"a recording elsewhere", plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/wav", URL: "https://example.com/a.wav"}, ""},
		{"a film", plimsoll.Media{Kind: plimsoll.Video, MIME: "video/mp4", Data: "DDDD"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := inserted(t, tt.media)
			if tt.want == "" {
				if !errors.Is(err, plimsoll.ErrUnsupported) {
					t.Errorf("error %v, body %s", err, got)
				}
				return
			}
			if err != nil || !strings.Contains(got, `"content":[`+tt.want+`]`) {
				t.Errorf("%v, body %s, want %s", err, got, tt.want)
			}
		})
	}
}

func TestARefusalInTheContentStaysThere(t *testing.T) {
	t.Parallel()
	const refusal = `{"type":"refusal","refusal":"no"}`
	got, err := inserted(t, plimsoll.Opaque{Kind: "refusal", Raw: refusal})
	if want := `{"role":"assistant","content":[` + refusal + `]}`; err != nil || !strings.Contains(got, want) {
		t.Errorf("%v, body %s, want %s", err, got, want)
	}
}

func TestWhatIsSaidBesideTheContentIsWeighed(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","refusal":"first","content":null,"audio":{"id":"a1"},
	  "reasoning_details":[{"text":"hm"}],"thinking_blocks":[1],"annotations":[],"refusal":"no","id":"msg_1","function_call":{"name":"f","arguments":"1"},
	  "function_call":{"name":"g","arguments":"2"}}]}`)
	want := []plimsoll.Part{
		plimsoll.Opaque{Kind: "audio", Raw: `{"id":"a1"}`},
		plimsoll.Opaque{Kind: "reasoning_details", Raw: `[{"text":"hm"}]`},
		plimsoll.Opaque{Kind: "thinking_blocks", Raw: `[1]`},
		plimsoll.Opaque{Kind: "refusal", Raw: `"no"`},
		plimsoll.ToolCall{Name: "g", Arguments: "2"},
	}
	message := r.Conversation().Messages.At(1)
	if diff := cmp.Diff(want, message.Parts.Slice()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	got, err := inserted(t, want[:4]...)
	const written = `{"role":"assistant","audio":{"id":"a1"},"reasoning_details":[{"text":"hm"}],"thinking_blocks":[1],"refusal":"no","content":null}`
	if err != nil || !strings.Contains(got, written) {
		t.Errorf("%v, body %s, want %s", err, got, written)
	}
}
