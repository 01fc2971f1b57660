package job

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// Done is what the last answer of a job contains, Failed what it contains if the
// client did not bring what it was asked for.
const (
	Done   = "HARBOUR-JOB-DONE"
	Failed = "HARBOUR-JOB-FAILED"
)

// The tools that are offered once something was cut.
const (
	toolRead = "tool_output_cache"
	toolGrep = "tool_output_cache_grep"
)

const (
	// steps and lines are those of a job of which nobody says more.
	steps = 24
	lines = 96
	// most is how often all steps together may be asked for again.
	most = 12
	// rounds is how often the cache is searched at the end, for what stands in
	// something that was archived whole.
	rounds = 3
	// together is how many searches one answer has.
	together = 6
)

// Options configure a [Job].
type Options struct {
	// Steps is how many files are read; 0 means 24.
	Steps int
	// Lines of a file; 0 means so many that it has some 2,700 tokens. A line has 28.
	Lines int
}

// Job is the model's side of one client's work. It is safe for concurrent use.
type Job struct {
	dir   string
	steps int

	mu     sync.Mutex
	done   int
	again  int
	turns  int // of the script, for ids
	asked  plimsoll.ToolCall
	seen   map[string]bool // refs that were looked into
	rounds int

	hidden  int
	mixed   int
	offered bool
	context Set
	before  []string // refs that stood in it
	last    int      // the call that it was
	back    Set
	failed  []string
}

// New writes the files of a job into a directory.
func New(dir string, o *Options) (*Job, error) {
	j := &Job{dir: dir, steps: steps, seen: map[string]bool{}, back: Set{}}
	length := lines
	if o != nil {
		j.steps, length = cmp.Or(o.Steps, steps), cmp.Or(o.Lines, lines)
	}
	return j, writeFiles(dir, j.steps, length)
}

// Prompt is what the client is to be asked.
func (j *Job) Prompt() string {
	return fmt.Sprintf("HARBOUR-JOB: read the files %s to %s, one after the other, and say when you are done. Change nothing.",
		filepath.Join(j.dir, fileName(1)), filepath.Join(j.dir, fileName(j.steps)))
}

// Script answers as the model does. Requests without a tool that reads, for titles for
// instance, get a few words.
func (j *Job) Script(c *scripted.Call) (scripted.Step, bool) {
	if c.End() == scripted.EndSummary {
		return scripted.Step{}, false
	}
	read, canRead := find(c.Conversation.Tools, readers)
	shell, canRun := find(c.Conversation.Tools, shells)
	if !canRead && !canRun {
		return scripted.Say("Ships in the harbour"), true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turns++
	j.take(c)
	if j.done == j.steps {
		return j.finish(c), true
	}
	if j.again > most {
		return scripted.Say(Failed), true
	}
	tool := read
	if canRun && (!canRead || j.done%3 == 2) {
		tool = shell
	}
	return j.step(c, tool), true
}

// take reads the results at the end of a request.
func (j *Job) take(c *scripted.Call) {
	_, j.offered = find(c.Conversation.Tools, []string{toolRead})
	ours := 0
	for _, r := range c.Results() {
		text := plimsoll.TextOf(r.Content)
		switch {
		case r.Name == toolRead, r.Name == toolGrep:
			ours++
			if !strings.HasPrefix(text, "No matches") && len(Marks([]byte(text))) == 0 && !refs.MatchString(text) {
				j.failed = append(j.failed, fmt.Sprintf("%s answered %.200q", r.Name, text))
			}
			j.back.Add(Marks([]byte(text)))
		case j.asked.ID != "" && (r.CallID == j.asked.ID || strings.Contains(text, fmt.Sprintf("MARK-%03d-", j.done+1))):
			j.done++
			j.asked = plimsoll.ToolCall{}
		}
	}
	if ours > 0 {
		j.hidden++
	}
	if j.asked.ID != "" && ours == 0 {
		j.again++
	}
}

// refs finds references; mostly they stand in placeholders.
var refs = regexp.MustCompile(`\bref=([a-z0-9]{20,40})\b`)

// Refs returns the references in a text, each once.
func Refs(text []byte) []string {
	var found []string
	for _, m := range refs.FindAllSubmatch(text, -1) {
		if id := string(m[1]); !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}

// unseen returns references of a request that were not looked into.
func (j *Job) unseen(c *scripted.Call) []string {
	var found []string
	for _, id := range Refs(c.Request.Body()) {
		if !j.seen[id] && len(found) < together {
			j.seen[id] = true
			found = append(found, id)
		}
	}
	return found
}

// step asks for the next file. The first time that something was cut it asks for that
// alone, the second time together with the file.
func (j *Job) step(c *scripted.Call, tool hand) scripted.Step {
	text := fmt.Sprintf("Berth %d of %d is next.", j.done+1, j.steps)
	var calls []plimsoll.ToolCall
	if j.offered && j.mixed < 2 {
		if found := j.unseen(c); len(found) > 0 {
			calls = append(calls, j.named(c, search(found[0])))
			for _, id := range found[1:] {
				delete(j.seen, id)
			}
			if j.mixed++; j.mixed == 1 {
				return scripted.Step{Text: "What was there before?", Calls: calls}
			}
		}
	}
	call := j.named(c, tool.call(filepath.Join(j.dir, fileName(j.done+1))))
	j.asked = call
	return scripted.Step{Text: text, Calls: append(calls, call)}
}

// finish searches everything that was cut for marks, then ends the job.
func (j *Job) finish(c *scripted.Call) scripted.Step {
	if j.context == nil {
		j.context, j.before, j.last = Marks(c.Request.Body()), Refs(c.Request.Body()), c.N
		j.seen = map[string]bool{}
	}
	if j.offered && j.rounds < rounds {
		j.rounds++
		if found := j.unseen(c); len(found) > 0 {
			var calls []plimsoll.ToolCall
			for _, id := range found {
				calls = append(calls, j.named(c, search(id)))
			}
			return scripted.Step{Text: "Once more through all berths.", Calls: calls}
		}
	}
	return scripted.Say("All berths are read. " + Done)
}

// search asks for the lines that hold a mark or a reference.
func search(id string) plimsoll.ToolCall {
	return plimsoll.ToolCall{Name: toolGrep, Arguments: fmt.Sprintf(`{"ref_id":%q,"pattern":"MARK-|ref=","regex":true,"max_matches":200}`, id)}
}

// named gives a call an id as the provider would.
func (j *Job) named(c *scripted.Call, call plimsoll.ToolCall) plimsoll.ToolCall {
	prefix := "call_"
	if c.Request.Dialect() == plimsoll.Anthropic {
		prefix = "toolu_"
	}
	j.turns++
	call.ID = fmt.Sprintf("%sberth%04d", prefix, j.turns)
	return call
}
