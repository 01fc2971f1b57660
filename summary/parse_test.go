package summary

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snapshotOf writes a snapshot whose sections are given in order.
func snapshotOf(texts ...string) string {
	s := snapshot{}
	for i, name := range sections() {
		if i < len(texts) {
			s[name] = body{text: texts[i]}
		}
	}
	return s.String()
}

func TestC06_RetainAndSummaryAreTakenFromTheReply(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reply string
		want  Summary
		err   error
	}{
		"both tags":                              {"<retain>a</retain><summary>b</summary>", Summary{Retain: "a", Text: "b"}, nil},
		"any case and with attributes":           {"<Retain>\na\n</RETAIN>\n<SUMMARY lang=\"en\">b</Summary>", Summary{Retain: "a", Text: "b"}, nil},
		"what stands around them is left out":    {"Sure!\n<summary>b</summary>\nDone.", Summary{Text: "b"}, nil},
		"no summary tag: all but the retained":   {"Before <retain>a</retain>\nafter", Summary{Retain: "a", Text: "Before \nafter"}.trimmed(), nil},
		"no tags at all":                         {"just text", Summary{Text: "just text"}, nil},
		"an empty retain":                        {"<retain/><summary>b</summary>", Summary{Text: "b"}, nil},
		"only retained":                          {"<retain>a</retain>", Summary{Retain: "a"}, nil},
		"nothing":                                {" \n", Summary{}, errEmpty},
		"empty tags":                             {"<retain> </retain><summary>\n</summary>", Summary{}, errEmpty},
		"a summary that is not closed":           {"<summary>b", Summary{}, errMalformed},
		"a retain that is not closed":            {"<retain>a<summary>b</summary>", Summary{}, errMalformed},
		"the scratchpad is dropped":              {"<scratchpad>secret <summary>no</summary></scratchpad><summary>b</summary>", Summary{Text: "b"}, nil},
		"thoughts without an end are dropped":    {"<think>secret\n<summary>b</summary>", Summary{Text: "b"}, nil},
		"thoughts are dropped without a tag":     {"<think>secret</think>b", Summary{Text: "b"}, nil},
		"other tags become text":                 {"<summary>use <b> and </retain></summary>", Summary{Text: "use &lt;b&gt; and &lt;/retain&gt;"}, nil},
		"fences stay, behind the text":           {"<summary>x <tool_data origin=\"sh\">out</tool_data> y</summary>", Summary{Text: "x\n y\n<tool_data origin=\"sh\">\nout\n</tool_data>"}, nil},
		"a fence inside retain is no fence":      {"<retain><tool_data origin=\"sh\">out</tool_data></retain>", Summary{Retain: "&lt;tool_data origin=\"sh\"&gt;out&lt;/tool_data&gt;"}, nil},
		"a fence without an end goes to the end": {"<summary>x <tool_data origin=\"sh\">out y</summary>", Summary{Text: "x\n<tool_data origin=\"sh\">\nout y\n</tool_data>"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.reply, Retained)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func (s Summary) trimmed() Summary {
	s.Text = tidy(s.Text)
	return s
}

func TestG11_TheSnapshotHasItsFiveSections(t *testing.T) {
	t.Parallel()
	full := snapshotOf("goal", "- know", "- read a.go", "- ran", "1. [TODO] x")
	tests := map[string]struct {
		reply, want string
		err         error
	}{
		"all sections":                                 {full, full, nil},
		"in another order and case":                    {"<State_Snapshot><CURRENT_PLAN>p</CURRENT_PLAN><overall_goal>g</overall_goal></State_Snapshot>", snapshotOf("g", "", "", "", "p"), nil},
		"missing ones are empty":                       {"<state_snapshot><overall_goal>g</overall_goal></state_snapshot>", snapshotOf("g"), nil},
		"the scratchpad before it is dropped":          {"<scratchpad>secret <state_snapshot></scratchpad>\n" + full, full, nil},
		"the scratchpad inside it is dropped":          {strings.Replace(full, "<overall_goal>", "<scratchpad>secret</scratchpad><overall_goal>", 1), full, nil},
		"a scratchpad without tags is left out":        {"I think that secret.\n```xml\n" + full + "\n```", full, nil},
		"sections without the snapshot's tags":         {"<overall_goal>g</overall_goal>", snapshotOf("g"), nil},
		"a section twice is joined":                    {"<state_snapshot><overall_goal>g</overall_goal><overall_goal>h</overall_goal></state_snapshot>", snapshotOf("g\nh"), nil},
		"what stands between belongs to what is known": {"<state_snapshot><overall_goal>g</overall_goal>\n- fact</state_snapshot>", snapshotOf("g", "- fact"), nil},
		"a section of its own becomes text":            {"<state_snapshot><overall_goal>g</overall_goal><mood>fine</mood></state_snapshot>", snapshotOf("g", "&lt;mood&gt;fine&lt;/mood&gt;"), nil},
		"a closing tag inside does not end it":         {strings.Replace(full, "- ran", "- ran </state_snapshot> on", 1), strings.Replace(full, "- ran", "- ran &lt;/state_snapshot&gt; on", 1), nil},
		"nothing":                                      {"", "", errEmpty},
		"five empty sections":                          {snapshotOf(), "", errEmpty},
		"no sections":                                  {"<state_snapshot>text</state_snapshot>", "", errMalformed},
		"a snapshot that is not closed":                {"<state_snapshot><overall_goal>g</overall_goal>", "", errMalformed},
		"a section that is not closed":                 {"<state_snapshot><overall_goal>g</state_snapshot>", "", errMalformed},
		"only a refusal":                               {"I cannot do that.", "", errMalformed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.reply, Snapshot)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got.Text); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if strings.Contains(got.Text, "secret") {
				t.Error("the scratchpad is in the snapshot")
			}
		})
	}
}

