package token_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func picture() plimsoll.Message {
	return plimsoll.NewMessage(plimsoll.User,
		plimsoll.Text{Text: "what is this?"}, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"})
}

func TestAGuessedLoadStaysGuessedWhenItGrows(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	known := meter.Weigh(chat("gpt-4o", picture()))
	got := meter.Weigh(chat("gpt-4o", picture(), say(plimsoll.Assistant, "ok")))
	if got.Exact || got.Band < known.Band || known.Band == 0 {
		t.Errorf("exact %v, band %d after %d", got.Exact, got.Band, known.Band)
	}
}

func TestSealedReasoningIsAGuess(t *testing.T) {
	t.Parallel()
	sealed := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Signature: strings.Repeat("Zm9v", 400)})
	load := token.NewMeter(nil).Weigh(chat("gpt-5", sealed))
	if load.Exact || load.Band < 40 {
		t.Errorf("exact %v, band %d for 300 tokens of sealed reasoning", load.Exact, load.Band)
	}
	shown := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "the tide falls", Signature: "Zm9v"})
	if load := token.NewMeter(nil).Weigh(chat("gpt-5", shown)); !load.Exact {
		t.Errorf("shown reasoning is counted, yet the load is %+v", load)
	}
}

func TestAnAnchoredBandHoldsWhatWasGuessedSinceTheBill(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
	first := chat("gpt-4o", picture())
	meter.Observe("c", first, plimsoll.Usage{Input: 5000})
	billed := meter.For("c").Weigh(first)
	if billed.Total != 5000 || billed.Exact || billed.Band != 1 {
		t.Errorf("right after the bill: total %d, exact %v, band %d; want 5000, false, 1", billed.Total, billed.Exact, billed.Band)
	}
	next := meter.For("c").Weigh(chat("gpt-4o", picture(), picture()))
	if want := token.NewMeter(nil).Weigh(first).Band; next.Band < want {
		t.Errorf("band %d after one more picture, want at least that picture's %d", next.Band, want)
	}
}

func TestAnAnchoredTotalIsTheSumOfItsFigures(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
	meter.Observe("c", talk("claude-opus-4-5", 50), plimsoll.Usage{Input: 10})
	load := meter.For("c").Weigh(talk("claude-opus-4-5", 1))
	if sum := load.System + load.Tools + load.Framing + load.Messages[0].Tokens; sum != load.Total || sum < 0 {
		t.Errorf("total %d, the figures add up to %d", load.Total, sum)
	}
	if load.Exact || load.Band == 0 {
		t.Errorf("exact %v with a band of %d", load.Exact, load.Band)
	}
}

func TestF11_AnotherModelsBillTeachesNothing(t *testing.T) {
	t.Parallel()
	calibration := token.NewCalibration(nil)
	meter := token.NewMeter(&token.MeterOptions{Calibration: calibration})
	other := talk("gemini-2.5-pro", 20)
	meter.Observe("c", other, plimsoll.Usage{Input: 90_000})

	next := talk("claude-opus-4-5", 60)
	plain := token.NewMeter(nil).Weigh(next)
	if diff := cmp.Diff(plain, meter.For("c").Weigh(next)); diff != "" {
		t.Errorf("another model's hidden tokens were added:\n%s", diff)
	}
	grown := plain.Total - token.NewMeter(nil).Weigh(other).Total
	meter.Observe("c", next, plimsoll.Usage{Input: 90_000 + grown*3/2})
	for _, d := range calibration.Drift() {
		if d.Factor != 1 {
			t.Errorf("%s learned the factor %.3f from another model's count", d.Model, d.Factor)
		}
		if d.Error != 0 {
			t.Errorf("%s: a first bill gave an error of %.3f", d.Model, d.Error)
		}
	}
}

func TestF06_ALoadedVocabularyIsExactForTextButNotForItsFraming(t *testing.T) {
	t.Parallel()
	options := token.Options{Tokenizers: tinyVocabulary(t, "llama3")}
	c := chat("llama3.1:8b", say(plimsoll.User, strings.Repeat("ab", 1000)))
	counter, err := token.For(c.Model, &options)
	if err != nil || !counter.Info().Exact {
		t.Fatalf("counter %+v, %v", counter, err)
	}
	meter := token.NewMeter(&token.MeterOptions{Options: options})
	load := meter.Weigh(c)
	if load.Exact || load.Band < 1 || load.Band > 45 {
		t.Errorf("exact %v, band %d; want a band for the template only, not for a thousand tokens of text", load.Exact, load.Band)
	}
	if longer := meter.Weigh(chat(c.Model, c.Messages.At(0), say(plimsoll.Assistant, "ab"))); longer.Band <= load.Band {
		t.Errorf("the band is %d with another message, %d without; want more for its framing", longer.Band, load.Band)
	}
	cookbook := token.Framing{Message: 4, TextOnly: true}
	if load := token.NewMeter(&token.MeterOptions{Options: options, Framing: &cookbook}).Weigh(c); !load.Exact {
		t.Errorf("texts alone are counted, yet the load is %+v", load)
	}
}

func TestF06_AMeterLoadsAVocabularyOnce(t *testing.T) {
	t.Parallel()
	dir := tinyVocabulary(t, "llama3")
	meter := token.NewMeter(&token.MeterOptions{Options: token.Options{Tokenizers: dir}})
	for _, name := range []string{"llama3.1:8b", "meta-llama/llama-3.1-70b-instruct"} {
		c, err := meter.Counter(name)
		if err != nil || c.Info().Encoding != "llama3" {
			t.Errorf("%s: %+v, %v", name, c.Info(), err)
		}
		if err := os.WriteFile(filepath.Join(dir, "llama3", "tokenizer.json"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// tinyVocabulary returns a directory with a vocabulary of three tokens.
func tinyVocabulary(t testing.TB, family string) string {
	t.Helper()
	const tiny = `{"version":"1.0","added_tokens":[],"normalizer":null,
	  "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},
	  "post_processor":null,"decoder":{"type":"ByteLevel"},
	  "model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}`
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, family), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, family, "tokenizer.json"), []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
