package summary

import (
	"slices"
	"strings"
)

// continueFrom adds an earlier summary to the digest. If both say something about the
// same thing, the newer wins. It reads summaries of Extract line by line, and takes the
// lines of other summaries unchanged.
func (d *digest) continueFrom(previous Summary) {
	if previous.Text == "" && previous.Retain == "" {
		return
	}
	old := readDigest(previous)
	d.goal = continueGoal(old.goal, d.goal)
	d.rules = ends(union(old.rules, d.rules), maxRules)
	d.knowledge = ends(union(old.knowledge, d.knowledge), maxKnowledge)
	d.otherFile = old.otherFile
	files := old.files
	for _, f := range d.files {
		files = withFile(files, f)
	}
	d.files = files
	d.actions = ends(union(old.actions, d.actions), maxActions)
	errors := old.errors
	for _, e := range d.errors {
		errors = withFence(errors, e)
	}
	d.errors = errors[max(0, len(errors)-maxErrors):]
	if len(d.plan) == 0 {
		d.plan, d.planNotes = old.plan, old.planNotes
	}
}

// continueGoal keeps the first goal. The newest request replaces the request that was
// newest before.
func continueGoal(old, now []string) []string {
	if len(old) == 0 || len(now) == 0 {
		return append(old, now...)
	}
	kept := slices.DeleteFunc(old, func(g string) bool { return strings.HasPrefix(g, latestRequest) })
	latest := strings.TrimPrefix(now[len(now)-1], latestRequest)
	if slices.Contains(kept, latest) {
		return kept
	}
	return append(kept, latestRequest+latest)
}

// union appends the texts that are not in the list yet.
func union(old, now []string) []string {
	all := slices.Clone(old)
	for _, text := range now {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// ends keeps the first half and the end of a list that is too long.
func ends(all []string, n int) []string {
	if len(all) <= n {
		return all
	}
	return slices.Concat(all[:n/2], all[len(all)-(n-n/2):])
}

// readDigest reads a summary in either format.
func readDigest(s Summary) *digest {
	d := &digest{rules: itemsOf(s.Retain)}
	bodies := map[string]body{}
	if _, ok := findTag(s.Text, snapshotTag, 0); ok {
		if parsed, err := parse(s.Text, Snapshot); err == nil {
			inside := strings.TrimPrefix(parsed.Text, "<"+snapshotTag+">")
			bodies, _ = readSnapshot(strings.TrimSuffix(inside, "</"+snapshotTag+">"))
		}
	} else {
		bodies = byHeadings(s.Text)
	}
	d.goal = itemsOf(bodies[goalSection].text)
	for _, text := range itemsOf(bodies[knowledgeSection].text) {
		rule, ok := strings.CutPrefix(text, userSaid)
		if ok && s.By == (Extract{}).Name() { // others may say so of anything
			d.rules = append(d.rules, rule)
		} else if !strings.HasPrefix(text, stillToMention) {
			d.knowledge = append(d.knowledge, text)
		}
	}
	for _, text := range slices.Backward(itemsOf(bodies[filesSection].text)) {
		if files := readFolder(text); len(files) > 0 {
			d.files = append(d.files, files...)
		} else {
			d.otherFile = append([]string{text}, d.otherFile...)
		}
	}
	d.actions = itemsOf(bodies[actionsSection].text)
	for _, section := range sections() {
		d.errors = append(d.errors, bodies[section].data...)
	}
	for _, text := range itemsOf(bodies[planSection].text) {
		if item, ok := checkBox(text); ok {
			d.plan = append(d.plan, item)
		} else {
			d.planNotes = append(d.planNotes, text)
		}
	}
	return d
}

// byHeadings reads a summary without tags. Text under no heading counts as knowledge.
func byHeadings(text string) map[string]body {
	all := body{text: text}.split()
	texts := map[string]*strings.Builder{}
	section := knowledgeSection
	for row := range strings.Lines(all.text) {
		if s, ok := headed(row); ok {
			section = s
			continue
		}
		if texts[section] == nil {
			texts[section] = &strings.Builder{}
		}
		texts[section].WriteString(row)
	}
	bodies := map[string]body{}
	for s, b := range texts {
		bodies[s] = body{text: b.String()}
	}
	actions := bodies[actionsSection]
	actions.data = all.data
	bodies[actionsSection] = actions
	return bodies
}

func headed(row string) (section string, ok bool) {
	row = strings.TrimSpace(row)
	for s, heading := range headings {
		if row == heading {
			return s, true
		}
	}
	return "", false
}

// itemsOf returns the lines of a section without bullets.
func itemsOf(text string) []string {
	var items []string
	for row := range strings.Lines(text) {
		if row = oneLine(strings.TrimPrefix(oneLine(escape(row)), "- ")); row != "" {
			items = append(items, row)
		}
	}
	return items
}

// actionCalled returns the action on files that a word of a summary names.
func actionCalled(word string) action {
	for _, s := range ledgerSections {
		if s.action != ranCommand && word == s.action.String() {
			return s.action
		}
	}
	return otherAction
}

// readFolder reads a line of fileLines, oldest file first.
func readFolder(text string) []fileUse {
	folder, rest, ok := strings.Cut(text, "/: ")
	if !ok {
		path, word, _ := strings.Cut(text, ": ")
		if done := actionCalled(word); done != otherAction && isBare(path) {
			return []fileUse{{path, done}}
		}
		return nil
	}
	if folder += "/"; folder == "./" {
		folder = ""
	}
	var files []fileUse
	for group := range strings.SplitSeq(rest, "; ") {
		word, names, _ := strings.Cut(group, " ")
		done := actionCalled(word)
		if done == otherAction {
			return nil
		}
		for name := range strings.SplitSeq(names, ", ") {
			if path := folder + name; isBare(path) {
				files = append(files, fileUse{path, done})
			}
		}
	}
	slices.Reverse(files)
	return files
}
