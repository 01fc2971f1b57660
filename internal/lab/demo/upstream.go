package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// Look is content that the model had back through a tool of the proxy's, which the
// client never saw.
type Look struct {
	// Tool that was called, and What it was about.
	Tool string `json:"tool"`
	What string `json:"what"`
	Ref  string `json:"ref"`
	// Lines that came back.
	Lines int `json:"lines"`
	// Same says that they are those of the recording.
	Same bool `json:"same"`
	// Beside says that the call stood beside calls of the client's own tools, so that it
	// was answered with them.
	Beside bool `json:"beside,omitempty"`

	answer, pattern string
}

// role is the model's part: it answers what the recording has, and before an answer
// without calls it looks at something that was cut; once it does so beside calls of the
// client's tools.
type role struct {
	session *session
	pace    time.Duration

	mu sync.Mutex
	// now is what the client waits for; nil when the play is over.
	now *scene
	// beside is set once a look stood beside calls of the client's.
	beside bool
	// made counts the calls of the proxy's tools, whose ids must not be those of
	// recorded ones.
	made int
}

// scene is one answer in the making.
type scene struct {
	step step
	// saw is what the first request for it had.
	saw seenSession
	// wanted are the calls of tools of the proxy's that are still to be made.
	wanted []plimsoll.ToolCall
	looks  []Look
	asked  int
}

// begin says which answer is waited for.
func (r *role) begin(s step) *scene {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = &scene{step: s}
	return r.now
}

// end says that the play is over.
func (r *role) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = nil
}

// next is the script.
func (r *role) next(c *scripted.Call) (scripted.Step, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.End() == scripted.EndSummary {
		return scripted.Step{}, false
	}
	s := r.now
	if s == nil {
		return scripted.Say("I only know my script, and it is over. Run the demonstration again to see it."), true
	}
	own := callsOf(s.step.says)
	if s.asked == 0 {
		s.saw = r.session.look(c.Conversation, s.step.upTo)
		s.wanted = r.wishes(c, s)
	}
	s.read(c, r.session)
	s.asked++
	switch {
	case len(s.wanted) > 0 && len(own) > 0:
		r.beside = true
		own = append(s.wanted, own...)
	case len(s.wanted) > 0:
		call := s.wanted[0]
		s.wanted = s.wanted[1:]
		return scripted.Step{Calls: []plimsoll.ToolCall{call}}, true
	}
	return scripted.Step{Text: s.step.says.Text(), Calls: own, Delay: r.pace}, true
}

// wishes are the calls of the proxy's tools that the model makes: if it is about to give
// an answer and can have back what was cut, it reads the longest of it and searches the
// next; the first time that it can have something back, it reads at once.
func (r *role) wishes(c *scripted.Call, s *scene) []plimsoll.ToolCall {
	offered := false
	for _, t := range c.Conversation.Tools.All() {
		offered = offered || t.Name == readTool
	}
	acts := len(callsOf(s.step.says)) > 0
	if !offered || acts && r.beside || len(s.saw.refs) == 0 {
		return nil
	}
	refs := s.saw.longest(r.session)
	read := r.call(readTool, map[string]any{"ref_id": refs[0], "limit": 40})
	if acts {
		return []plimsoll.ToolCall{read}
	}
	return []plimsoll.ToolCall{
		read,
		r.call(searchTool, map[string]any{"ref_id": refs[min(1, len(refs)-1)], "pattern": "read", "max_matches": 10}),
	}
}

var (
	readTool   = expand.Tools()[0].Name
	searchTool = expand.Tools()[1].Name
)

func (r *role) call(tool string, arguments map[string]any) plimsoll.ToolCall {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // the script's own values
	}
	r.made++
	return plimsoll.ToolCall{ID: fmt.Sprintf("look_%d", r.made), Name: tool, Arguments: string(text)}
}

// read notes what a tool of the proxy's answered.
func (s *scene) read(c *scripted.Call, recorded *session) {
	for _, result := range c.Results() {
		if result.Name != readTool && result.Name != searchTool {
			continue
		}
		ref, pattern := asked(c, result.CallID)
		s.looks = append(s.looks, Look{
			Tool: result.Name, What: s.saw.behind(ref, recorded), Ref: ref, Beside: s.asked == 0,
			answer: plimsoll.TextOf(result.Content), pattern: pattern,
		})
	}
}

// asked returns the reference that a call was about, and the pattern of a search.
func asked(c *scripted.Call, id string) (ref, pattern string) {
	for _, m := range c.Conversation.Messages.All() {
		for _, made := range callsOf(m) {
			var a struct {
				Ref     string `json:"ref_id"`
				Pattern string `json:"pattern"`
			}
			if made.ID == id && json.Unmarshal([]byte(made.Arguments), &a) == nil {
				return a.Ref, a.Pattern
			}
		}
	}
	return "", ""
}

// compare holds numbered lines against the text that they are said to be of, and
// returns how many there are. Long lines come back cut, with dots where that is. No
// lines are right only for a pattern that is not in the text.
func (l Look) compare(original string) (lines int, same bool) {
	have := strings.Split(original, "\n")
	same = true
	for line := range strings.Lines(l.answer) {
		var number int
		line = strings.TrimSuffix(line, "\n")
		if n, err := fmt.Sscanf(line, "%d", &number); err != nil || n != 1 {
			continue // what the tool says beside the lines
		}
		_, text, ok := strings.Cut(strings.TrimLeft(line, " "), "  ")
		lines++
		switch {
		case !ok || number < 1 || number > len(have):
			same = false
		case !isPartOf(text, have[number-1]):
			same = false
		}
	}
	if lines == 0 {
		return 0, l.pattern != "" && !strings.Contains(original, l.pattern)
	}
	return lines, same
}

// isPartOf reports whether a text is a line, or what dots at its ends say that it is.
func isPartOf(text, line string) bool {
	inner, cut := strings.CutPrefix(text, "...")
	if inner, end := strings.CutSuffix(inner, "..."); end {
		return strings.Contains(line, inner) && (cut || strings.HasPrefix(line, inner)) || text == line
	}
	return text == line || cut && strings.HasSuffix(line, inner)
}
