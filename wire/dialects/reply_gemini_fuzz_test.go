package dialects_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

func FuzzGemini(f *testing.F) { fuzzAnswers(f, plimsoll.Gemini, geminiTeller{}) }

func FuzzGeminiAsAList(f *testing.F) { fuzzAnswers(f, plimsoll.Gemini, geminiTeller{list: true}) }
