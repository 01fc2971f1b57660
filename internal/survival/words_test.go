package survival

import (
	"maps"
	"slices"
	"testing"
)

func TestContentWordsAreWhatPeopleTalkAbout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil,
		"I've moved to Saltmere in 2023, and she didn't.": {"2023", "moved", "saltmere"},
		"The Café at 5": {"5", "café"},
		"島根の出雲大社へ、ホテルで2泊します。": {"2", "ホテル", "出雲大社", "島根"},
		"はい、ありがとうございます。":      nil,
		"JRで仙台駅まで10分、人々も多い。":  {"10", "jr", "人々", "仙台駅"},
		"x and y are letters": {"letters"},
	} {
		if got := slices.Sorted(maps.Keys(Words(text))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
