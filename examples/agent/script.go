package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// explore is a script that looks at a directory for a number of rounds: it lists what
// it finds, reads it, searches for the functions that it saw, and in the end says how
// much that was. It is no model, but its window fills as a model's does.
func explore(rounds int) scripted.Script {
	e := &explorer{rounds: rounds, seen: map[string]bool{}}
	return e.next
}

type explorer struct {
	mu           sync.Mutex
	rounds, done int
	seen         map[string]bool
	dirs, files  []string
	names        []string
	read         []string
}

var (
	listed   = regexp.MustCompile(`(?m)^[\w./-]+$`)
	declared = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w{6,})\(`)
)

// next looks at the newest results and decides what to do.
func (e *explorer) next(c *scripted.Call) (scripted.Step, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.End() == scripted.EndSummary {
		return scripted.Step{}, false
	}
	for _, r := range c.Results() {
		e.learn(r.Name, plimsoll.TextOf(r.Content))
	}
	e.done++
	if e.done == 1 {
		return use("I look around.", "list_files", arguments{Path: "."}), true
	}
	step, ok := e.look()
	if !ok || e.done > e.rounds {
		return scripted.Say(e.answer()), true
	}
	return step, true
}

// learn notes what a result shows. Results may have been shortened on their way.
func (e *explorer) learn(tool, text string) {
	switch tool {
	case "list_files":
		for _, name := range listed.FindAllString(text, -1) {
			if e.seen[name] || strings.HasPrefix(name, ".") {
				continue
			}
			e.seen[name] = true
			if strings.HasSuffix(name, "/") {
				e.dirs = append(e.dirs, name)
			} else {
				e.files = append(e.files, name)
			}
		}
	case "read_file":
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			if !e.seen[m[1]] {
				e.seen[m[1]] = true
				e.names = append(e.names, m[1])
			}
		}
	}
}

// look returns the next thing to look at.
func (e *explorer) look() (scripted.Step, bool) {
	switch {
	case e.done%7 == 0 && len(e.names) > 0:
		return use("Who calls this?", "grep", arguments{Pattern: `\b` + take(&e.names) + `\(`}), true
	case e.done%11 == 0 && len(e.read) > 0:
		return use("How long is it?", "run", arguments{Command: "wc -l '" + e.read[len(e.read)-1] + "'"}), true
	case len(e.dirs) > 0 && (e.done%3 == 0 || len(e.files) == 0):
		return use("", "list_files", arguments{Path: take(&e.dirs)}), true
	case len(e.files) > 1 && e.done%4 == 0:
		first, second := take(&e.files), take(&e.files)
		e.read = append(e.read, first, second)
		step := use("Two at once.", "read_file", arguments{Path: first})
		step.Calls = append(step.Calls, use("", "read_file", arguments{Path: second}).Calls...)
		return step, true
	case len(e.files) > 0:
		name := take(&e.files)
		e.read = append(e.read, name)
		return use("", "read_file", arguments{Path: name}), true
	}
	return scripted.Step{}, false
}

func (e *explorer) answer() string {
	return fmt.Sprintf("I looked at %d files in %d rounds; the last was %s.", len(e.read), e.done-1, strings.Join(e.read[max(0, len(e.read)-1):], ""))
}

func take(list *[]string) string {
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

// use is a step that says something and calls a tool.
func use(text, tool string, a arguments) scripted.Step {
	all, err := json.Marshal(a)
	if err != nil {
		panic(err) // the script's own struct
	}
	step := scripted.Use(tool, string(all))
	step.Text = text
	return step
}
