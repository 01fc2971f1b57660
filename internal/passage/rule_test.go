package passage

import "testing"

func TestRulesAreFoundInBothLanguages(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]bool{
		"You must not edit generated files.": true,
		"Don't push to main.":                true,
		"Only use the standard library.":     true,
		"本番環境には絶対に触らないでください。":                true,
		"標準ライブラリのみを使う。":                      true,
		"既存のAPIを変えてはいけない。":                   true,
		"Thank you, that looks good.":        false,
		"The mustard is commonly used.":      false,
		"今日は天気がいい。":                          false,
		"Can you only use tabs?":             false,
		"Never:":                             false,
	} {
		if got := IsRule(sentence); got != want {
			t.Errorf("%q: %v, want %v", sentence, got, want)
		}
	}
}
