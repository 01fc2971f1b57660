package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/bar"
)

func TestTablesGiveUpWidthInOrder(t *testing.T) {
	t.Parallel()
	harbour := table{
		columns: []column{
			{title: "berth", floor: 6},
			{title: "ship", drop: 2},
			{title: "depth", right: true, least: 8, drop: 1},
			{title: "tons", right: true},
		},
		rows: [][]string{{"North Quay", "Ada", "8.9", "1,200"}, {"Pier", "Vega", "12.4", "80"}},
	}
	for _, tt := range []struct {
		name  string
		width int
		want  string
	}{
		{"everything where there is room", 33, "berth       ship     depth   tons\nNorth Quay  Ada        8.9  1,200\nPier        Vega      12.4     80"},
		{"texts are clipped first", 29, "berth   ship     depth   tons\nNorth~  Ada        8.9  1,200\nPier    Vega      12.4     80"},
		{"then numbers lose their spare room, for the texts", 28, "berth     ship  depth   tons\nNorth Q~  Ada     8.9  1,200\nPier      Vega   12.4     80"},
		{"then columns go, for the texts", 24, "berth       ship   tons\nNorth Quay  Ada   1,200\nPier        Vega     80"},
		{"and more of them", 17, "berth        tons\nNorth Quay  1,200\nPier           80"},
		{"and in the end the texts", 10, "be~   tons\nNo~  1,200\nPi~     80"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, strings.Join(harbour.lines(tt.width), "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestNoTableIsWiderThanItMayBe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z横]{0,12}`)
		number := rapid.StringMatching(`[0-9]{1,6}`)
		some := table{columns: []column{
			{title: "name", floor: rapid.IntRange(1, 9).Draw(t, "floor")},
			{title: "kind", drop: 1},
			{title: "n", right: true, least: rapid.IntRange(0, 9).Draw(t, "least")},
		}}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			some.rows = append(some.rows, []string{word.Draw(t, "name"), word.Draw(t, "kind"), number.Draw(t, "n")})
		}
		width := rapid.IntRange(10, 60).Draw(t, "width")
		for _, line := range some.lines(width) {
			if bar.Cells(line) > width {
				t.Fatalf("%q takes %d cells of %d", line, bar.Cells(line), width)
			}
		}
	})
}
