package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// Bounds of a digest, beside its budget.
const (
	maxGoalBytes    = 600
	maxLatestBytes  = 400
	maxStepBytes    = 200
	maxRules        = 60
	maxKnowledge    = 60
	newKnowledge    = 14
	maxFiles        = 80
	maxPath         = 240
	maxActions      = 12
	maxErrors       = 4
	minSentence     = 20
	maxSentence     = 300
	latestRequest   = "Latest request: "
	userSaid        = "User: "
	stillToMention  = "Also: "
	narrationWeight = 0.3
	decisionWeight  = 2
)

// digest is everything that a summary could say with an unlimited budget. Lists are in
// the order of the conversation. All texts are single lines.
type digest struct {
	goal      []string
	rules     []string // what the user said
	required  []string
	knowledge []string // what the assistant said
	files     []fileUse
	whole     map[string]bool // files that are shown with their whole path
	otherFile []string        // what an earlier summary says of files, in words
	actions   []string
	errors    []fenced
	plan      []planItem
	planNotes []string // what an earlier summary says of plans, in words
}

// newDigest reads the old part.
func newDigest(c plimsoll.Conversation, old plimsoll.Span) *digest {
	d := &digest{}
	calls := callsOf(c, old)
	user := saidByUser(c, old)
	d.readGoal(user)
	for _, rule := range constraints(user) {
		d.rules = append(d.rules, escape(rule.text))
	}
	d.rules = ends(d.rules, maxRules)
	d.readKnowledge(c, old)
	for _, k := range calls {
		for _, f := range k.files {
			d.files = withFile(d.files, f)
		}
		d.readAction(k)
	}
	d.plan = lastPlan(c, old, calls)
	return d
}

// readGoal takes the beginnings of the user's first and last request.
func (d *digest) readGoal(user []said) {
	if len(user) == 0 {
		return
	}
	d.goal = append(d.goal, escape(opening(user[0].text, maxGoalBytes)))
	if last := user[len(user)-1]; len(user) > 1 {
		d.goal = append(d.goal, latestRequest+escape(opening(last.text, maxLatestBytes)))
	}
}

// opening returns as many of the first sentences of a text as fit, or the beginning of
// the first sentence.
func opening(text string, n int) string {
	var b strings.Builder
	for _, s := range sentences(text) {
		s = oneLine(s)
		if b.Len() > 0 && b.Len()+1+len(s) > n {
			break
		}
		if last, _ := utf8.DecodeLastRuneInString(b.String()); b.Len() > 0 && last < utf8.RuneSelf {
			b.WriteByte(' ')
		}
		b.WriteString(clip(s, n))
	}
	if b.Len() == 0 {
		return clip(oneLine(text), n)
	}
	return b.String()
}

// readKnowledge takes the assistant's sentences with the most content. Decisions and
// findings come before others.
func (d *digest) readKnowledge(c plimsoll.Conversation, old plimsoll.Span) {
	var all []candidate
	for _, t := range saidByAgent(c, old) {
		for _, s := range sentences(t.text) {
			if s = oneLine(s); len(s) < minSentence || len(s) > maxSentence || strings.HasSuffix(s, ":") || isMarked(s) {
				continue
			}
			all = append(all, candidate{text: s, order: len(all), weight: weightOf(s)})
		}
	}
	for i := range all { // what was said later is more likely to hold
		all[i].weight *= 1 + 0.5*float64(i)/float64(len(all))
	}
	best := withoutEchoes(c, old, rankSentences(all, 2*newKnowledge), func(c candidate) string { return c.text })
	best = best[:min(len(best), newKnowledge)]
	slices.SortFunc(best, func(a, b candidate) int { return a.order - b.order })
	for _, s := range best {
		d.knowledge = append(d.knowledge, escape(s.text))
	}
}

// isMarked reports whether a sentence begins like a line that the assistant did not
// write.
func isMarked(s string) bool {
	return strings.HasPrefix(s, userSaid) || strings.HasPrefix(s, stillToMention)
}

func (d *digest) readAction(k call) {
	origin := k.name
	if k.action == ranCommand && k.command != "" {
		shape := commandShape(k.command)
		ended := "ok"
		switch {
		case !k.answered:
			ended = "no result"
		case k.failed:
			ended = "failed"
		}
		d.actions = append(slices.DeleteFunc(d.actions, func(a string) bool { return strings.HasPrefix(a, "ran `"+shape+"`") }), "ran `"+shape+"`: "+ended)
		d.actions = d.actions[max(0, len(d.actions)-maxActions):]
		origin += ": " + shape
	}
	if k.failed && len(k.problem) > 0 {
		d.errors = withFence(d.errors, fenced{fenceOrigin(origin), tidy(escape(strings.Join(k.problem, "\n")))})
		d.errors = d.errors[max(0, len(d.errors)-maxErrors):]
	}
}

// fenceOrigin returns an origin that a fence shows unchanged.
func fenceOrigin(origin string) string {
	return clip(oneLine(strings.ReplaceAll(escape(origin), `"`, "'")), maxOrigin)
}

// withFile notes what was done to a file. The newest file is the last. Reading a file
// does not hide an earlier change.
func withFile(files []fileUse, f fileUse) []fileUse {
	a := nameOfPath(f.path)
	if f.path = strings.TrimPrefix(a.lead+a.text, "./"); !isBare(f.path) || len(f.path) > maxPath {
		return files
	}
	if i := slices.IndexFunc(files, func(known fileUse) bool { return known.path == f.path }); i >= 0 {
		if f.action == readFile && files[i].action != deletedFile {
			f.action = files[i].action
		}
		files = slices.Delete(files, i, i+1)
	}
	files = append(files, f)
	return files[max(0, len(files)-maxFiles):]
}

// require adds the required texts that the digest does not name yet.
func (d *digest) require(required []string) {
	if len(required) == 0 {
		return
	}
	all, _ := d.within(Snapshot, 1<<30, func(string) int { return 0 })
	d.whole = map[string]bool{}
	for _, text := range required {
		text = escape(oneLine(text))
		switch {
		case text == "" || strings.Contains(all.Text, text):
		case slices.ContainsFunc(d.files, func(f fileUse) bool { return f.path == text }):
			d.whole[text] = true
		default:
			d.required = append(d.required, text)
		}
	}
}

func (d *digest) empty() bool {
	return len(d.goal)+len(d.rules)+len(d.required)+len(d.knowledge)+len(d.files)+len(d.otherFile)+
		len(d.actions)+len(d.errors)+len(d.plan)+len(d.planNotes) == 0
}

// weightOf returns the factor of a sentence of the assistant, beside the weight of its
// words.
func weightOf(s string) float64 {
	lower := strings.ToLower(s)
	for _, w := range [...]string{
		"decide", "decision", "because", "instead", "root cause", "the fix", "turns out", "found that", "the problem", "the issue", "chose", "so that", "means that", "in summary", "the bug", "implemented", "must ", "does not", "doesn't",
		"ことにし", "決め", "方針", "原因", "代わりに", "ため", "採用", "判明", "問題", "理由", "修正", "必要",
	} {
		if strings.Contains(lower, w) {
			return decisionWeight
		}
	}
	for _, w := range [...]string{"let me", "now let", "now i", "i'll", "i will", "let's", "first, let", "perfect", "great", "では", "次に", "まず"} {
		if strings.HasPrefix(lower, w) {
			return narrationWeight
		}
	}
	return 1
}
