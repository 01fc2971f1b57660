package summary

import (
	"maps"
	"slices"
	"strings"
)

// planState is the state of a step of a plan.
type planState uint8

const (
	stepTodo planState = iota
	stepDoing
	stepDone
)

// String is the mark of it in a summary.
func (s planState) String() string { return [...]string{"[TODO]", "[IN PROGRESS]", "[DONE]"}[s] }

type planItem struct {
	text  string
	state planState
}

// maxPlan is the most steps that are read of one plan.
const maxPlan = 60

// planOf reads the steps in the arguments of a tool for plans. Steps are texts, or
// objects with a text and a status.
func planOf(args map[string]any) []planItem {
	keys := slices.Sorted(maps.Keys(args))
	for _, key := range keys {
		list, ok := args[key].([]any)
		if !ok {
			continue
		}
		var items []planItem
		for _, entry := range list {
			if item, ok := planEntry(entry); ok && len(items) < maxPlan {
				items = append(items, item)
			}
		}
		if len(items) > 0 {
			return items
		}
	}
	for _, key := range keys {
		if text, ok := args[key].(string); ok {
			if items := planLines(text, true); len(items) > 0 {
				return items
			}
		}
	}
	return nil
}

func planEntry(entry any) (planItem, bool) {
	switch v := entry.(type) {
	case string:
		return planItem{text: oneLine(v)}, strings.TrimSpace(v) != ""
	case map[string]any:
		item := planItem{}
		for _, key := range [...]string{"content", "step", "text", "title", "task", "description", "name"} {
			if s, ok := v[key].(string); ok && strings.TrimSpace(s) != "" {
				item.text = oneLine(s)
				break
			}
		}
		for _, key := range [...]string{"status", "state"} {
			if s, ok := v[key].(string); ok {
				item.state = stateOf(s)
			}
		}
		if done, ok := v["done"].(bool); ok && done {
			item.state = stepDone
		}
		return item, item.text != ""
	}
	return planItem{}, false
}

func stateOf(word string) planState {
	word = strings.ToLower(word)
	switch {
	case strings.Contains(word, "progress"), strings.Contains(word, "doing"), word == "active", word == "started":
		return stepDoing
	case strings.Contains(word, "complete"), strings.Contains(word, "done"), word == "finished", word == "cancelled":
		return stepDone
	}
	return stepTodo
}

// planLines reads check boxes. If there are none and the caller wants it, it reads
// numbered lines, at least two.
func planLines(text string, numbers bool) []planItem {
	var boxes, numbered []planItem
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if item, ok := checkBox(line); ok {
			boxes = append(boxes, item)
		} else if step, ok := numberedLine(line); ok {
			numbered = append(numbered, planItem{text: step})
		}
		if len(boxes) == maxPlan || len(numbered) == maxPlan {
			break
		}
	}
	switch {
	case len(boxes) > 0:
		return boxes
	case numbers && len(numbered) > 1:
		return numbered
	}
	return nil
}

func checkBox(line string) (planItem, bool) {
	line = strings.TrimLeft(line, "-*+ ")
	for _, box := range [...]struct {
		mark  string
		state planState
	}{
		{"[ ]", stepTodo},
		{"[x]", stepDone},
		{"[X]", stepDone},
		{"[~]", stepDoing},
		{"[-]", stepDoing},
		{"[TODO]", stepTodo},
		{"[DONE]", stepDone},
		{"[IN PROGRESS]", stepDoing},
	} {
		if rest, ok := strings.CutPrefix(line, box.mark); ok && strings.TrimSpace(rest) != "" {
			return planItem{oneLine(rest), box.state}, true
		}
	}
	return planItem{}, false
}

// numberedLine reads "3. text" and "3) text".
func numberedLine(line string) (string, bool) {
	digits := 0
	for digits < len(line) && digits < 3 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits+1 >= len(line) || (line[digits] != '.' && line[digits] != ')') || line[digits+1] != ' ' {
		return "", false
	}
	rest := oneLine(line[digits+1:])
	return rest, rest != ""
}

// oneLine joins the words of a text by single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// speaksOfPlan reports whether a text introduces a list of steps.
func speaksOfPlan(text string) bool {
	lower := strings.ToLower(text)
	for _, word := range [...]string{"plan", "steps", "next", "todo", "remaining", "計画", "手順", "次に", "残り", "予定"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
