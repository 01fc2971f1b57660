package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/bills"
)

// billsWord asks how near counts are to bills, where other words are names of tokenizers. It
// needs data that is not beside the checkout, so it runs only if asked for.
const billsWord = "bills"

func (o *options) wantsBills() bool { return slices.Contains(strings.Split(o.only, ","), billsWord) }

// bills extracts recordings if it has sources, and compares counts with all recorded bills.
func (o *options) bills() error {
	for source := range strings.FieldsFuncSeq(o.extract, func(r rune) bool { return r == ',' }) {
		n, err := bills.Extract(source, o.recordings)
		if err != nil {
			return fmt.Errorf("bills: extract %s: %w", source, err)
		}
		fmt.Fprintf(os.Stderr, "bills: %d recordings in %s\n", n, source)
	}
	rows, err := bills.Measure(o.recordings)
	if err != nil {
		return fmt.Errorf("bills: NOT MEASURED: %w", err)
	}
	fmt.Print("| before any bill | requests | exact | within 2 tokens | p95 | median | p95 | band holds |\n| --- |", strings.Repeat(" ---: |", 7), "\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r, n := rows[name], len(rows[name].Tokens)
		exact, _ := slices.BinarySearch(r.Tokens, 1)
		near, _ := slices.BinarySearch(r.Tokens, 3)
		percent := func(of int) float64 { return 100 * float64(of) / float64(n) }
		fmt.Printf("| %s | %d | %.1f %% | %.1f %% | %d tokens | %.1f %% | %.1f %% | %.1f %% |\n", name, n, percent(exact), percent(near),
			r.Tokens[n*95/100], 100*r.Shares[n/2], 100*r.Shares[n*95/100], percent(r.Held))
	}
	if o.json != "" {
		return addJSON(o.json, o.only != billsWord, billsWord, rows)
	}
	return nil
}
