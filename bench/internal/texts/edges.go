package texts

import "strings"

// Edges returns short strings on which tokenizers are known to differ, and
// random text from all over Unicode. All are valid UTF-8, because not every
// peer takes anything else.
func Edges() []string {
	edges := append([]string(nil), handPicked...)
	for _, unit := range []string{" ", "\n", "a", "A", "=", "0", "\t", "é", "日", "の", "한", "😀", "\u0301", "'", "/", "\r\n", "\n ", "aB", "'s"} {
		for _, n := range []int{5, 17, 64, 65, 257} {
			edges = append(edges, strings.Repeat(unit, n), strings.Repeat(unit, n)+"x")
		}
	}
	r := random(10)
	for range 400 {
		edges = append(edges, shuffled(&r), anyUnicode(&r))
	}
	return edges
}

var handPicked = []string{
	"", " ", "  ", "\n", "\r\n", "\n\n", "\t", " \n", "\n ", "\t\n\t", "\x00", "a\x00b",
	"a\n\t\nb", "x\n \ny", "if x:\n    a\n    \n    b\n\t\n\tc\n", "a\r\n\r\nb", "a  \n\n  b", "   a", "a   ", "a   b",
	"\u00a0a", "\u3000\u3000日", "a\u2028b", "\u0085x", "\u200bx", "\ufeff", "\ufeffa", " \ufeff a", "\ufeff\n",
	"'s", "'S", "'ſ", "it'ſ", "l'ſ", "d'ſa", "don't", "DON'T", "we'll've", "he''s", " 's", "x'\n", "’s", "ABc'veD", "日本's", "1's", "'dd", "'\u212a",
	"1", "12", "1234", " 1234567", "1a2b3c", "1,000.00", "٣٤٥٦", "１２３４", "²³", "½Ⅷ", "v1.2.3-rc4+build.567",
	"ABCdef", "aB", "aBC", "HTTPServerError", "iPhone", "ǅabc", "ʰA", "日A本a", "e\u0301E\u0301", "\u0301a", " \u0301A", "!\u0301a", "ßẞ",
	"/", "//", "///\n", "!/\n/", ".\n/", "...\n\n", "!\r\n", "!?\n \n", "https://a.b/c", "__init__", "$a", " -a", "\\n", "</b>\n",
	"<|endoftext|>", "a<|endoftext|>b", "<|endofprompt|>", "<|fim_prefix|>x<|fim_suffix|>y", "<|im_start|>user\nhi<|im_end|>", "<|endoftext",
	"\u0c5c", "\u1c89", "\ua7cb", "\U0001fae8", "\U00031350", "\ue000", "\ufffd", "\uffff", "\U0010ffff", "\U000e0041", "\u00ad",
	"👍🏽", "🇺🇸", "1️⃣", "👩‍👩‍👧‍👦", "नमस्ते", "สวัสดี", "안녕하세요", "\u1100\u1161\u11a8", "ﷺ", "ﬀ", "ｱﾊﾟｰﾄ",
	" SolidGoldMagikarp", "给主人留下些什么吧", "antidisestablishmentarianism",
}

var atoms = []string{
	"'s", "'t", "'re", "'LL", "'ſ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\ufeff", "1", "22", "333", "a", "the", "ing", " of",
	"X", "The", "IBM", "/", "//", ".", ",", "!", "(", "\"", "é", "ß", "日本", "の", "。", "😀", "\u0301", "\u200d", "<|", "|>", "\x00", "_", "-", "=", "{", "\\",
	"ǅ", "ʰ", "٣", "Ⅷ", "ж", "Ж", "한",
}

func shuffled(r *random) string {
	var b strings.Builder
	for range r.between(1, 30) {
		b.WriteString(pick(r, atoms))
	}
	return b.String()
}

var ranges = [][2]int{
	{0x20, 0x7e},
	{0, 0x2f},
	{0xa0, 0x24f},
	{0x2b0, 0x36f},
	{0x370, 0x52f},
	{0x590, 0x6ff},
	{0x900, 0xdff},
	{0xe00, 0x10ff},
	{0x1e00, 0x20cf},
	{0x2100, 0x27bf},
	{0x3000, 0x30ff},
	{0x4e00, 0x9fff},
	{0xac00, 0xd7a3},
	{0xfe00, 0xffff},
	{0x1f300, 0x1faff},
	{0x20000, 0x323af},
}

func anyUnicode(r *random) string {
	var b strings.Builder
	for range r.between(1, 24) {
		bounds := pick(r, ranges)
		b.WriteRune(rune(r.between(bounds[0], bounds[1])))
	}
	return b.String()
}
