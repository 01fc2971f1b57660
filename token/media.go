package token

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// media holds the rules by which one model weighs media. The figures are the
// providers' published ones, corrected by bills. Where the size of a picture is unknown,
// as behind an address, it is taken for a photo of 1024 × 768, with a band as large.
type media struct {
	image func(width, height int, detail string) int
	// off is how far the weight of a picture of known size may be off. Guessed says that the rule
	// is another family's.
	off     int
	guessed bool
	// page of a document, second of audio, second of video.
	page, audio, video int
}

// weigh returns what a medium weighs, and how far that may be off.
func (r media) weigh(m plimsoll.Media) (n, band int) {
	size := len(payload(m.Data)) / 4 * 3
	switch m.Kind {
	case plimsoll.Audio:
		n = int(seconds(m, size, 16_000) * float64(r.audio))
	case plimsoll.Video:
		n = int(seconds(m, size, 125_000) * float64(r.video))
	case plimsoll.Document:
		n = max(1, pages(m, size)) * r.page
	default:
		width, height := m.Width, m.Height
		if width <= 0 || height <= 0 {
			width, height = imageSize(m.Data)
		}
		known := width > 0 && height > 0
		if !known {
			width, height = 1024, 768
		}
		n = r.image(width, height, m.Detail)
		// At some resolutions all pictures weigh the same.
		if !r.guessed && (known || n == r.image(1, 1, m.Detail)) {
			return n, r.off
		}
	}
	return n, n
}

// seconds of a recording, from its size at a usual rate when not known.
func seconds(m plimsoll.Media, size, bytesPerSecond int) float64 {
	if m.Seconds > 0 {
		return m.Seconds
	}
	return float64(size)/float64(bytesPerSecond) + 1
}

// pages of a document, from its size when not known.
func pages(m plimsoll.Media, size int) int {
	const bytesPerPage = 60_000
	if m.Pages > 0 {
		return m.Pages
	}
	return size/bytesPerPage + 1
}

// tiles is OpenAI's older rule: fit into 2048 × 2048, bring the short side down
// to 768, count squares of 512.
func tiles(base, each int) func(int, int, string) int {
	return func(width, height int, detail string) int {
		if detail == "low" {
			return base
		}
		width, height = fitLongSide(width, height, 2048)
		if short := min(width, height); short > 768 {
			width, height = width*768/short, height*768/short
		}
		return base + each*ceilDiv(width, 512)*ceilDiv(height, 512)
	}
}

// patches is OpenAI's newer rule: squares of 32, at most 1536 of them, times a
// factor in hundredths, and one more.
func patches(percent int) func(int, int, string) int {
	const limit = 1536
	return func(width, height int, _ string) int {
		return ceilDiv(min(limit, ceilDiv(width, 32)*ceilDiv(height, 32))*percent, 100) + 1
	}
}

// pictures is ordered: the first family that fits decides. Off is how far the rule may be
// off: tiles equal every bill, patches are a token off in some.
var pictures = []struct {
	families string
	rule     func(int, int, string) int
	off      int
}{
	{"gpt-4o-mini", tiles(2833, 5667), 0},
	{"gpt-4.1-mini", patches(162), 2},
	{"gpt-4.1-nano", patches(246), 2},
	{"gpt-5-mini", patches(120), 2},
	{"gpt-5-nano", patches(150), 2},
	{"gpt-5.", patches(120), 2},
	{"gpt-5", tiles(70, 140), 0},
	{"o4-mini", patches(172), 2},
	{"o1 o3", tiles(75, 150), 0},
	{"gpt chatgpt", tiles(85, 170), 0},
	{"mistral ministral magistral", mistralImage, 10},
	{"qwen3", qwenImage, 10},
	{"sonar", sonarImage, 10},
}

func pictureMedia(model string) media {
	for _, r := range pictures {
		if ofFamily(model, r.families) {
			return media{image: r.rule, off: r.off, page: 800, audio: 10, video: 300}
		}
	}
	return media{image: tiles(85, 170), guessed: true, page: 800, audio: 10, video: 300}
}

// mistralImage: squares of 28, with a token behind each row of them.
func mistralImage(width, height int, _ string) int {
	width, height = fitLongSide(width, height, 1540)
	return (ceilDiv(width, 28) + 1) * ceilDiv(height, 28)
}

