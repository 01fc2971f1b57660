package storage

import (
	"os/exec"
	"testing"
	"time"
)

func TestAPipelineCountsLinesAndTheTimeOfBoth(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"printf", "grep"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT CHECKED: %v", err)
		}
	}
	took, lines, err := pipeline(exec.Command("printf", `a\nb\nab\n`), exec.Command("grep", "-F", "a"))
	if err != nil || lines != 2 || took.Wall <= 0 {
		t.Errorf("got %d lines, %+v, %v; want 2", lines, took, err)
	}
	if _, _, err := pipeline(exec.Command("printf", "a"), exec.Command("no-such-program")); err == nil {
		t.Error("no error without the second program")
	}
}

func TestTheBestOfEachTimeCounts(t *testing.T) {
	t.Parallel()
	first := better(Run{}, Run{Wall: 3, CPU: 2, Peak: 5})
	if got, want := better(first, Run{Wall: 2, CPU: 4, Peak: 4}), (Run{Wall: 2, CPU: 2, Peak: 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPairsTakeTheBestRoundOfEach(t *testing.T) {
	t.Parallel()
	p := Pairs{Outputs: 4, Bytes: 1e6, Rounds: []Round{
		{Store: Trip{Put: 3 * time.Second, Get: time.Second}, Files: Trip{Put: time.Second}},
		{Store: Trip{Put: time.Second, Get: time.Second}, Files: Trip{Put: 2 * time.Second}},
	}}
	store, files := p.Best()
	if store.Both() != 2*time.Second || files.Both() != time.Second || p.Rate(store.Both()) != 2 {
		t.Errorf("got %v, %v, %v MB/s", store, files, p.Rate(store.Both()))
	}
}
