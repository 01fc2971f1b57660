package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/report"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

// storeWord asks for the figures of the store, where other words are names of
// tokenizers.
const storeWord = "store"

func (o *options) wantsStore() bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), storeWord)
}

// stored is what the store was found to do.
type stored struct {
	machine measure.Machine
	result  *storage.Result
}

// store measures the store. It comes first, because the others hold the programs
// that they start to one core, and pipelines need two.
func (o *options) store(dir string) (*stored, error) {
	setup := peers.Options{Dir: dir, Cache: o.cache, Log: os.Stderr}
	file, server := peers.Store(setup), peers.StoreServer(setup)
	for _, program := range []peers.Peer{file, server} {
		if program.Missing != "" {
			return nil, errors.New(program.Missing)
		}
	}
	root, err := goRoot()
	if err != nil {
		return nil, err
	}
	machine := measure.Here(false)
	result, err := storage.Measure(storage.Options{
		Program: file.Command.Args[0], Server: server.Command.Args[0], Source: filepath.Join(root, "src"), Scratch: o.cache, Log: os.Stderr,
	})
	machine.Done()
	return &stored{machine, result}, err
}

func (o *options) publishStore(dir string, s *stored) error {
	markdown := report.Store(s.result, s.machine)
	fmt.Print(markdown)
	if o.json != "" {
		if err := addJSON(o.json, o.wantsTokenizers() || o.wantsFit(), storeWord, struct {
			Machine measure.Machine `json:"machine"`
			*storage.Result
			Goals []report.Goal `json:"goals"`
		}{s.machine, s.result, report.StoreGoals(s.result)}); err != nil {
			return err
		}
	}
	if o.updateDocs {
		return report.UpdateStore(filepath.Join(dir, "..", "docs", "benchmarks.md"), markdown)
	}
	return nil
}
