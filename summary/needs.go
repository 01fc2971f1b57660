package summary

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/passage"
)

// Bounds of what [Required] returns.
const (
	maxNeeds          = 20
	maxNeedBytes      = 160
	maxConstraintNeed = 8
	maxCarriedNeed    = 4
	maxTaskNeed       = 5
	maxFileNeed       = 5
	maxErrorNeed      = 2
)

// Required lists what the next summary must name: the rules that the previous one
// carries, and what the old part needs. The list is short.
func Required(c plimsoll.Conversation, old plimsoll.Span, previous Summary) []string {
	return append(rules(previous), needs(c, old)...)
}

// needs lists what a summary of the old part must name: the user's rules, open steps,
// names in the last error, and edited files. It takes names from the texts of tools, and
// nothing else.
func needs(c plimsoll.Conversation, old plimsoll.Span) []string {
	calls := callsOf(c, old)
	n := shortList{seen: map[string]bool{}}
	given := constraints(saidByUser(c, old))
	for _, s := range given[max(0, len(given)-maxConstraintNeed):] {
		n.add(s.text)
	}
	for i, item := range openSteps(lastPlan(c, old, calls)) {
		if i < maxTaskNeed {
			n.add(item.text)
		}
	}
	for _, name := range lastErrorNames(calls) {
		n.add(name)
	}
	for _, path := range editedPaths(calls, maxFileNeed) {
		n.add(path)
	}
	return n.all
}

// rules lists the rules that an earlier summary carries, oldest first. The messages in
// which the user gave them may be gone. It takes nothing from what tools said.
func rules(earlier Summary) []string {
	n := shortList{seen: map[string]bool{}}
	for line := range strings.SplitSeq(withoutTag(earlier.Retain+"\n"+earlier.Text, fenceTag), "\n") {
		rule := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "- "), userSaid)
		if len(n.all) < maxCarriedNeed && !strings.HasPrefix(rule, "<") && passage.IsRule(rule) {
			n.add(rule)
		}
	}
	return n.all
}

// shortList holds short texts, each once.
type shortList struct {
	all  []string
	seen map[string]bool
}

func (n *shortList) add(text string) {
	text = strings.TrimSuffix(clip(oneLine(text), maxNeedBytes), "…")
	if text != "" && !n.seen[text] && len(n.all) < maxNeeds {
		n.seen[text] = true
		n.all = append(n.all, text)
	}
}

// constraints returns the sentences of the user that constrain, oldest first, each
// once.
func constraints(texts []said) []said {
	var rules []said
	seen := map[string]bool{}
	for _, t := range texts {
		for _, s := range sentences(t.text) {
			if s = oneLine(s); passage.IsRule(s) && !seen[s] {
				seen[s] = true
				rules = append(rules, said{t.message, s})
			}
		}
	}
	return rules
}

// lastPlan returns the newest plan of a tool for plans. If there is none, it reads check
// boxes or numbered steps that the assistant wrote itself.
func lastPlan(c plimsoll.Conversation, old plimsoll.Span, calls []call) []planItem {
	for i := len(calls) - 1; i >= 0; i-- {
		if len(calls[i].plan) > 0 {
			return calls[i].plan
		}
	}
	texts := saidByAgent(c, old)
	for i := len(texts) - 1; i >= 0; i-- {
		if plan := planLines(texts[i].text, speaksOfPlan(texts[i].text)); len(plan) > 0 {
			return withoutEchoes(c, old, plan, func(p planItem) string { return p.text })
		}
	}
	return nil
}

// openSteps returns what is being done, then what is still to do.
func openSteps(plan []planItem) []planItem {
	var open []planItem
	for _, want := range [...]planState{stepDoing, stepTodo} {
		for _, item := range plan {
			if item.state == want {
				open = append(open, item)
			}
		}
	}
	return open
}

// lastErrorNames returns the names in the error of the newest failed call. It takes bare
// names only: the text of the error is the tool's.
func lastErrorNames(calls []call) []string {
	for i := len(calls) - 1; i >= 0; i-- {
		if !calls[i].failed {
			continue
		}
		var found []string
		for _, line := range calls[i].problem {
			eachAtom(line, func(a atom) {
				if len(found) < maxErrorNeed {
					found = append(found, a.text)
				}
			})
		}
		return found
	}
	return nil
}

// editedPaths returns the files that were changed last, newest first.
func editedPaths(calls []call, n int) []string {
	var paths []string
	seen := map[string]bool{}
	for i := len(calls) - 1; i >= 0 && len(paths) < n; i-- {
		for _, f := range calls[i].files {
			a := nameOfPath(f.path)
			path := a.lead + a.text
			if (f.action == editedFile || f.action == wroteFile) && isName(path) && !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}
