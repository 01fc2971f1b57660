package token

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/model"
)

func TestF06_EveryFamilyOfTheRegistryHasACounter(t *testing.T) {
	t.Parallel()
	named := 0
	for _, m := range model.Default().All() {
		name := m.Tokenizer.Name
		if name == "" || slices.Contains(bpe.Names(), name) {
			continue
		}
		named++
		f := familyNamed(name)
		if CheckTokenizer(name, "") != nil {
			t.Errorf("%s: the tokenizer %q is not in the table of families", m.ID, name)
		}
		if !slices.Contains(bpe.Names(), f.standIn) {
			t.Errorf("%s: nothing counts when the file of %q is missing", m.ID, name)
		}
	}
	if named == 0 {
		t.Error("the registry names no family at all")
	}
}

func TestF06_TheNewerClaudeCountsAboutThirtyPercentMore(t *testing.T) {
	t.Parallel()
	older, newer := familyNamed("claude").percent, familyNamed(claude47).percent
	if ratio := float64(newer) / float64(older); ratio < 1.28 || ratio > 1.32 {
		t.Errorf("%d %% against %d %% is %.2f times as much, want about 1.30", newer, older, ratio)
	}
}
