package interop_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/interop/llama"
	"github.com/plimsoll/plimsoll/interop/rig"
)

// TestNonsenseOfALocalModelIsNoSummary lets the model of a local server, which is too small
// for that, write summaries. It says how often plimsoll refused them, and shows those that
// it took.
func TestNonsenseOfALocalModelIsNoSummary(t *testing.T) {
	url := local(t).URL
	dir := t.TempDir()
	settings := filepath.Join(dir, "settings.yaml")
	write(t, settings, "compaction:\n  timeout_seconds: 900\n")
	asked, taken := 0, 0
	reasons := map[string]int{}
	for i, s := range samples {
		body, err := json.Marshal(llama.Request{Model: llama.Model, Messages: conversation(s), Tools: s.tools})
		if err != nil {
			t.Fatal(err)
		}
		file, report := filepath.Join(dir, strconv.Itoa(i)+".json"), filepath.Join(dir, strconv.Itoa(i)+".report")
		write(t, file, string(body))
		cmd := exec.Command(rig.Binary(t), "compact", "--config", settings, "--force", "--window", strconv.Itoa(llama.Window),
			"--summarizer", "openai:"+llama.Model+"@"+url+"/v1", "--report", report, file)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
		var got struct {
			Before     int `json:"tokens_before"`
			After      int `json:"tokens_after"`
			Checkpoint struct {
				By, Summary string
				Notes       []string
			}
		}
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for _, note := range got.Checkpoint.Notes {
			if who, why, ok := strings.Cut(note, ": "); ok && strings.HasPrefix(who, "openai") {
				asked++
				reasons[why]++
			}
		}
		if got.Checkpoint.By != "extract" {
			asked, taken = asked+1, taken+1
			t.Logf("%s: taken from %s:\n%s", s.name, got.Checkpoint.By, got.Checkpoint.Summary)
		}
		if got.After >= got.Before || got.Checkpoint.Summary == "" {
			t.Errorf("%s: %d tokens became %d, with the summary %q", s.name, got.Before, got.After, got.Checkpoint.Summary)
		}
	}
	t.Logf("the model was asked %d times, and %d summaries were taken; refused: %v", asked, taken, reasons)
}

// conversation is one of a kind, of about a thousand tokens.
func conversation(s sample) []llama.Message {
	var all []llama.Message
	for i, f := range facts[:8] {
		all = append(all, llama.Message{Role: "user", Content: f.told + " " + s.text(i)}, llama.Message{Role: "assistant", Content: "Thank you, I have made a note of that."})
	}
	return append(all, llama.Message{Role: "user", Content: "What did I tell you?"})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
