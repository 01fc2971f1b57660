package summary

import (
	"strings"

	"github.com/plimsoll/plimsoll"
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
		if len(n.all) < maxCarriedNeed && !strings.HasPrefix(rule, "<") && isRule(rule) {
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

// ruleWords mark a sentence that constrains what may be done.
var ruleWords = [...]string{
	"must", "never", "only", "don't", "don’t", "do not", "always", "should not", "shouldn't", "may not", "avoid", "make sure", "ensure", "required", "forbidden", "without", "no longer", "at most", "at least", "keep",
}

var ruleWordsJapanese = [...]string{
	"必ず", "絶対", "禁止", "厳禁", "不可", "のみ", "だけ", "ないで", "ないこと", "てはいけ", "てはなら", "ではいけ", "ではなら", "ちゃだめ", "避け", "以内", "以下", "以上", "必須", "使わず", "変えず", "せずに", "ままに",
}

// isRule reports whether a sentence of the user is a rule. Questions and headings are
// not, and a long one is pasted text.
func isRule(sentence string) bool {
	for _, ending := range [...]string{"?", "？", ":", "：", ":**"} {
		if strings.HasSuffix(sentence, ending) {
			return false
		}
	}
	return len(sentence) >= minRule && len(sentence) <= maxRule && constrains(sentence)
}

func constrains(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, w := range ruleWords {
		if containsWord(lower, w) {
			return true
		}
	}
	for _, w := range ruleWordsJapanese {
		if strings.Contains(sentence, w) {
			return true
		}
	}
	return false
}

// containsWord looks for words with no letter before or after them.
func containsWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || classOf[text[start-1]]&wordByte == 0) && (end == len(text) || classOf[text[end]]&wordByte == 0) {
			return true
		}
		from = end
	}
}

// Bounds of a rule in bytes.
const (
	minRule = 8
	maxRule = 400
)

// constraints returns the sentences of the user that constrain, oldest first, each
// once.
func constraints(texts []said) []said {
	var rules []said
	seen := map[string]bool{}
	for _, t := range texts {
		for _, s := range sentences(t.text) {
			if s = oneLine(s); isRule(s) && !seen[s] {
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
