package summary

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// harbour is a conversation of some length in English, minato one in Japanese.
var (
	harbour = []plimsoll.Message{
		plimsoll.Say(plimsoll.User, "My name is Ingrid and I keep the books of the harbour of Saltmere. The ferry Aurora leaves at 06:40 from berth 7, and her captain is Tomas Lindqvist."),
		plimsoll.Say(plimsoll.Assistant, "Thank you, Ingrid. I shall remember that the ferry Aurora leaves at 06:40 from berth 7 under captain Lindqvist. What do you need to know about the harbour books?"),
		plimsoll.Say(plimsoll.User, "The fees of last month do not add up. We charged 412 crowns for each berth, but the bank shows only eleven payments, and there were fourteen ships. Please find out which payments are missing."),
		plimsoll.Say(plimsoll.Assistant, "Three payments are missing: those of the Heron, the Kestrel and the Marigold. Each owes 412 crowns, so the bank lacks 1,236 crowns. I would write to their owners this week."),
	}
	minato = []plimsoll.Message{
		plimsoll.Say(plimsoll.User, "私は港の会計をしている佐藤です。フェリー「オーロラ」は七番の岸壁から六時四十分に出ます。船長は田中さんです。先月の料金が合わないので、どの支払いが足りないのか調べてください。"),
		plimsoll.Say(plimsoll.Assistant, "佐藤さん、承知しました。足りない支払いは三隻分です。「さぎ」「とび」「きんせんか」の船主がまだ払っていません。一隻あたり四百十二クローネなので、合計で千二百三十六クローネになります。今週中に手紙を書くことをおすすめします。"),
	}
)

func TestNonsenseIsNoSummary(t *testing.T) {
	t.Parallel()
	const english = "Ingrid keeps the books of the harbour of Saltmere. The ferry Aurora sails at 06:40 from berth 7 with captain Tomas Lindqvist. Payments of the Heron, the Kestrel and the Marigold are missing, 412 crowns each; their owners should get a letter."
	for name, tt := range map[string]struct {
		old  []plimsoll.Message
		text string
		want error
	}{
		"a summary":                       {harbour, english, nil},
		"a short one":                     {harbour, "Three berth fees are missing.", nil},
		"one in Japanese":                 {minato, "佐藤さんは港の会計係。オーロラは六時四十分に七番から出る。三隻分の料金が足りない。", nil},
		"dots":                            {harbour, "... --- ...", errEmpty},
		"a phrase again and again":        {harbour, strings.Repeat("The harbour fees are missing and the ferry leaves. ", 9), errLoop},
		"the same phrase under a number":  {harbour, "1. The ferry leaves the harbour at berth 7.\n2. The ferry leaves the harbour at berth 7.\n3. The ferry leaves the harbour at berth 7.\n4. The ferry leaves the harbour at berth 7.\n5. The ferry leaves the harbour at berth 7.\n", errLoop},
		"the instructions":                {harbour, "Write the summary: what the user wants and what was asked for or forbidden, what was done and how it came out, what was found out and decided.", errInstructions},
		"Japanese for English":            {harbour, "イングリッドは港の会計係です。フェリーは六時四十分に出ます。料金が三隻分足りません。", errLanguage},
		"English for Japanese":            {minato, "The user keeps the books of a harbour. Fees are missing.", errLanguage},
		"another tale in the same tongue": {harbour, "Photosynthesis converts sunlight into chemical energy inside green plants, producing oxygen while absorbing carbon dioxide through microscopic leaf openings called stomata during daylight.", errForeign},
		"French for English":              {harbour, "Cette dame tient les comptes et cherche quels navires doivent encore verser leurs droits; quatre cents couronnes chacun, selon notre conseiller, qui propose d'envoyer une lettre aujourd'hui.", errForeign},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for f, text := range map[Format]string{Retained: tt.text, Snapshot: "<state_snapshot><overall_goal>" + tt.text + "</overall_goal></state_snapshot>"} {
				r := requestOf(f, tt.old...)
				if f == Snapshot && tt.want == errInstructions {
					text = CompressionPrompt[strings.Index(CompressionPrompt, "<state_snapshot>\n"):strings.Index(CompressionPrompt, "Rules:")]
				}
				if err := validate(r, Summary{Text: text}); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
					t.Errorf("format %d: %v, want %v", f, err, tt.want)
				}
			}
		})
	}
}

func TestNonsenseIsReplacedByTheExtract(t *testing.T) {
	t.Parallel()
	loop := strings.Repeat("The ferry leaves the harbour and the fees are missing. ", 9)
	model := &scripted{name: "small", answers: answers{writes(loop)}}
	chain := &Chain{Model: model, Fallback: Extract{}}
	got, err := chain.Summarize(t.Context(), requestOf(Retained, harbour...))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.Text, "the harbour and the fees are missing") || !strings.Contains(got.Text, "Saltmere") || len(model.asked) != 2 {
		t.Errorf("after %d requests: %s", len(model.asked), got.Text)
	}
	if notes := strings.Join(got.Notes, "\n"); strings.Count(notes, errLoop.Error()) != 2 || !strings.Contains(notes, "written by extract") {
		t.Errorf("notes %q", got.Notes)
	}
}
