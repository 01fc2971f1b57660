package preset_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
)

func TestTheWindowThatARequestAsksForDecides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, preset, model string
		asked, named        int
		want                plimsoll.Line
	}{
		{"smaller than the model's", "", "gpt-4o", 2048, 0, plimsoll.Line{Window: 2048, Reserve: 600}},
		{"of an unknown model", "", "smollm2", 32_768, 0, plimsoll.Line{Window: 32_768, Reserve: 600}},
		{"of an unknown model where models must be known", preset.NameAgent, "smollm2", 32_768, 0, plimsoll.Line{Window: 32_768, Reserve: 600}},
		{"smaller than the one that the user names", "", "gpt-4o", 2048, 4096, plimsoll.Line{Window: 2048, Reserve: 600}},
		{"larger than the one that the user names", "", "gpt-4o", 8192, 2048, plimsoll.Line{Window: 2048, Reserve: 512}},
	} {
		options, err := preset.Named(tt.preset, &preset.Options{Window: tt.named})
		if err != nil {
			t.Fatal(err)
		}
		k, err := fit.New(options)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.Line(plimsoll.Conversation{Model: tt.model, Window: tt.asked, MaxOutput: 600})
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}
