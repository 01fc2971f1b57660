package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

// texts are what people and models write, also what looks like our own headings.
func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"", "=== 1 you", " === 2 gpt", "===", "What is a load line?", "満載喫水線とは何ですか。", "# a heading", "  indented", "\ttab"})
	return rapid.Map(rapid.SliceOfN(line, 1, 5), func(lines []string) string { return "x" + strings.Join(lines, "\n") + "x" })
}

func someTurns() *rapid.Generator[[]Turn] {
	names := []string{"gpt", "gemini", "claude"}
	return rapid.Custom(func(t *rapid.T) []Turn {
		var turns []Turn
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			if rapid.IntRange(0, 9).Draw(t, "checkpoint") == 0 {
				turns = append(turns, Turn{Checkpoint: &Checkpoint{
					Turns:    rapid.IntRange(1, 9).Draw(t, "stands"),
					Messages: []CheckpointMessage{{plimsoll.User, texts().Draw(t, "retained")}, {plimsoll.Assistant, texts().Draw(t, "summary")}},
				}})
				continue
			}
			turn := Turn{Question: texts().Draw(t, "question"), To: names}
			for _, name := range names[:rapid.IntRange(0, 3).Draw(t, "replies")] {
				turn.Replies = append(turn.Replies, Reply{Participant: name, Text: texts().Draw(t, "reply")})
			}
			turns = append(turns, turn)
		}
		return turns
	})
}

func TestATextThatNobodyEditsIsTheSameConversation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		turns := someTurns().Draw(t, "conversation")
		got, err := parseEdit(editText(turns, 0, len(turns)), turns, 0, len(turns))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(turns, got); diff != "" {
			t.Fatalf("-before +after:\n%s", diff)
		}
	})
}

func TestASessionIsWhatItsRecordsMakeOfNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var live state
		var disk bytes.Buffer
		commit := func(r record) {
			r.At = time.Unix(0, 0).UTC()
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			disk.Write(append(data, '\n'))
			live.apply(r)
		}
		commit(record{Kind: recordSettings, Settings: &settings{Participants: []string{"gpt=openai:gpt-4o"}}})
		for range rapid.IntRange(1, 20).Draw(t, "records") {
			last := len(live.turns) - 1
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0, 1:
				commit(record{Kind: recordAsk, Turn: &Turn{Question: texts().Draw(t, "question"), To: []string{"gpt", "gemini"}}})
			case 2:
				commit(record{Kind: recordReply, Index: max(0, last), Reply: &Reply{Participant: rapid.SampledFrom([]string{"gemini", "gpt"}).Draw(t, "who"), Text: "whole"}})
			case 3:
				commit(record{Kind: recordPiece, Index: max(0, last), Reply: &Reply{Participant: "gpt", Text: "piece"}})
			case 4:
				commit(record{Kind: recordTurns, What: "edit", Turns: someTurns().Draw(t, "turns")})
			case 5:
				commit(record{Kind: recordUndo})
			case 6:
				commit(record{Kind: recordPin, Index: max(0, last), Turn: &Turn{Pinned: true}})
			}
		}
		read, err := readRecords(&disk)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(live.turns, read.turns); diff != "" {
			t.Fatalf("-live +read:\n%s", diff)
		}
		if diff := cmp.Diff(live.settings, read.settings); diff != "" {
			t.Fatalf("-live +read:\n%s", diff)
		}
	})
}

func TestTurnsThatWereHandedOutNeverChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		turns := someTurns().Draw(t, "conversation")
		s := state{turns: turns}
		before, err := json.Marshal(turns)
		if err != nil {
			t.Fatal(err)
		}
		index := rapid.IntRange(0, len(turns)-1).Draw(t, "index")
		s.apply(record{Kind: recordReply, Index: index, Reply: &Reply{Participant: "gpt", Text: "new"}})
		s.apply(record{Kind: recordPiece, Index: index, Reply: &Reply{Participant: "gpt", Text: "newer"}})
		s.apply(record{Kind: recordPin, Index: index, Turn: &Turn{Pinned: true}})
		s.apply(record{Kind: recordAsk, Turn: &Turn{Question: "more"}})
		after, err := json.Marshal(turns)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Fatalf("was\n%s\nis\n%s", before, after)
		}
	})
}

func TestS01_EveryViewHasATurnForATurn(t *testing.T) {
	t.Parallel()
	participants := []Participant{
		{Name: "gpt", Dialect: plimsoll.OpenAI, Model: "gpt-4o"},
		{Name: "gemini", Dialect: plimsoll.Gemini, Model: "gemini-2.5-flash"},
		{Name: "claude", Dialect: plimsoll.Anthropic, Model: "claude-sonnet-4-5"},
		{Name: "o", Dialect: plimsoll.Responses, Model: "gpt-4o"},
	}
	rapid.Check(t, func(t *rapid.T) {
		turns := slices.DeleteFunc(someTurns().Draw(t, "conversation"), func(t Turn) bool { return t.Checkpoint != nil })
		for _, p := range participants {
			v := see(p, participants, state{turns: turns}, -1)
			r, err := write(p, v.system, nil, v.messages)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Conversation().Outline().Turns); got != len(turns) {
				t.Fatalf("%s sees %d turns of %d", p.Name, got, len(turns))
			}
			for i, m := range v.messages {
				if own := m.Role == plimsoll.Assistant; own && m.Text() != turns[v.turns[i]].reply(p.Name).Text {
					t.Fatalf("%s is said to have said %q", p.Name, m.Text())
				}
			}
		}
	})
}

