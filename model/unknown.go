package model

import (
	"cmp"
	"slices"
	"strings"
)

const unknownHint = "load a fuller list (`plimsoll models --from FILE|URL`, `models: FILE|URL` in the configuration) or set the model's limit there yourself"

// Nearest returns known names that are written like an unknown one, best first; often none.
func (r *Registry) Nearest(name string) []string { return r.nearest(foldName(name), 3) }

// nearest gives up to most names that differ from the last segment of name by
// few letters.
func (r *Registry) nearest(name string, most int) []string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" || len(name) > maxName {
		return nil
	}
	type near struct {
		name string
		far  int
	}
	reach := max(2, len(name)/3)
	var found []near
	for _, candidate := range r.names {
		if d := distance(name, candidate, reach); d <= reach {
			found = append(found, near{candidate, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var out []string
	for _, n := range found[:min(most, len(found))] {
		out = append(out, n.name)
	}
	return out
}

// distance is the number of single-byte edits from a to b, or limit+1 as soon as
// it must be more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, best := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			edit := diagonal
			if a[i] != b[j] {
				edit = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], edit
			best = min(best, edit)
		}
		if best > limit {
			return limit + 1
		}
	}
	return min(row[len(b)], limit+1)
}
