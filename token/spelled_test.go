package token_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// TestACountForAnUnknownModelIsSafeForASmallVocabulary has what two vocabularies make of texts:
// SmolLM2's, of 49,152 tokens, and Qwen 3's, of 151,936.
func TestACountForAnUnknownModelIsSafeForASmallVocabulary(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	for name, tt := range map[string]struct {
		small, large int
		text         string
	}{
		"English":  {28, 28, "The weather was fine, so we walked in the park and met an old friend, with whom we had a coffee and talked about work."},
		"Japanese": {92, 30, "今日は天気がよかったので、公園を散歩しました。そこで昔の友人に会い、コーヒーを飲みながら仕事の話をしました。"},
		"Chinese":  {79, 26, "今天天气很好，我们去公园散步，在那里遇到了一个老朋友，一起喝咖啡，谈到了最近的工作和生活。"},
		"Korean":   {137, 46, "오늘은 날씨가 좋아서 공원에 산책을 하러 갔습니다. 그곳에서 옛 친구를 만나 커피를 마시며 이야기를 나누었습니다."},
		"Russian":  {74, 35, "Сегодня была хорошая погода, и мы пошли гулять в парк, где встретили старого друга и выпили кофе."},
		"Arabic":   {90, 41, "كان الطقس جميلا اليوم فذهبنا للتنزه في الحديقة والتقينا صديقا قديما وشربنا القهوة معا وتحدثنا عن العمل"},
		"Hindi":    {106, 85, "आज मौसम बहुत अच्छा था इसलिए हम पार्क में टहलने गए और वहाँ एक पुराने दोस्त से मिले और कॉफी पी"},
		"Thai":     {148, 39, "วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนสาธารณะและพบเพื่อนเก่าแล้วดื่มกาแฟด้วยกัน"},
		"Greek":    {72, 74, "Σήμερα ο καιρός ήταν καλός και πήγαμε βόλτα στο πάρκο όπου συναντήσαμε έναν παλιό φίλο."},
		"code":     {27, 24, `func main() { for i := range 10 { fmt.Println("line", i, i*i) } }`},
	} {
		load := meter.Weigh(plimsoll.Conversation{Model: "unknown-model", Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, tt.text))})
		if n := load.Messages[0].Parts[0]; n < tt.small*9/10 || n > tt.small*5/4 {
			t.Errorf("%s has %d tokens, want about %d", name, n, tt.small)
		}
		if load.Total+load.Band < tt.small || load.Total-load.Band > tt.large*6/5+10 {
			t.Errorf("%s has %d ± %d tokens, want a band that has %d and %d", name, load.Total, load.Band, tt.small, tt.large)
		}
		c, err := token.For("qwen3-8b", nil)
		if err != nil || c.Count(tt.text) > tt.large*3/2 {
			t.Errorf("%s has %d tokens for a model that is known, of %d: %v", name, c.Count(tt.text), tt.large, err)
		}
	}
}