// TestG11_TheSectionsHaveTheNamesOfTheText repeats text 004, not our own table.
func TestG11_TheSectionsHaveTheNamesOfTheText(t *testing.T) {
	t.Parallel()
	reply, at := "<state_snapshot>", 0
	names := []string{"overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"}
	for _, name := range names {
		reply += "<" + name + ">about " + name + "</" + name + ">"
	}
	got, err := parse(reply+"</state_snapshot>", Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, want := range []string{"<" + name + ">", "about " + name, "</" + name + ">"} {
			next := strings.Index(got.Text[at:], want)
			if next < 0 {
				t.Fatalf("%s is missing, or not where the text has it, in\n%s", want, got.Text)
			}
			at += next
		}
	}
	if strings.Contains(got.Text, "&lt;") {
		t.Errorf("a section of the text is not known:\n%s", got.Text)
	}
}

// TestR11_TheCompressionPromptHasTheConventionsOfTheText: phase 5 of text 004.
func TestR11_TheCompressionPromptHasTheConventionsOfTheText(t *testing.T) {
	t.Parallel()
	section := func(name string) string {
		_, rest, _ := strings.Cut(CompressionPrompt, "<"+name+">")
		text, _, _ := strings.Cut(rest, "</"+name+">")
		return text
	}
	for name, words := range map[string][]string{
		"overall_goal":      {"in one sentence"},
		"key_knowledge":     {"Facts", "conventions", "constraints"},
		"file_system_state": {"CWD", "READ", "MODIFIED", "CREATED"},
		"recent_actions":    {"steps"},
		"current_plan":      {"[DONE]", "[IN PROGRESS]", "[TODO]"},
	} {
		for _, word := range words {
			if !strings.Contains(section(name), word) {
				t.Errorf("%s does not ask for %q", name, word)
			}
		}
	}
}

func TestG12_TheSnapshotStandsInAMessageWithItsTags(t *testing.T) {
	t.Parallel()
	got, err := parse("Here you are: "+snapshotOf("g")+" Anything else?", Snapshot)
	if err != nil || !strings.HasPrefix(got.Text, "<state_snapshot>\n") || !strings.HasSuffix(got.Text, "\n</state_snapshot>") {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

// FuzzParse: whatever a model replies, what is read of it is well formed and is read
// again as it is, in time that grows with its length.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"<retain>a</retain><summary>b</summary>",
		"<scratchpad>x</scratchpad>" + snapshotOf("g", "k <b>", "", "", "p"),
		"<think><summary>a</think><tool_data origin=\"x\">y</tool_data></summary>",
		"<state_snapshot><overall_goal><tool_data origin='a'>x</overall_goal></state_snapshot>",
		"<summary", "<summary/>", "<<summary>>x</summary>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, format := range []Format{Snapshot, Retained} {
			s, err := parse(reply, format)
			if err != nil {
				if !errors.Is(err, errEmpty) && !errors.Is(err, errMalformed) {
					t.Fatalf("an error of no kind: %v", err)
				}
				continue
			}
			again, err := parse(written(s, format), format)
			if err != nil {
				t.Fatalf("%q cannot be read again: %v", s.Text, err)
			}
			if diff := cmp.Diff(s, again); diff != "" {
				t.Fatalf("-first +second\n%s", diff)
			}
		}
	})
}

// written is a summary as a model would write it.
func written(s Summary, f Format) string {
	if f == Snapshot {
		return s.Text
	}
	return "<retain>" + s.Retain + "</retain><summary>" + s.Text + "</summary>"
}

// Parsing that took time with the square of the length would not end here.
func TestParsingTakesTimeWithTheLength(t *testing.T) {
	t.Parallel()
	const n = 300_000
	for name, reply := range map[string]string{
		"thoughts":       strings.Repeat("<think></think>", n),
		"open thoughts":  strings.Repeat("<think>", n),
		"open summaries": strings.Repeat("<summary ", n),
		"sections":       "<state_snapshot>" + strings.Repeat("<overall_goal></overall_goal>", n) + "</state_snapshot>",
		"fences":         "<summary>" + strings.Repeat("<tool_data origin=\"a\">b</tool_data>", n) + "</summary>",
		"brackets":       strings.Repeat("<", 10*n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []Format{Retained, Snapshot} {
				if s, err := parse(reply, f); err == nil && len(s.Text) > 10*len(reply) {
					t.Errorf("%d bytes became %d", len(reply), len(s.Text))
				}
			}
		})
	}
}
