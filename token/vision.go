package token

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

// vision holds the rules by which one model weighs media. The figures are the
// providers' published ones. Where a size is unknown the largest possible weight
// is taken; for Gemini's tiles, where only odd shapes reach it, that of a photo.
type vision struct {
	image func(width, height int, detail string) int
	// page of a document, second of audio, second of video.
	page, audio, video int
}

// visionFor returns the rules for a model; family is its tokenizer's.
func visionFor(d plimsoll.Dialect, name, family string) vision {
	switch d {
	case plimsoll.Anthropic:
		return vision{image: claudeImage(family), page: 3000, audio: 32, video: 300}
	case plimsoll.Gemini:
		if strings.Contains(name, "gemini-3") {
			return vision{image: gemini3Image, page: 560, audio: 32, video: 102}
		}
		return vision{image: geminiImage, page: 258, audio: 32, video: 295}
	default:
		return vision{image: openAIImage(name), page: 1500, audio: 10, video: 300}
	}
}

func (v vision) weigh(m plimsoll.Media) int {
	size := dataBytes(m.Data)
	switch m.Kind {
	case plimsoll.Audio:
		return int(seconds(m, size, 16_000) * float64(v.audio))
	case plimsoll.Video:
		return int(seconds(m, size, 125_000) * float64(v.video))
	case plimsoll.Document:
		return max(1, pages(m, size)) * v.page
	default:
		width, height := m.Width, m.Height
		if width <= 0 || height <= 0 {
			width, height = imageSize(m.Data)
		}
		return v.image(width, height, m.Detail)
	}
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
		if width <= 0 || height <= 0 {
			width, height = 768, 2048
		}
		width, height = fitLongSide(width, height, 2048)
		if short := min(width, height); short > 768 {
			width, height = width*768/short, height*768/short
		}
		return base + each*ceilDiv(width, 512)*ceilDiv(height, 512)
	}
}

// patches is OpenAI's newer rule: squares of 32, at most 1536 of them, times a
// factor in hundredths.
func patches(percent int) func(int, int, string) int {
	const limit = 1536
	return func(width, height int, _ string) int {
		n := limit
		if width > 0 && height > 0 {
			n = min(limit, ceilDiv(width, 32)*ceilDiv(height, 32))
		}
		return ceilDiv(n*percent, 100)
	}
}

// openAIImages is ordered: the first prefix that fits decides.
var openAIImages = []struct {
	prefix string
	rule   func(int, int, string) int
}{
	{"gpt-4o-mini", tiles(2833, 5667)},
	{"gpt-4.1-mini", patches(162)},
	{"gpt-4.1-nano", patches(246)},
	{"gpt-5-mini", patches(162)},
	{"gpt-5-nano", patches(246)},
	{"gpt-5.", patches(120)},
	{"gpt-5", tiles(70, 140)},
	{"o4-mini", patches(172)},
	{"o1", tiles(75, 150)},
	{"o3", tiles(75, 150)},
}

func openAIImage(name string) func(int, int, string) int {
	for _, r := range openAIImages {
		if strings.HasPrefix(name, r.prefix) {
			return r.rule
		}
	}
	return tiles(85, 170)
}

// claudeImage is width × height / 750 after scaling to the model's largest size,
// which grew with the tokenizer of Claude 4.7.
func claudeImage(family string) func(int, int, string) int {
	side, most := 1568, 1600
	if family == claude47 {
		side, most = 2576, 4784
	}
	return func(width, height int, _ string) int {
		if width <= 0 || height <= 0 {
			return most
		}
		width, height = fitLongSide(width, height, side)
		return min(most, ceilDiv(width*height, 750))
	}
}

// geminiImage: small pictures are one tile, others are brought down to a long
// side of 3072 and cut into tiles of 256 to 768 pixels. A photo of full size has
// twelve of them, a strip twenty-four.
func geminiImage(width, height int, detail string) int {
	const tile, photo = 258, 12
	if detail == "low" || detail == "MEDIA_RESOLUTION_LOW" {
		return 64
	}
	if width <= 0 || height <= 0 {
		return photo * tile
	}
	if width <= 384 && height <= 384 {
		return tile
	}
	width, height = fitLongSide(width, height, 3072)
	unit := min(768, max(256, min(width, height)*2/3))
	return tile * ceilDiv(width, unit) * ceilDiv(height, unit)
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
		return 1120
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
