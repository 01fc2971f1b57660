package lang

import "testing"

func TestALocaleChoosesTheLanguage(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"": "en", "C": "en", "POSIX": "en", "C.UTF-8": "en", "en_US.UTF-8": "en", "de_DE.UTF-8": "en", "auto": "en", "日本語": "en",
		"ja": "ja", "ja_JP.UTF-8": "ja", "ja_JP.utf8@cjknarrow": "ja", "ja-JP": "ja", "JA": "ja",
	} {
		if got := Locale(locale).Tag(); got != want {
			t.Errorf("locale %q: got %s, want %s", locale, got, want)
		}
	}
	for header, want := range map[string]string{
		"": "en", "*": "en", "ja": "ja", "ja,en-US;q=0.9,en;q=0.8": "ja", "en-US,en;q=0.9,ja;q=0.8": "en", "de,ja;q=0.5": "ja",
		"fr": "en", "ja;q=0": "en", "zh-TW,zh": "en", ";;;": "en",
	} {
		if got := Accept(header).Tag(); got != want {
			t.Errorf("Accept-Language %q: got %s, want %s", header, got, want)
		}
	}
}

func TestSentencesAreTranslatedWithTheirFigures(t *testing.T) {
	t.Parallel()
	ja := Locale("ja")
	for _, tt := range []struct{ name, en, want string }{
		{"a whole sentence", "nothing was changed", "変更はありません"},
		{"a figure and a plural inside of a sentence", "12 turns dropped, 3 left; /undo takes it back", "12 ターンを削除しました。残りは 3 ターンです。/undo で取り消せます"},
		{"one of them", "1 turn dropped, 3 left; /undo takes it back", "1 ターンを削除しました。残りは 3 ターンです。/undo で取り消せます"},
		{"a sentence that was continued", "compressed: ≈708 → ≈449 tokens, by extract; /undo takes it back; the old turns can be read with /expand abc", "圧縮しました: ≈708 → ≈449 トークン（extract）。/undo で取り消せます。元のターンは /expand abc で読めます"},
		{"a list of sentences", "2 turns will go, 1 tool output will be shortened: 9,000 → 800 tokens", "2 ターンを削除します、1 件のツール出力を短くします: 9,000 → 800 トークン"},
		{"the closest of several", "request 3 of 52: 7,014 tokens, sent as 900; 57.1 % cached; pass; the model: grep x", "リクエスト 3/52: 7,014 トークン、送信 900。キャッシュ 57.1 %。pass。モデル: grep x"},
		{"a sentence that ends in a figure and goes on", "Load of 10 requests: the last one came with 12,345 tokens and was sent with 8,000; the load line is at 11,000", "10 件のリクエストの負荷: 最新は 12,345 トークンで届き、8,000 トークンで送信しました。喫水線は 11,000"},
		{"words of the user stay", "turn 3 stays whatever is cut: tools", "ターン 3 は削減の対象になりません: tools"},
		{"quoted words of the user stay", `no participant is called "nothing was changed"`, `"nothing was changed" という参加者はいません`},
		{"blanks around it stay", "\n  nothing was changed\n", "\n  変更はありません\n"},
		{"what is not known stays", "quite another sentence", "quite another sentence"},
		{"nothing", "", ""},
	} {
		if got := ja.Say(tt.en); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if got := (Printer{}).Say(tt.en); got != tt.en {
			t.Errorf("%s: English became %q", tt.name, got)
		}
	}
}

func TestErrorsAreTranslatedSentenceBySentence(t *testing.T) {
	t.Parallel()
	ja := Locale("ja")
	for en, want := range map[string]string{
		"over the limit: 129 of 100 tokens, 129.0 % of the limit set in the environment, 29 too many": "上限超過: 129 / 100 トークン、環境変数の上限の 129.0 %、29 超過",
		"fit a.json: System prompt and tools (620 tokens) exceed max context length (282 tokens)":     "fit a.json: システムプロンプトとツール（620 トークン）が最大コンテキスト長（282 トークン）を超えています",
		"  in good health: nothing found that the API is known to refuse":                             "  問題なし: API が拒否すると分かっている点はありません",
		"fit chat.json: no such file":                         "fit chat.json: ファイルがありません",
		"read the message: the closing quotes are missing":    "メッセージの読み取り: 閉じの引用符がありません",
		"ask gpt: status 500: boom":                           "gpt への問い合わせ: ステータス 500: boom",
		"dial tcp 127.0.0.1:1: connect: connection refused":   "dial tcp 127.0.0.1:1: connect: connection refused",
		"not sent to gpt: the context is full: 5 of 4 tokens": "gpt には送信していません: コンテキストの上限を超えています: 5 / 4 トークン",
	} {
		if got := ja.Error(en); got != want {
			t.Errorf("%q: got %q, want %q", en, got, want)
		}
	}
}

func TestColumnsOfATableStayInTheirPlaces(t *testing.T) {
	t.Parallel()
	en := "/help [COMMAND]         Show the commands, or one.\n/quit                   End the chat. It can be continued later.\n      ≈12  system prompt"
	want := "/help [COMMAND]         コマンドの一覧、または 1 つの説明を表示します。\n/quit                   チャットを終了します。後で再開できます。\n      ≈12  システムプロンプト"
	if got := Locale("ja").Lines(en); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A cell that became wider takes the room from the gap behind it.
	if got, want := Locale("ja").Lines("kind          bytes"), "種類          バイト"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTemplatesAreTranslatedAndTheirActionsStay(t *testing.T) {
	t.Parallel()
	in := `<p title="conversation {{brief .Key}}">{{if .Limit}}{{num .Limit}} of a window of {{num .Window}}{{else}}not known{{end}}</p><a href="/x">Health</a> <code>{{.Raw}}</code>`
	want := `<p title="会話 {{brief .Key}}">{{if .Limit}}{{num .Limit}}（ウィンドウ {{num .Window}}）{{else}}不明{{end}}</p><a href="/x">状態</a> <code>{{.Raw}}</code>`
	if got := Locale("ja").Template(in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Printer{}).Template(in); got != in {
		t.Errorf("English became %s", got)
	}
}

// Whatever is said, a printer answers, and the English one changes nothing.
func FuzzSay(f *testing.F) {
	for _, e := range entries(japaneseText) {
		f.Add(e.en)
	}
	ja := Locale("ja")
	f.Fuzz(func(t *testing.T, text string) {
		for _, said := range []string{ja.Say(text), ja.Error(text), ja.List(text), ja.Lines(text), ja.Template(text)} {
			if said == "" && text != "" {
				t.Errorf("%q vanished", text)
			}
		}
		for _, said := range []string{Printer{}.Say(text), Printer{}.Error(text), Printer{}.Lines(text), Printer{}.List(text), Printer{}.Template(text)} {
			if said != text {
				t.Errorf("English %q became %q", text, said)
			}
		}
	})
}

func BenchmarkSay(b *testing.B) {
	ja := Locale("ja")
	for b.Loop() {
		ja.Say("oldest output left, the load is over its goal of 15591 tokens")
		ja.Say("a sentence that no catalogue has, of 15 words and more")
	}
}
