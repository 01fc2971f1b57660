package token_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func weighMedia(d plimsoll.Dialect, model string, m plimsoll.Media) int {
	c := plimsoll.Conversation{Dialect: d, Model: model, Messages: plimsoll.ListOf(plimsoll.NewMessage(plimsoll.User, m))}
	return token.NewMeter(nil).Weigh(c).Messages[0].Parts[0]
}

func TestPicturesWeighByDimensionsNotByBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		dialect       plimsoll.Dialect
		model         string
		width, height int
		detail        string
		want          int
	}{
		{"four tiles of gpt-4o", plimsoll.OpenAI, "gpt-4o", 1024, 1024, "high", 765},
		{"six tiles after two scalings", plimsoll.OpenAI, "gpt-4o", 2048, 4096, "high", 1105},
		{"low detail has one price", plimsoll.OpenAI, "gpt-4o", 4096, 8192, "low", 85},
		{"a small picture is one tile", plimsoll.OpenAI, "gpt-4o", 128, 64, "", 255},
		{"gpt-4o-mini counts its tiles dearer", plimsoll.OpenAI, "gpt-4o-mini", 128, 64, "high", 8500},
		{"o3", plimsoll.OpenAI, "o3", 128, 64, "high", 225},
		{"gpt-5", plimsoll.OpenAI, "gpt-5", 1024, 1024, "high", 630},
		{"patches of gpt-4.1-mini", plimsoll.OpenAI, "gpt-4.1-mini", 1024, 1024, "", 1660},
		{"no more than 1536 patches", plimsoll.OpenAI, "gpt-4.1-mini", 4000, 1474, "", 2490},
		{"patches of o4-mini", plimsoll.OpenAI, "o4-mini", 128, 64, "", 15},
		{"gpt-5-mini has other patches than gpt-4.1-mini", plimsoll.OpenAI, "gpt-5-mini", 640, 480, "", 361},
		{"gpt-5-nano", plimsoll.OpenAI, "gpt-5-nano", 640, 480, "", 451},
		{"an unknown size is taken for a photo", plimsoll.OpenAI, "gpt-4o", 0, 0, "high", 765},
		{"Claude cuts squares of 28", plimsoll.Anthropic, "claude-sonnet-4-5", 1024, 1024, "", 1372},
		{"Claude scales large pictures down", plimsoll.Anthropic, "claude-sonnet-4-5", 8000, 8000, "", 1600},
		{"Claude takes a small one as it is", plimsoll.Anthropic, "claude-sonnet-4-5", 100, 100, "", 19},
		{"Gemini counts a small picture as one tile", plimsoll.Gemini, "gemini-2.5-pro", 384, 384, "", 258},
		{"Gemini takes one of 640 for a tile, too", plimsoll.Gemini, "gemini-2.5-pro", 640, 480, "", 258},
		{"Gemini cuts a large one into tiles", plimsoll.Gemini, "gemini-2.5-pro", 960, 540, "", 2 * 258},
		{"Gemini brings a large photo down first", plimsoll.Gemini, "gemini-2.5-pro", 8000, 6000, "", 12 * 258},
		{"Gemini brings a long strip down first", plimsoll.Gemini, "gemini-2.5-pro", 12000, 300, "", 4 * 258},
		{"Gemini takes an unknown size for a photo", plimsoll.Gemini, "gemini-2.5-pro", 0, 0, "", 2 * 258},
		{"Gemini 2.0 is shown tiles and the whole", plimsoll.Gemini, "gemini-2.0-flash", 640, 480, "", 5 * 258},
		{"Gemini 2.0 is shown tiles and the whole of a photo", plimsoll.Gemini, "gemini-2.0-flash", 3008, 2000, "", 13 * 258},
		{"Gemini 2.0 is shown a small one once", plimsoll.Gemini, "gemini-2.0-flash", 256, 256, "", 258},
		{"Gemini 3 has one price for a resolution", plimsoll.Gemini, "gemini-3-pro-preview", 4000, 3000, "", 1090},
		{"the latest Gemini has it, too", plimsoll.Gemini, "gemini-flash-latest", 330, 291, "", 1090},
		{"Mistral ends each row of squares", plimsoll.OpenAI, "mistral-medium-latest", 330, 291, "", 143},
		{"Qwen scales to squares of 32", plimsoll.OpenAI, "qwen/qwen3.5-122b-a10b", 330, 291, "", 92},
		{"Sonar counts pixels", plimsoll.OpenAI, "sonar-pro", 330, 291, "", 129},
		{"Gemini 3 at low resolution", plimsoll.Gemini, "gemini-3-pro-preview", 4000, 3000, "MEDIA_RESOLUTION_LOW", 280},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := plimsoll.Media{Kind: plimsoll.Image, Width: tt.width, Height: tt.height, Detail: tt.detail}
			if got := weighMedia(tt.dialect, tt.model, m); got != tt.want {
				t.Errorf("%d × %d weighs %d, want %d", tt.width, tt.height, got, tt.want)
			}
		})
	}
}

