package quality

import "testing"

func TestAScoreSaysWhatIsLeftOfTheEvidence(t *testing.T) {
	t.Parallel()
	// Content words: ann, went, lighthouse, saltmere, sister, maud, march.
	said := "Ann went to the lighthouse of Saltmere with her sister Maud in March"
	ask := newQuestion("Who was with Ann?", "sister Maud", []string{said})
	for name, tt := range map[string]struct {
		prompt   string
		question Question
		want     Score
	}{
		"all of it": {said, ask, Score{1, 1, 1, 1, 1, 1}},
		"nothing":   {"The harbour was calm.", ask, Score{1, 0, 0, 0, 0, 1}},
		"its words on many lines, three of them side by side": {
			"ann went lighthouse\nsaltmere\nsister\nmaud", ask, Score{1, 1, 1, 0, 0, 1},
		},
		"its words, no three of them side by side": {
			"march maud sister saltmere lighthouse went ann", ask, Score{1, 1, 0, 0, 0, 1},
		},
		"one line with 5 of 7 words, but not the answer": {
			"Ann went to the lighthouse of Saltmere in March", ask, Score{1, 0, 1, 1, 0, 1},
		},
		"one line with 4 of 7 words": {"lighthouse Saltmere sister Maud", ask, Score{1, 1, 0, 0, 1, 1}},
		"the answer on another line than the evidence": {
			"Ann went to the lighthouse of Saltmere in March\nMaud is a sister", ask, Score{1, 1, 1, 1, 0, 1},
		},
		"an answer that the evidence does not have": {
			said + "\n7 May 2023", newQuestion("When?", "7 May 2023", []string{said}), Score{1, 1, 1, 1, 0, 0},
		},
		"a question without evidence": {said, newQuestion("Who?", "Maud", nil), Score{1, 1, 0, 0, 0, 0}},
		"one of two utterances":       {said, newQuestion("Who?", "Maud", []string{said, "The boat sank near Holm"}), Score{1, 1, 0, 0, 1, 1}},
		"an utterance of two words":   {"They said: hello Ann!", newQuestion("What?", "hello", []string{"Hello, Ann!"}), Score{1, 1, 1, 0, 0, 1}},
	} {
		if got := score(tt.prompt, []Question{tt.question}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
