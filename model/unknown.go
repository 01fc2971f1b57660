package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// UnknownModelError says that a registry does not know a name. It never carries
// a limit: a caller that needs one must add the model or choose a default openly.
type UnknownModelError struct {
	// Name is the name as it was asked for.
	Name string
	// Nearest are known names that are written alike, best first; often empty.
	Nearest []string
	// Hint says what to do.
	Hint string
}

const unknownHint = "load a fuller list (`plimsoll models --from FILE|URL`, `models: FILE|URL` in the configuration) or set the model's limit there yourself"

func (e *UnknownModelError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model: unknown model %q", clip(e.Name))
	if len(e.Nearest) > 0 {
		fmt.Fprintf(&b, " (nearest: %s)", strings.Join(e.Nearest, ", "))
	}
	fmt.Fprintf(&b, ": %s", e.Hint)
	return b.String()
}

// Unwrap makes the error a [plimsoll.ErrUnknownModel].
func (e *UnknownModelError) Unwrap() error { return plimsoll.ErrUnknownModel }

func (r *Registry) unknown(name string) *UnknownModelError {
	return &UnknownModelError{Name: name, Nearest: r.nearest(foldName(name), 3), Hint: unknownHint}
}

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
