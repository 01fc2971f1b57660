package hf

import (
	"compress/gzip"
	"encoding/json"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func TestNormalFormsOfAllCharactersEqualThoseOfHuggingFace(t *testing.T) {
	t.Parallel()
	var want map[string]map[int]uint32
	f, err := os.Open("testdata/normal.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&want); err != nil {
		t.Fatal(err)
	}
	for name, form := range forms {
		for i, sum := range want[name] {
			var all strings.Builder
			for r := rune(i * 4096); r < rune(i+1)*4096; r++ {
				if r >= 0xD800 && r < 0xE000 {
					continue
				}
				for _, text := range []string{string(r), "a\u0345" + string(r), "a" + string(r) + "\u0334"} {
					if all.Len() > 0 {
						all.WriteByte('\n')
					}
					all.WriteString(normalForm(form, text))
				}
			}
			if got := crc32.ChecksumIEEE([]byte(all.String())); got != sum {
				t.Errorf("%s differs among U+%04X to U+%04X", name, i*4096, i*4096+4095)
			}
		}
		if len(want[name]) != 18 {
			t.Errorf("%s: %d blocks", name, len(want[name]))
		}
	}
}

// The table of newer characters is complete for this version only.
func TestNormalisationTablesAreThoseOfUnicode17(t *testing.T) {
	t.Parallel()
	if norm.Version != "17.0.0" {
		t.Errorf("golang.org/x/text has Unicode %s: extend the table in newer.go by what was added since 17.0.0", norm.Version)
	}
}

func TestInertCharactersAreUntouchedAndStandApart(t *testing.T) {
	t.Parallel()
	for _, form := range []norm.Form{norm.NFC, norm.NFKC} {
		inert := 0
		for r := rune(0); r <= 0x10FFFF; r++ {
			if r >= 0xD800 && r < 0xE000 || !isInert(r, form == norm.NFKC) {
				continue
			}
			inert++
			p := form.PropertiesString(string(r))
			if form.String(string(r)) != string(r) || !p.BoundaryBefore() || isNewer(r) {
				t.Errorf("U+%04X is not inert", r)
			}
		}
		if inert < 30000 {
			t.Errorf("only %d inert characters", inert)
		}
	}
}

// Both ways to normalise must agree where both apply: up to 30 marks in a row.
func TestNormalFormByDefinitionEqualsTheLibrary(t *testing.T) {
	t.Parallel()
	chars := []rune("aeoqAKſ\u00e9\u1e9b\u212b\u212a\uac00\u1100\u1161\u11a8ﬁ\u0301\u0307\u0323\u0345\u0334\u0f71\u0f72\u0f73\u0344\u093c\u0915\U0001d15e\U0001d165日か\u3099")
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom(chars), 0, 24).Draw(t, "text"))
		for name, form := range forms {
			if got, want := longMarks(form, text), form.String(text); got != want {
				t.Errorf("%s of %+q = %+q, want %+q", name, text, got, want)
			}
		}
	})
}

func TestLongRunsOfMarksGetNoJoiner(t *testing.T) {
	t.Parallel()
	text := "日e" + strings.Repeat("\u0323\u0301", 50) + "本"
	want := "日\u1eb9" + strings.Repeat("\u0323", 49) + strings.Repeat("\u0301", 50) + "本"
	if got := normalForm(norm.NFC, text); got != want {
		t.Errorf("got %+q, want %+q", got, want)
	}
}

func TestNormalizationKeepsBytesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\xff", "a\xcc", "\xe3\x81", "e\u0301\xff\u0301", strings.Repeat("\u0301", 40) + "\xfe\xcc"} {
		want := text
		if strings.HasPrefix(text, "e\u0301") {
			want = "\u00e9\xff\u0301"
		}
		if got := normalForm(norm.NFC, text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