// qwenImage: squares of 32, to which the picture is scaled, between two marks.
func qwenImage(width, height int, _ string) int {
	return max(1, (width+16)/32)*max(1, (height+16)/32) + 2
}

func sonarImage(width, height int, _ string) int { return ceilDiv(width*height, 750) }

// claudeMedia: a picture is cut into squares of 28 after scaling to the model's largest
// size, which grew with the tokenizer of Claude 4.7.
func claudeMedia(tokenizer string) media {
	side, most := 1568, 1600
	if tokenizer == claude47 {
		side, most = 2576, 4784
	}
	picture := func(width, height int, _ string) int {
		width, height = fitLongSide(width, height, side)
		return min(most, ceilDiv(width, 28)*ceilDiv(height, 28)+3)
	}
	return media{image: picture, off: 2, page: 2700, audio: 32, video: 300}
}

// mediaOf returns the rules of a family, or of the dialect for a model that is not known.
func mediaOf(d plimsoll.Dialect, model, tokenizer string) media {
	switch {
	case ofFamily(model, "claude") || d == plimsoll.Anthropic:
		return claudeMedia(tokenizer)
	case ofFamily(model, "gemini gemma") || d == plimsoll.Gemini:
		return geminiMedia(model)
	}
	return pictureMedia(model)
}

func geminiMedia(model string) media {
	switch {
	case ofFamily(model, "gemini-1 gemini-2.0"):
		return media{image: gemini2Image, off: 40, page: 258, audio: 32, video: 295}
	case ofFamily(model, "gemini-2 gemma"):
		return media{image: gemini25Image, off: 40, page: 258, audio: 32, video: 295}
	}
	return media{image: gemini3Image, off: 40, page: 530, audio: 32, video: 102}
}

const (
	geminiTile = 258
	geminiLow  = 64
)

func isLow(detail string) bool { return detail == "low" || detail == "MEDIA_RESOLUTION_LOW" }

// gemini2Image: small pictures are one tile. Others are brought down to a long side of 3072 and
// shown as a whole, and again in tiles of 256 to 768 pixels.
func gemini2Image(width, height int, detail string) int {
	if isLow(detail) {
		return geminiLow
	}
	if width <= 384 && height <= 384 {
		return geminiTile
	}
	width, height = fitLongSide(width, height, 3072)
	unit := min(768, max(256, min(width, height)*2/3))
	return geminiTile * (1 + ceilDiv(width, unit)*ceilDiv(height, unit))
}

// gemini25Image: tiles of 768 pixels.
func gemini25Image(width, height int, detail string) int {
	if isLow(detail) {
		return geminiLow
	}
	width, height = fitLongSide(width, height, 3072)
	return geminiTile * ceilDiv(width, 768) * ceilDiv(height, 768)
}

func gemini3Image(_, _ int, detail string) int {
	switch strings.ToLower(strings.TrimPrefix(detail, "MEDIA_RESOLUTION_")) {
	case "low":
		return 280
	case "medium":
		return 560
	case "ultra_high":
		return 2240
	default:
		return 1090
	}
}

func fitLongSide(width, height, side int) (int, int) {
	long := max(width, height)
	if long <= side {
		return width, height
	}
	return max(1, width*side/long), max(1, height*side/long)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// headerBytes is how far into a picture its size is looked for. Cameras put
// large previews before it.
const headerBytes = 512 << 10

// imageSize reads the dimensions from the header of a base64 picture, with or
// without a data: prefix. It returns zeros for what it does not know.
func imageSize(data string) (width, height int) {
	data = payload(data)
	if data == "" {
		return 0, 0
	}
	head := io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)), headerBytes)
	var seen bytes.Buffer
	config, _, err := image.DecodeConfig(io.TeeReader(head, &seen))
	if err == nil {
		return config.Width, config.Height
	}
	return webpSize(seen.Bytes())
}

// payload strips a data: URL down to its base64.
func payload(data string) string {
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	return data
}

// webpSize reads the three kinds of WebP headers (RFC 9649).
func webpSize(b []byte) (width, height int) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0
	}
	u16 := binary.LittleEndian.Uint16
	switch string(b[12:16]) {
	case "VP8 ":
		return int(u16(b[26:]) & 0x3fff), int(u16(b[28:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		u24 := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return u24(b[24:]) + 1, u24(b[27:]) + 1
	}
	return 0, 0
}
