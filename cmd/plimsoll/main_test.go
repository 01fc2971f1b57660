package main

import (
	"flag"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts and documents run plimsoll without building it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"plimsoll": main, "talker": talker})
}

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestScripts runs testdata/script. Beside testscript's own commands there are
// "exits STATUS COMMAND …", which demands an exact exit status, "refof FILE NAME
// [RUNG]", which sets a variable to the first reference in a file or of a rung, "session DIALECT ROUNDS
// FILE", which writes a request of an agent at work, "chat DIALECT|lines LANGUAGE TURNS
// FILE", which writes what people say, "samejson FILE FILE",
// "samehead FILE FILE BYTES", and "model NAME [WORDS [WINDOW]]", which sets a variable to
// the address of a scripted model, which answers in so many words and has such a window.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("GORACE", noSleep)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "refof": refOf, "session": writeSession, "chat": writeTalk, "samejson": sameJSON, "samehead": sameHead, "model": serveModel,
		},
	})
}

// noSleep keeps programs with the race detector from waiting a second at their
// end, for which there is no reason without goroutines.
const noSleep = "atexit_sleep_ms=0"

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func refOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: refof FILE NAME [RUNG]")
	}
	pattern := `"(?:id":|refs":\[)"([0-9a-z]+)"`
	if len(args) == 3 {
		pattern = `"rung":"` + args[2] + `"[^{}]*"ref":\{"id":"([0-9a-z]+)"`
	}
	id := regexp.MustCompile(pattern).FindStringSubmatch(ts.ReadFile(args[0]))
	if id == nil {
		ts.Fatalf("%s has no reference", args[0])
	}
	ts.Setenv(args[1], id[1])
}
