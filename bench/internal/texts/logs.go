package texts

import (
	"fmt"
	"strings"
)

// logs writes the kind of lines that agents read from servers and builds.
type logs struct {
	random
	words []string
	milli int
}

func newLogs(words []string) *logs { return &logs{random: 1, words: words} }

func (l *logs) line() string {
	l.milli += l.below(900)
	at := fmt.Sprintf("2026-03-%02dT%02d:%02d:%02d.%03dZ", 1+l.milli/86400000%28, l.milli/3600000%24, l.milli/60000%60, l.milli/1000%60, l.milli%1000)
	level := pick(&l.random, []string{"INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"})
	head := fmt.Sprintf("%s %-5s [%s-%d] ", at, level, pick(&l.random, l.words), l.below(32))
	switch l.below(5) {
	case 0:
		return head + fmt.Sprintf("%s /api/v%d/%s/%d?%s=%s %d %dms %d.%d.%d.%d\n",
			pick(&l.random, []string{"GET", "POST", "PUT", "DELETE"}), l.between(1, 3), l.word(), l.below(100000), l.word(), l.word(),
			pick(&l.random, []int{200, 200, 201, 204, 304, 404, 500}), l.below(3000), l.below(256), l.below(256), l.below(256), l.below(256))
	case 1:
		return head + fmt.Sprintf("%s.%s: %s failed: %s (errno=%d) after %dms; retry %d/5 request_id=%s-%s-%s\n",
			l.word(), l.word(), l.word(), l.phrase(4), l.below(133), l.below(9000), l.between(1, 5), l.letters(hexa, 8), l.letters(hexa, 4), l.letters(hexa, 12))
	case 2:
		return head + fmt.Sprintf("level=%s msg=%q %s=%d %s=%s duration=%d.%03ds\n",
			strings.ToLower(level), l.phrase(6), l.word(), l.below(1<<20), l.word(), l.letters(hexa, 16), l.below(60), l.below(1000))
	case 3:
		return head + l.phrase(9) + fmt.Sprintf(": 0x%s\n\tat %s.%s (%s.js:%d:%d)\n\tat %s.%s (%s.js:%d:%d)\n",
			l.letters(hexa, 8), l.word(), l.word(), l.word(), l.below(900), l.below(80), l.word(), l.word(), l.word(), l.below(900), l.below(80))
	}
	return head + l.phrase(l.between(4, 14)) + fmt.Sprintf(" (%d of %d, %d.%d%%)\n", l.below(5000), l.between(5000, 9999), l.below(100), l.below(10))
}

func (l *logs) word() string { return strings.ToLower(pick(&l.random, l.words)) }

func (l *logs) phrase(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = pick(&l.random, l.words)
	}
	return strings.Join(words, " ")
}

// blob writes base64 lines, as in mails and keys, and hexadecimal digests.
type blob struct{ random }

func newBlob() *blob { return &blob{2} }

func (b *blob) block() string {
	var s strings.Builder
	for range b.between(4, 30) {
		s.WriteString(b.letters(base64, 76))
		s.WriteByte('\n')
	}
	s.WriteString("==\n")
	for range b.between(2, 20) {
		s.WriteString(b.letters(hexa, 64))
		s.WriteString("  ")
		s.WriteString(b.letters(lower, 6))
		s.WriteString(".bin\n")
	}
	return s.String()
}
