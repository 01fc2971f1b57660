package texts

import (
	"fmt"
	"strings"
)

// chat writes generated conversations, for machines without the corpora.
type chat struct {
	random
	logs  *logs
	words []string
	calls int
}

func newChat(seed random, words []string) *chat {
	return &chat{random: seed, logs: newLogs(words), words: words}
}

// request returns one recorded agent exchange as JSON.
func (c *chat) request() string {
	c.calls++
	id := "call_" + c.letters(base64[:62], 24)
	path := fmt.Sprintf("src/%s/%s_%s.go", c.logs.word(), c.logs.word(), c.logs.word())
	return fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"%s\",\"start\":%d,\"limit\":%d}"}}]}`+"\n",
		c.sentence(), id, path, c.below(900), c.between(10, 400)) +
		fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q,"usage":{"prompt_tokens":%d,"completion_tokens":%d,"cached":true}}`+"\n",
			id, c.lines(c.between(3, 30)), 1000*c.calls+c.below(1000), c.below(900))
}

func (c *chat) lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%6d\t%s", i+1, c.logs.line())
	}
	return b.String()
}

func (c *chat) sentence() string {
	s := c.logs.phrase(c.between(5, 22))
	if c.chance(30) {
		s += pick(&c.random, []string{", isn't it", ", and we'll see", "; that's `" + c.logs.word() + "_" + c.logs.word() + "`", " -- don't"})
	}
	return strings.ToUpper(s[:1]) + s[1:] + pick(&c.random, []string{".", ".", ".", "!", "?"})
}

// foreign are sentences of our own in scripts other than Latin.
var foreign = []string{
	"Сколько токенов осталось до конца окна? Похоже, что немного.",
	"这段对话已经太长了，请先把旧的工具输出收起来。",
	"이 파일을 다시 읽을 필요는 없습니다. 이미 위에 있어요.",
	"ما هو حجم هذه الرسالة بالضبط؟ أخبرني قبل الإرسال.",
	"कृपया इस त्रुटि का कारण संक्षेप में बताइए।",
	"Πόσο χωράει ακόμα; Κοίτα πρώτα το αρχείο καταγραφής.",
	"אפשר לקצר את ההודעה הזאת בלי לאבד מידע?",
	"ช่วยสรุปผลการทดสอบล่าสุดให้หน่อย",
	"このログの最後の十行だけを見せてください。",
	"Größenänderung übernommen – Prüfsumme stimmt, très bien, ¿seguimos?",
	"👍🏽 done ✅ 🚀🚀 — 12 °C, 3 × 4 ≈ 12, naïve café",
}

// turn returns one message of a mixed chat in Markdown.
func (c *chat) turn() string {
	switch c.below(6) {
	case 0:
		return pick(&c.random, foreign) + "\n\n"
	case 1:
		return fmt.Sprintf("```go\nfunc %s(%s int) error {\n\treturn fmt.Errorf(\"%s: %%d\", %s)\n}\n```\n\n", c.logs.word(), c.logs.word(), c.logs.phrase(2), c.logs.word())
	case 2:
		return fmt.Sprintf("## %s\n\n- **%s**: %s\n- `%s`: %s\n\n", c.logs.phrase(3), c.logs.word(), c.sentence(), c.logs.word(), c.sentence())
	case 3:
		return fmt.Sprintf("| %s | %s |\n|---|--:|\n| %s | %d |\n\n", c.logs.word(), c.logs.word(), c.logs.word(), c.below(1000))
	}
	return c.sentence() + " " + c.sentence() + " " + c.sentence() + "\n\n"
}

// kana writes Japanese-looking text: particles and verb endings of the language
// between words of random kanji and katakana.
type kana struct{ random }

var (
	endings   = []string{"は", "が", "を", "に", "で", "と", "の", "から", "まで", "です。", "ます。", "でした。", "ました、", "ません。", "という", "について", "ください。\n", "「", "」", "、"}
	kanji     = []rune("日本人大年中会国東京時間分後前行来見出生学校先電話番号文書会議予定確認送信受付担当者部屋料金朝食夕食駅近場所海山川温泉観光質問回答情報検索結果表示設定変更削除追加保存開始終了")
	katakanas = []rune("アイウエオカキクケコサシスセソタチツテトナニノハヒフヘホマミムメモヤユヨラリルレロワンガギグゲゴザジズデドバビブベボパピプペポー")
)

func (k *kana) phrase() string {
	letters := kanji
	if k.chance(25) {
		letters = katakanas
	}
	var b strings.Builder
	for range k.between(1, 4) {
		b.WriteRune(pick(&k.random, letters))
	}
	return b.String() + pick(&k.random, endings)
}
