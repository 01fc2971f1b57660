package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/report"
	"github.com/plimsoll/plimsoll/bench/internal/survival"
)

// survivalWord asks what compactions keep, where other words are names of tokenizers.
const survivalWord = "survival"

func (o *options) wantsSurvival() bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), survivalWord)
}

// survival measures what compactions keep. Without recorded sessions there is nothing
// to measure, which is an error only for those who asked for this part alone.
func (o *options) survival(dir string) error {
	machine := measure.Here(false)
	result, err := survival.Measure(o.shared)
	if errors.Is(err, fs.ErrNotExist) && o.only == "" {
		fmt.Fprintln(os.Stderr, "survival: NOT MEASURED:", err)
		return nil
	}
	if err != nil {
		return err
	}
	machine.Done()
	markdown := report.Survival(result, machine)
	fmt.Print(markdown)
	if o.json != "" {
		keep := o.wantsTokenizers() || o.wantsFit() || o.wantsStore()
		if err := addJSON(o.json, keep, survivalWord, struct {
			Machine measure.Machine `json:"machine"`
			*survival.Result
			Goals []report.Goal `json:"goals"`
		}{machine, result, report.SurvivalGoals(result)}); err != nil {
			return err
		}
	}
	if o.updateDocs {
		return report.UpdateSurvival(filepath.Join(dir, "..", "docs", "benchmarks.md"), markdown)
	}
	return nil
}
