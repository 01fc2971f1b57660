package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/report"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// fitWord asks for the comparison of keepers, where other words are names of
// tokenizers.
const fitWord = "fit"

func (o *options) wantsFit() bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), fitWord)
}

func (o *options) wantsTokenizers() bool {
	parts := []string{fitWord, storeWord, survivalWord, proxyWord, proxyLeakWord, houseWord, qualityWord, billsWord}
	return slices.ContainsFunc(strings.Split(o.only, ","), func(w string) bool { return !slices.Contains(parts, w) })
}

// waits measures how long a first sight takes by the clock.
func (o *options) waits(dir string, all []texts.Text) ([]fit.Waiting, error) {
	code, err := o.codeFile(all)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "fit: waits")
	return fit.Waits(peers.Keeper(peers.Options{Dir: dir, Cache: o.cache, Log: os.Stderr}), code)
}

// fit compares how conversations are made to fit.
func (o *options) fit(dir string, all []texts.Text, waits []fit.Waiting) error {
	setup := peers.Options{Dir: dir, Cache: o.cache, Log: os.Stderr}
	ours, theirs := peers.Keeper(setup), peers.Trimmers(setup)
	code, err := o.codeFile(all)
	if err != nil {
		return err
	}
	machine := measure.Here(pin())
	result, err := fit.Run(fit.Options{
		Ours: ours, Theirs: theirs, Shared: o.shared, Text: code, Waits: waits, Limit: 5 * time.Second, Log: os.Stderr,
	})
	if err != nil {
		return err
	}
	machine.Done()
	return o.publishFit(dir, result, machine)
}

// codeFile writes the text that tool results are cut out of.
func (o *options) codeFile(all []texts.Text) (string, error) {
	i := slices.IndexFunc(all, func(t texts.Text) bool { return t.Name == "code" })
	if i < 0 {
		return "", errors.New("no text of code")
	}
	file := filepath.Join(o.cache, "code.txt")
	return file, os.WriteFile(file, []byte(all[i].Data), 0o644)
}

func (o *options) publishFit(dir string, result *fit.Result, m measure.Machine) error {
	markdown := report.Fit(result, m)
	fmt.Print(markdown)
	if o.json != "" {
		if err := addJSON(o.json, o.wantsTokenizers(), fitWord, struct {
			Machine measure.Machine `json:"machine"`
			*fit.Result
			Goals []report.Goal `json:"goals"`
		}{m, result, report.FitGoals(result)}); err != nil {
			return err
		}
	}
	if o.updateDocs {
		return report.UpdateFit(filepath.Join(dir, "..", "docs", "benchmarks.md"), markdown)
	}
	return nil
}

// addJSON writes the result of a part beside what is already in the file.
func addJSON(file string, keep bool, part string, result any) error {
	all := map[string]any{}
	if data, err := os.ReadFile(file); keep && err == nil {
		if err := json.Unmarshal(data, &all); err != nil {
			return err
		}
	} else if keep && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all[part] = result
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
