package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/house"
	"github.com/plimsoll/plimsoll/bench/internal/report"
)

// houseWord asks how much a reader must hold in the head, where other words are names
// of tokenizers.
const houseWord = "house"

func (o *options) wantsHouse() bool {
	return slices.Contains(strings.Split(o.only, ","), houseWord)
}

// house counts what one request runs through, and what is public.
func (o *options) house(dir string) error {
	figures, err := house.Measure(house.Options{Root: filepath.Dir(dir), Bench: dir, Log: os.Stderr})
	if err != nil {
		return err
	}
	fmt.Print(report.House(figures))
	if o.json != "" {
		keep := o.wantsTokenizers() || o.wantsFit() || o.wantsStore() || o.wantsSurvival()
		return addJSON(o.json, keep, houseWord, figures)
	}
	return nil
}
