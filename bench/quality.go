package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/quality"
	"github.com/plimsoll/plimsoll/bench/internal/report"
)

// qualityWord asks what is left of long chats, where other words are names of
// tokenizers. It needs data that is not beside the checkout, so it runs only if asked for.
const qualityWord = "quality"

// askedEvery n-th question of LoCoMo is also the newest message of a request.
const askedEvery = 4

func (o *options) wantsQuality() bool {
	return slices.Contains(strings.Split(o.only, ","), qualityWord)
}

// quality measures what is left of long chats.
func (o *options) quality(dir string) error {
	result, err := quality.Measure(quality.Options{LoCoMo: o.locomo, Shared: o.shared, Every: askedEvery, Log: os.Stderr})
	if err != nil {
		return fmt.Errorf("quality: NOT MEASURED: %w", err)
	}
	markdown := report.Quality(result)
	fmt.Print(markdown)
	if o.json != "" {
		keep := o.wantsTokenizers() || o.wantsFit() || o.wantsStore() || o.wantsSurvival() || o.wantsHouse()
		if err := addJSON(o.json, keep, qualityWord, result); err != nil {
			return err
		}
	}
	if o.updateDocs {
		return report.UpdateQuality(filepath.Join(dir, "..", "docs", "quality.md"), markdown)
	}
	return nil
}
