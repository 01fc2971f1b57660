package interop_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/plimsoll/plimsoll/interop/llama"
	"github.com/plimsoll/plimsoll/interop/rig"
)

// sample is a kind of conversation whose tokens are counted.
type sample struct {
	name  string
	text  func(i int) string
	tools json.RawMessage
}

var samples = []sample{
	{"English", chatter, nil},
	{"Japanese", func(i int) string {
		return fmt.Sprintf("%d日目は古い橋から港まで歩きました。朝は雨が降っていましたが、午後は%sでした。市場で%sを買って、夕方まで漁師さんの話を聞きました。明日はどこへ行けばよいと思いますか。",
			i+1, []string{"晴れ", "曇り", "強い風"}[i%3], []string{"魚", "林檎", "古い地図", "毛糸"}[i%4])
	}, nil},
	{"code", func(i int) string {
		return fmt.Sprintf("Why does this return the wrong sum?\n\nfunc total%d(fees map[string]int) (sum int, err error) {\n\tfor name, fee := range fees {\n\t\tif fee < 0 {\n\t\t\treturn 0, fmt.Errorf(\"berth %%q: fee %%d\", name, fee)\n\t\t}\n\t\tsum += fee * %d / 100\n\t}\n\treturn sum, nil\n}\n", i, 90+i)
	}, nil},
	{"JSON", func(i int) string {
		return fmt.Sprintf(`What is wrong here? {"ship":"Marigold","berth":%d,"arrived":"2026-03-%02dT06:40:00Z","fees":[{"kind":"harbour","crowns":412.50},{"kind":"crane","crowns":%d.25}],"paid":false,"id":"a%07x"}`, i+3, 1+i%28, 80+i, i*7919)
	}, nil},
	{"tools", chatter, json.RawMessage(`[{"type":"function","function":{"name":"find_ship","description":"Finds a ship in the register of the harbour by its name or its berth.","parameters":{"type":"object","properties":{"name":{"type":"string","description":"The name of the ship, or a part of it."},"berth":{"type":"integer","description":"The number of the berth."}},"required":["name"]}}},{"type":"function","function":{"name":"write_letter","description":"Writes a letter to the owner of a ship.","parameters":{"type":"object","properties":{"owner":{"type":"string"},"text":{"type":"string"},"urgent":{"type":"boolean"}},"required":["owner","text"]}}}]`)},
}

// mostSamples is how many conversations of each kind there are.
const mostSamples = 6

// TestCountsAgainstThoseOfALocalServer prints how far the load that plimsoll tells is from
// the tokens that the server bills: of conversations that it has not seen (A), and of the
// same ones after their first bill, with one message more (B).
func TestCountsAgainstThoseOfALocalServer(t *testing.T) {
	url := rig.Serve(t, local(t).URL)
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tA: median\ttoo light\tB: median\ttoo light")
	var all [2][]float64
	for _, s := range samples {
		var errs [2][]float64
		for i := range mostSamples {
			var history []llama.Message
			for turn := range 1 + i {
				history = append(history, llama.Message{Role: "user", Content: s.text(10*i + turn)}, llama.Message{Role: "assistant", Content: "I do not know yet."})
			}
			history = history[:len(history)-1]
			for seen := range 2 {
				a := say(t, url, llama.Request{Messages: history, MaxTokens: 8, Tools: s.tools})
				load, err := strconv.Atoi(a.Header.Get("X-Plimsoll-Load"))
				if err != nil || a.Prompt == 0 {
					t.Fatalf("load %q of %d tokens", a.Header.Get("X-Plimsoll-Load"), a.Prompt)
				}
				errs[seen] = append(errs[seen], float64(load)/float64(a.Prompt)-1)
				history = append(history, llama.Message{Role: "assistant", Content: a.Text}, llama.Message{Role: "user", Content: s.text(10*i + 9)})
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.name, off(errs[0]), off(errs[1]))
		for seen := range all {
			all[seen] = append(all[seen], errs[seen]...)
		}
	}
	fmt.Fprintf(w, "all\t%s\t%s\n", off(all[0]), off(all[1]))
	w.Flush()
	t.Logf("\n%s", out.String())
	for seen, errs := range all {
		slices.SortFunc(errs, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
		t.Logf("%c: median error %.1f %%, p95 %.1f %%", 'A'+seen, 100*math.Abs(errs[len(errs)/2]), 100*math.Abs(errs[len(errs)*95/100]))
	}
}

// off describes how far counts are off.
func off(errs []float64) string {
	errs = slices.Sorted(slices.Values(errs))
	light := 0
	for _, e := range errs {
		if e < 0 {
			light++
		}
	}
	return fmt.Sprintf("%+.1f %%\t%d of %d", 100*errs[len(errs)/2], light, len(errs))
}
