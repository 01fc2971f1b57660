package survival

import "regexp"

var (
	piecePattern = regexp.MustCompile(`[A-Za-z]+|[0-9]+|[\x{3040}-\x{30ff}]+|[\x{3400}-\x{9fff}]+|[\x{ac00}-\x{d7af}]+|[ \t]+|[\r\n]+|[^\sA-Za-z0-9]`)
	humpPattern  = regexp.MustCompile(`[A-Z]*[a-z]+|[A-Z]+`)
)

// Estimate is the estimate of tokens that the research counts with, without a
// vocabulary. It decides which compactions are large enough to look at.
func Estimate(text string) int {
	n := 0.0
	for _, piece := range piecePattern.FindAllString(text, -1) {
		n += estimatePiece(piece)
	}
	return int(n + 0.5)
}

func estimatePiece(piece string) float64 {
	switch c := piece[0]; {
	case c >= 0x80:
		runes := []rune(piece)
		if runes[0] >= 0x3040 && runes[0] <= 0x30ff {
			return 0.75 * float64(len(runes))
		}
		return 0.9 * float64(len(runes))
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return estimateWord(piece)
	case c >= '0' && c <= '9':
		return float64((len(piece) + 2) / 3)
	case c == ' ', c == '\t':
		return float64(min(len(piece)-1, 1))
	case c == '\r', c == '\n':
		return 1
	default:
		return 0.75
	}
}

func estimateWord(word string) float64 {
	if len(word) <= 6 {
		return 1
	}
	n := 0.0
	for _, hump := range humpPattern.FindAllString(word, -1) {
		capitals := 0
		for capitals < len(hump) && hump[capitals] <= 'Z' {
			capitals++
		}
		if capitals > 1 && capitals < len(hump) { // HTTPServer is HTTP and Server
			n += estimateHump(capitals - 1)
			hump = hump[capitals-1:]
		}
		n += estimateHump(len(hump))
	}
	return n
}

func estimateHump(length int) float64 {
	if length <= 9 {
		return 1
	}
	return 1 + float64(length-9)/5
}
