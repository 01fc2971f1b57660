package rung

import (
	"strings"
	"testing"
)

func TestWhichOutputsReportAFailure(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", false},
		{"a listing", "main.go\ngo.mod\n", false},
		{"a grep for the word", "log.go:12:\treturn errors.New(\"error: none\")", false},
		{"prose about errors", "Error handling is explained in chapter 3; an exception is raised.", false},
		{"code with a callback", "  onError: () => {},\n  error() {}", false},
		{"code that returns", "return code;\nexit(1)", false},
		{"a warning of a compiler", "main.c:3:5: warning: unused variable 'x'", false},
		{"a time of day", "12:30:45: started", false},

		{"an exit code", "exit code: 1", true},
		{"an exit code without a colon", "Exit code 127\nsh: foo", true},
		{"an exit status of Go", "FAIL: x\nexit status 2", true},
		{"the words of Codex", "Process exited with code 101\nOutput:\n", true},
		{"the words of Gemini CLI", "Command: x\nExit Code: 1", true},
		{"JSON of Codex", `{"output":"…","metadata":{"exit_code":1,"duration_seconds":0.1}}`, true},
		{"JSON in JSON", `"{\"exitCode\": -9}"`, true},
		{"a return code of Python", "CompletedProcess(returncode=2)", true},
		{"a Japanese exit code", "終了コード：3", true},
		{"capitals", "EXIT CODE: 4", true},
		{"a good exit code", "exit code: 0", false},
		{"a good exit code beside an error line", "error: retried\nexit code: 0", false},
		{"zeros", "exit code: 00", false},
		{"two exit codes", "exit code: 0\nexit code: 5", true},
		{"an unknown exit code", `{"exit_code":null}`, false},
		{"an exit code in the middle of a book", strings.Repeat("text ", 1000) + "exit code 1 means" + strings.Repeat(" text", 1000), false},

		{"a trace of Python", "Traceback (most recent call last):\n  File \"a.py\", line 1", true},
		{"an exception of Python", "ValueError: bad", true},
		{"a panic of Go", "panic: runtime error: index out of range\n\ngoroutine 1 [running]:", true},
		{"a goroutine", "goroutine 17 [select]:", true},
		{"a trace of Java", "\tat com.example.Main.run(Main.java:10)", true},
		{"an exception of Java", "java.lang.IllegalStateException: no", true},
		{"the thread of Java", `Exception in thread "main" x`, true},
		{"a trace of Node", "    at Object.<anonymous> (/a/b.js:1:7)", true},
		{"an error of Node", "Uncaught TypeError: x is not a function", true},
		{"a panic of Rust", "thread 'main' panicked at src/main.rs:2:5:", true},
		{"an error of Rust", "error[E0382]: borrow of moved value", true},
		{"an error of gcc", "main.c:3:5: error: expected ';'", true},
		{"an error of TypeScript", "src/a.ts(3,5): error TS2322: Type", true},
		{"an error of the Go compiler", "./main.go:12:5: undefined: x", true},
		{"a failed test of Go", "--- FAIL: TestX (0.00s)", true},
		{"a failed test of pytest", "E   assert 1 == 2", true},
		{"a failed test of TAP", "not ok 3 - parses", true},
		{"a log", "2026-01-02 10:00:00 ERROR db gone", true},
		{"a log of key and value", "time=1 level=error msg=x", true},
		{"git", "fatal: not a git repository", true},
		{"npm", "npm ERR! code ENOENT", true},
		{"a shell", "bash: foo: command not found", true},
		{"a missing file", "cat: x: No such file or directory", true},
		{"a Japanese error", "エラー: ファイルがありません", true},
		{"a Japanese failure", "処理に失敗しました。", true},
	} {
		got := failed(false, []string{tc.text})
		if got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
	if !failed(true, nil) {
		t.Error("a result that is marked as an error is not taken for one")
	}
}

// Each byte is looked at a bounded number of times, whatever the text is.
func BenchmarkFailed(b *testing.B) {
	for name, unit := range map[string]string{
		"code": "	return fmt.Errorf(\"read %s: %w\", name, err)\n", "exits": "exit ", "colons": "a:1:", "blank": "\n", "words": "code ", "signs": "code：：：：", "errors": "error ",
	} {
		for _, size := range []int{1 << 16, 1 << 20} {
			texts := []string{strings.Repeat(unit, size/len(unit))}
			b.Run(name+"/"+byteSize(size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					failed(false, texts)
				}
			})
		}
	}
}

func byteSize(n int) string {
	if n >= 1<<20 {
		return "1MiB"
	}
	return "64KiB"
}
