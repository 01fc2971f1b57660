package summary

import (
	"slices"
	"strings"
)

// line is one item of a section.
type line struct {
	section string
	text    string
	fence   fenced // instead of text
	// place is its position among the lines of its section.
	place int
}

// rulesSection is the section of the user's rules. The format says where it is written.
const rulesSection = "rules"

// shares are the parts of the budget, in per cent, that sections get first. All sections
// share the rest, a line at a time.
var shares = [...]struct {
	section string
	percent int
}{
	{rulesSection, 20},
	{goalSection, 15},
	{planSection, 15},
	{knowledgeSection, 20},
	{actionsSection, 15},
	{filesSection, 15},
}

// within writes as much of the digest as the budget allows. It reports false if the
// tags and one line do not fit.
func (d *digest) within(f Format, budget int, count func(string) int) (Summary, bool) {
	queues := d.queues()
	left := budget - count(render(f, nil).whole())
	if left <= 0 {
		return Summary{}, false
	}
	cost := func(l line) int { return count("- " + l.text + fenceText(l.fence) + "\n") }
	var taken []line
	for _, s := range shares {
		share := left * s.percent / 100
		queues[s.section], taken = take(queues[s.section], taken, &share, cost)
	}
	spent := 0
	for _, l := range taken {
		spent += cost(l)
	}
	left -= spent
	for more := true; more; {
		more = false
		for _, s := range shares {
			queue := queues[s.section]
			for len(queue) > 0 && cost(queue[0]) > left {
				queue = queue[1:]
			}
			if len(queue) > 0 {
				left -= cost(queue[0])
				taken, queue, more = append(taken, queue[0]), queue[1:], true
			}
			queues[s.section] = queue
		}
	}
	if len(taken) == 0 {
		taken = shortest(d.goal, left, cost)
	}
	for len(taken) > 0 {
		if s := render(f, taken); count(s.whole()) <= budget {
			return Summary{Retain: s.retain, Text: s.text}, true
		}
		taken = taken[:len(taken)-1]
	}
	return Summary{}, false
}

// take moves lines that fit from a queue to what is taken.
func take(queue, taken []line, left *int, cost func(line) int) (rest, all []line) {
	for _, l := range queue {
		if c := cost(l); c <= *left {
			*left -= c
			taken = append(taken, l)
		} else {
			rest = append(rest, l)
		}
	}
	return rest, taken
}

// shortest cuts the goal until it fits, for budgets in which no whole line does.
func shortest(goal []string, left int, cost func(line) int) []line {
	if len(goal) == 0 {
		return nil
	}
	for n := len(goal[0]) / 2; n >= minSentence; n /= 2 {
		if l := (line{section: goalSection, text: escape(clip(goal[0], n))}); cost(l) <= left {
			return []line{l}
		}
	}
	return nil
}

// queues returns the lines of each section, the most important first.
func (d *digest) queues() map[string][]line {
	q := map[string][]line{}
	for i, text := range d.goal {
		q[goalSection] = append(q[goalSection], line{text: text, place: i})
	}
	q[rulesSection] = bothEnds(d.rules)
	for i, text := range d.required {
		q[knowledgeSection] = append(q[knowledgeSection], line{text: stillToMention + text, place: len(d.knowledge) + i})
	}
	q[knowledgeSection] = append(q[knowledgeSection], bothEnds(d.knowledge)...)
	for i := range q[rulesSection] { // rules stand before what is known
		q[rulesSection][i].place -= len(d.rules)
	}
	q[filesSection] = d.fileLines()
	q[planSection] = d.planLines()
	q[actionsSection] = d.actionLines()
	for section, lines := range q {
		for i := range lines {
			lines[i].section = section
			lines[i].text = escape(oneLine(lines[i].text))
		}
	}
	return q
}

// bothEnds orders texts by importance: the first and the last, then those between. So the
// oldest texts survive, however many follow.
func bothEnds(texts []string) []line {
	var lines []line
	for i, j := 0, len(texts)-1; i <= j; i, j = i+1, j-1 {
		lines = append(lines, line{text: texts[i], place: i})
		if i < j {
			lines = append(lines, line{text: texts[j], place: j})
		}
	}
	return lines
}

// actionLines returns the last errors and commands in turn, newest first.
func (d *digest) actionLines() []line {
	var lines []line
	for i := 1; i <= max(len(d.errors), len(d.actions)); i++ {
		if i <= len(d.errors) {
			at := len(d.errors) - i
			lines = append(lines, line{fence: d.errors[at], place: at})
		}
		if i <= len(d.actions) {
			at := len(d.actions) - i
			lines = append(lines, line{text: d.actions[at], place: at})
		}
	}
	return lines
}

// planLines returns open steps first, then finished steps from the last to the first.
func (d *digest) planLines() []line {
	var open, done []line
	for i, item := range d.plan {
		l := line{text: item.state.String() + " " + clip(item.text, maxStepBytes), place: i}
		if item.state == stepDone {
			done = append([]line{l}, done...)
		} else {
			open = append(open, l)
		}
	}
	lines := append(open, done...)
	for i, note := range d.planNotes {
		lines = append(lines, line{text: note, place: len(d.plan) + i})
	}
	return lines
}

// filesInLine is the most files that a line names.
const filesInLine = 10

// fileLines returns a line for each file that must be named. Then it returns lines for
// the other files of each folder, the folder with the newest change first.
func (d *digest) fileLines() []line {
	var lines []line
	var folders []string
	byFolder := map[string][]fileUse{}
	for _, f := range slices.Backward(d.files) {
		if d.whole[f.path] {
			lines = append(lines, line{text: f.path + ": " + f.action.String(), place: len(lines)})
			continue
		}
		folder := f.path[:strings.LastIndexByte(f.path, '/')+1]
		if byFolder[folder] == nil {
			folders = append(folders, folder)
		}
		byFolder[folder] = append(byFolder[folder], fileUse{f.path[len(folder):], f.action})
	}
	for _, folder := range folders {
		for files := range slices.Chunk(byFolder[folder], filesInLine) {
			lines = append(lines, line{text: folderLine(folder, files), place: len(lines)})
		}
	}
	for _, text := range d.otherFile {
		lines = append(lines, line{text: text, place: len(lines)})
	}
	return lines
}

// folderLine says what was done in a folder, such as "cmd/: edited a.go, b.go; read c.go".
func folderLine(folder string, files []fileUse) string {
	var groups []string
	for _, s := range ledgerSections {
		var names []string
		for _, f := range files {
			if f.action == s.action {
				names = append(names, f.path)
			}
		}
		if len(names) > 0 {
			groups = append(groups, s.action.String()+" "+strings.Join(names, ", "))
		}
	}
	if folder == "" {
		folder = "./"
	}
	return folder + ": " + strings.Join(groups, "; ")
}

func fenceText(f fenced) string {
	if f.text == "" {
		return ""
	}
	return fence(f.origin, f.text)
}