func FuzzSessions(f *testing.F) {
	f.Add([]byte(`{"kind":"ask","turn":{"question":"Hello?","to":["gpt"]}}` + "\n" + `{"kind":"reply","reply":{"participant":"gpt","text":"Yes."}}` + "\n"))
	f.Add([]byte(`{"kind":"turns","turns":[{"checkpoint":{"turns":2}}]}` + "\n" + `{"kind":"undo"}` + "\n" + `{"kind":"pin","index":-1,"turn":{}}`))
	f.Add([]byte(`{"kind":"reply","index":7,"reply":{"participant":"gpt","rounds":{"messages":[{}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readRecords(bytes.NewReader(data))
		if err != nil {
			return
		}
		p := Participant{Name: "gpt", Dialect: plimsoll.OpenAI, Model: "gpt-4o"}
		v := see(p, []Participant{p}, s, -1)
		if len(v.messages) != len(v.turns) {
			t.Errorf("%d messages, %d of them have a turn", len(v.messages), len(v.turns))
		}
	})
}

func FuzzEdits(f *testing.F) {
	f.Add("=== 1 you\nWhat?\n=== 1 gpt\nThat.\n")
	f.Add("=== 1 you\n === 1 gpt\n=== x y\n")
	f.Add("=== 99999999999999999999 you\n")
	turns := []Turn{{Question: "What?", To: []string{"gpt"}, Replies: []Reply{{Participant: "gpt", Text: "That."}}}, {Checkpoint: &Checkpoint{Messages: []CheckpointMessage{{plimsoll.User, "old"}}}}}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseEdit(text, turns, 0, len(turns))
		if err != nil {
			return
		}
		if len(got) > len(turns) {
			t.Errorf("%d turns became %d", len(turns), len(got))
		}
		again, err := parseEdit(editText(got, 0, len(got)), got, 0, len(got))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" && utf8.ValidString(text) && !strings.Contains(text, "\r") {
			t.Errorf("-once +twice:\n%s", diff)
		}
	})
}

func FuzzParticipants(f *testing.F) {
	for _, spec := range []string{"openai:gpt-4o", "ollama:llama3@http://127.0.0.1:11434", "me=gemini:gemini-2.5-flash@https://host/v1beta", "anthropic:", "a=b=c:d", "all=openai:x@http://h", "openai:x@http://%"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		none := func(string) string { return "" }
		p, err := ParseParticipant(spec, none)
		if err != nil {
			return
		}
		again, err := ParseParticipant(p.Spec(), none)
		if err != nil {
			t.Fatalf("%q gives %q, which is refused: %v", spec, p.Spec(), err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("%q: %s", spec, diff)
		}
	})
}

func TestInputMethodsMayWriteTheSigns(t *testing.T) {
	t.Parallel()
	names := []string{"gpt", "gemini"}
	for line, want := range map[string]string{
		"＠gpt　満載喫水線とは？":       "gpt|満載喫水線とは？",
		"＠gpt、どう思う？":          "gpt|どう思う？",
		"＠all：どう思う？":          "gpt gemini|どう思う？",
		"@gpt@gemini. どう思う？":  "gpt gemini|. どう思う？",
		"／／これは命令ではない":         "|／これは命令ではない",
		"//etc/passwd とは何ですか": "|/etc/passwd とは何ですか",
		"値段は＠100円":            "|値段は＠100円",
	} {
		to, text, err := address(line, names)
		if got := strings.Join(to, " ") + "|" + text; err != nil || got != want {
			t.Errorf("%q is %q, error %v; want %q", line, got, err, want)
		}
		if _, _, ok := CutCommand(line); ok {
			t.Errorf("%q is taken for a command", line)
		}
	}
	for _, line := range []string{"／compress　岸壁", "/compress 岸壁"} {
		if name, arguments, ok := CutCommand(line); !ok || name != "compress" || arguments != "岸壁" {
			t.Errorf("%q is %q, %q, %v", line, name, arguments, ok)
		}
	}
}

func FuzzAddresses(f *testing.F) {
	for _, line := range []string{"@gpt hello", "@all, what?", "@gpt @gemini both", "//slash", "@", "@gpt：全角", "＠gpt　全角", "／／slash", "/@gpt"} {
		f.Add(line)
	}
	names := []string{"gpt", "gemini"}
	f.Fuzz(func(t *testing.T, line string) {
		to, text, err := address(line, names)
		if err != nil {
			return
		}
		for _, name := range to {
			if !slices.Contains(names, name) {
				t.Errorf("%q is for %q, who is not here", line, name)
			}
		}
		if _, left := cutSign(text, ats); left && !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "／") {
			t.Errorf("%q leaves the address in %q", line, text)
		}
	})
}