func TestNoPictureWeighsMoreThanItsRuleAllows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := plimsoll.Media{
			Kind: plimsoll.Image, Width: rapid.IntRange(1, 100_000).Draw(t, "width"), Height: rapid.IntRange(1, 100_000).Draw(t, "height"),
		}
		for _, tt := range []struct {
			dialect plimsoll.Dialect
			model   string
			most    int
		}{
			{plimsoll.OpenAI, "gpt-4o", 1445},
			{plimsoll.Anthropic, "claude-sonnet-4-5", 1600},
			{plimsoll.Gemini, "gemini-2.5-pro", 24 * 258},
		} {
			if got := weighMedia(tt.dialect, tt.model, m); got < 1 || got > tt.most {
				t.Fatalf("%s: %d × %d weighs %d, want at most %d", tt.model, m.Width, m.Height, got, tt.most)
			}
		}
	})
}

func TestAPictureOfAnUnknownFamilyHasABandAsLargeAsItIs(t *testing.T) {
	t.Parallel()
	picture := plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, Width: 512, Height: 512})
	c := plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "a-model-of-mine", Messages: plimsoll.ListOf(picture)}
	if load := token.NewMeter(nil).Weigh(c); load.Messages[0].Parts[0] != 255 || load.Band < 255 {
		t.Errorf("the picture weighs %d in a load with a band of %d, want 255 and as large a band", load.Messages[0].Parts[0], load.Band)
	}
}

func TestDimensionsAreReadFromTheHeader(t *testing.T) {
	t.Parallel()
	picture := image.NewGray(image.Rect(0, 0, 1024, 1024))
	encoded := func(encode func(io.Writer) error) string {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	webp := func(chunk string, at int, size ...byte) string {
		b := make([]byte, 32)
		copy(b, "RIFF\x00\x00\x00\x00WEBP")
		copy(b[12:], chunk)
		copy(b[at:], size)
		return base64.StdEncoding.EncodeToString(b)
	}
	for name, data := range map[string]string{
		"PNG":            encoded(func(w io.Writer) error { return png.Encode(w, picture) }),
		"JPEG":           encoded(func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }),
		"GIF":            encoded(func(w io.Writer) error { return gif.Encode(w, picture, nil) }),
		"WebP lossy":     webp("VP8 ", 26, 0x00, 0x04, 0x00, 0x04),
		"WebP lossless":  webp("VP8L", 21, 0xff, 0xc3, 0xff, 0x00),
		"WebP extended":  webp("VP8X", 24, 0xff, 0x03, 0x00, 0xff, 0x03, 0x00),
		"PNG in a URL":   "data:image/png;base64," + encoded(func(w io.Writer) error { return png.Encode(w, picture) }),
		"PNG cut at 100": encoded(func(w io.Writer) error { return png.Encode(w, picture) })[:100],
	} {
		m := plimsoll.Media{Kind: plimsoll.Image, Data: data, Detail: "high"}
		if got := weighMedia(plimsoll.OpenAI, "gpt-4o", m); got != 765 {
			t.Errorf("%s weighs %d, want 765 for 1024 × 1024", name, got)
		}
	}
}

func TestDocumentsAndRecordingsWeighByLength(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		dialect plimsoll.Dialect
		media   plimsoll.Media
		want    int
	}{
		{"Gemini pages", plimsoll.Gemini, plimsoll.Media{Kind: plimsoll.Document, Pages: 10}, 2580},
		{"Gemini audio", plimsoll.Gemini, plimsoll.Media{Kind: plimsoll.Audio, Seconds: 60}, 1920},
		{"Gemini video", plimsoll.Gemini, plimsoll.Media{Kind: plimsoll.Video, Seconds: 10}, 2950},
		{"OpenAI audio", plimsoll.OpenAI, plimsoll.Media{Kind: plimsoll.Audio, Seconds: 60}, 600},
		{"Claude pages", plimsoll.Anthropic, plimsoll.Media{Kind: plimsoll.Document, Pages: 2}, 5400},
		{"a document of unknown length has at least a page", plimsoll.Anthropic, plimsoll.Media{Kind: plimsoll.Document}, 2700},
	} {
		model := map[plimsoll.Dialect]string{plimsoll.Gemini: "gemini-2.5-pro", plimsoll.OpenAI: "gpt-4o"}[tt.dialect]
		got := weighMedia(tt.dialect, model, tt.media)
		if tt.dialect == plimsoll.Anthropic {
			got = weighMedia(tt.dialect, "claude-sonnet-4-5", tt.media)
		}
		if got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzImageHeader(f *testing.F) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		f.Fatal(err)
	}
	f.Add(base64.StdEncoding.EncodeToString(b.Bytes()))
	f.Add("data:image/webp;base64,UklGRhYAAABXRUJQVlA4TAoAAAAvAAAAAEX/I/of")
	f.Fuzz(func(t *testing.T, data string) {
		if n := weighMedia(plimsoll.OpenAI, "gpt-4o", plimsoll.Media{Kind: plimsoll.Image, Data: data}); n < 85 || n > 1445 {
			t.Errorf("%q weighs %d, outside what a picture can", data, n)
		}
	})
}
