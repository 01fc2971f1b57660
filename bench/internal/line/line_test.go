package line

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// bytesOnly is a tokenizer whose tokens are bytes.
type bytesOnly struct{ limit int }

func (b bytesOnly) Count(text string) (int, error) {
	if len(text) > b.limit {
		return 0, errors.New("too\nlong")
	}
	return len(text), nil
}

func (b bytesOnly) Encode(text string) ([]uint32, error) {
	var ids []uint32
	for _, c := range []byte(text) {
		ids = append(ids, uint32(c))
	}
	return ids, nil
}

func program() *Program {
	return &Program{Open: func(encoding string) (Tokenizer, error) {
		if encoding != "bytes" {
			return nil, errors.New("unknown encoding")
		}
		return bytesOnly{limit: 100}, nil
	}}
}

func talk(t *testing.T, commands ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := program().run(nil, strings.NewReader(strings.Join(commands, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func write(t *testing.T, data string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestProgramCountsAndEncodesLoadedTexts(t *testing.T) {
	t.Parallel()
	answers := talk(t, "open\tbytes", "load\tabc\t"+write(t, "abc"), "count\tbytes\tabc\t0", "encode\tbytes\tabc\t0")
	for i, want := range []string{"ok", "ok", "ok\t3\t", "ok\t3\t"} {
		if !strings.HasPrefix(answers[i], want) {
			t.Errorf("answer %d is %q, want %q...", i, answers[i], want)
		}
	}
	if !strings.HasSuffix(answers[2], "\t1") {
		t.Errorf("%q: want one pass without a budget", answers[2])
	}
}

func TestProgramReportsErrorsOnOneLineAndGoesOn(t *testing.T) {
	t.Parallel()
	got := talk(t, "open\tklingon", "count\tbytes\tx\t0", "open\tbytes", "count\tbytes\tx\t0", "load\tx\t"+write(t, strings.Repeat("x", 101)), "count\tbytes\tx\t0", "dance")
	want := []string{"error\tunknown encoding", "error\tencoding not open: bytes", "ok", "error\ttext not loaded: x", "ok", "error\ttoo long", "error\tunknown command dance"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgramWritesTheIDsOfABatch(t *testing.T) {
	t.Parallel()
	batch := AppendText(AppendText(AppendText(nil, "ab"), ""), "é")
	out := filepath.Join(t.TempDir(), "ids")
	if got := talk(t, "open\tbytes", "ids\tbytes\t"+write(t, string(batch))+"\t"+out); got[1] != "ok\t3" {
		t.Fatalf("answer %q, want three texts", got[1])
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := IDs(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]uint32{{'a', 'b'}, {}, {0xc3, 0xa9}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTruncatedBatchesAreErrors(t *testing.T) {
	t.Parallel()
	whole := AppendIDs(nil, []uint32{1, 2, 3})
	for n := 1; n < len(whole); n++ {
		if _, err := IDs(whole[:n]); err == nil {
			t.Errorf("no error for the first %d of %d bytes", n, len(whole))
		}
	}
}

func TestAnswersThatAreNeitherOKNorErrorAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := parse("count", "(node:12) warning"); err == nil {
		t.Error("no error")
	}
	if _, err := parse("count", "error\tno such text"); err == nil || !strings.Contains(err.Error(), "no such text") {
		t.Errorf("got %v, want the program's message", err)
	}
}

func TestClientTalksToAProgramAndKillsItWhenItHangs(t *testing.T) {
	t.Parallel()
	client, err := Start(Command{Args: []string{"/bin/sh", "-c", `read line; printf 'ok\t7\t1500\t1\n'; read line; exec sleep 60`}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	got, err := client.Measure(time.Minute, "count", "bytes", "x", 0)
	if want := (Pass{7, 1500}); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := client.Do(time.Millisecond, "count"); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestMeanWarmsUpOnlyIfThereIsABudget(t *testing.T) {
	t.Parallel()
	for budget, warmUp := range map[time.Duration]int{0: 0, time.Nanosecond: 1} {
		calls := 0
		_, passes := Mean(budget, func() { calls++ })
		if passes < 1 || calls != passes+warmUp || budget == 0 && passes != 1 {
			t.Errorf("budget %v: %d calls for %d passes, want %d more", budget, calls, passes, warmUp)
		}
	}
}
