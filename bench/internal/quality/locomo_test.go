package quality

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const sessions = `"speaker_a": "Ann", "speaker_b": "Bo",
	"session_1_date_time": "8 May, 2023", "session_1": [
		{"speaker": "Bo", "dia_id": "D1:1", "text": "Hi Ann!"},
		{"speaker": "Ann", "dia_id": "D1:2", "text": "I sold the red boat."},
		{"speaker": "Ann", "dia_id": "D1:3", "text": "Look.", "blip_caption": "a boat"}],
	"session_2_date_time": "9 June, 2023", "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "A pity."}], "session_3_date_time": "later"`

const questions = `[
	{"question": "What did Ann sell?", "answer": "red boat", "evidence": ["D1:2", "D9:9"], "category": 1},
	{"question": "When?", "answer": 2023, "evidence": ["D1:2"], "category": 2},
	{"question": "What did Bo sell?", "answer": "boat", "category": 5},
	{"question": "What did Bo buy?", "adversarial_answer": "boat", "category": 1}]`

func TestBothFormsOfTheFilesGiveTheSameChat(t *testing.T) {
	t.Parallel()
	one, err := parse([]byte(`{`+sessions+`, "qa": `+questions+`}`), "26")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := parse([]byte(`[{"sample_id": "conv-26", "conversation": {`+sessions+`}, "qa": `+questions+`}]`), "locomo10")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, listed) {
		t.Errorf("%+v\n%+v", one, listed)
	}
	want := []message{
		{"user", hello},
		{"assistant", "(8 May, 2023) Bo: Hi Ann!"},
		{"user", "Ann: I sold the red boat.\nAnn: Look. [shares a photo: a boat]"},
		{"assistant", "(9 June, 2023) Bo: A pity."},
		{"user", opening},
	}
	if !reflect.DeepEqual(one[0].messages, want) {
		t.Errorf("messages %q", one[0].messages)
	}
	if q := one[0].Questions; len(q) != 2 || len(q[0].evidence) != 1 || !q[0].readable || q[1].answer[0] != "2023" || q[1].readable {
		t.Errorf("questions %+v", q)
	}
	if got, want := one[0].without(one[0].Questions[0]), "Hi Ann!\nLook. [shares a photo: a boat]\nA pity."; got != want {
		t.Errorf("without the evidence %q, want %q", got, want)
	}
}

func TestMissingFilesAreAnErrorThatSaysHowToGetThem(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		if _, err := Load(dir); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "snap-research/locomo") || !strings.Contains(err.Error(), "--locomo") {
			t.Errorf("%q: %v", dir, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "26.json"), []byte(`{`+sessions+`, "qa": `+questions+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if chats, err := Load(dir); err != nil || len(chats) != 1 || chats[0].Name != "26" {
		t.Errorf("%+v, %v", chats, err)
	}
}
