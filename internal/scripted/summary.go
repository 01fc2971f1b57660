package scripted

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// unscripted is what is said where the script says nothing.
func unscripted(c *Call) Step {
	if c.End() == EndSummary {
		return Say(summarize(c))
	}
	return Say("Done.")
}

// asksForSummary reports whether the last text of a request asks for a summary. One
// that begins with a tag is a summary, unless the tag is that of a conversation which
// is to be summarised.
func asksForSummary(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "<conversation>") {
		return false
	}
	return strings.Contains(text, "<state_snapshot>") || strings.Contains(text, "<summary>")
}

// summarize writes a summary in the form that is asked for. It is well formed and
// names what the request names, and that is all that can be said for it.
func summarize(c *Call) string {
	goal, names := firstWords(c), identifiers(c.Conversation)
	list := "- none"
	if len(names) > 0 {
		list = "- " + strings.Join(names, "\n- ")
	}
	asked := strings.ToLower(c.Text())
	if strings.Contains(asked, "<state_snapshot>") {
		return fmt.Sprintf(`<state_snapshot>
<overall_goal>%s</overall_goal>
<key_knowledge>%d messages have been exchanged.</key_knowledge>
<file_system_state>
%s
</file_system_state>
<recent_actions>The tools that were asked for have been run.</recent_actions>
<current_plan>Go on with the goal.</current_plan>
</state_snapshot>`, goal, c.Conversation.Messages.Len(), list)
	}
	text := fmt.Sprintf("<summary>\nGoal: %s\nNames that matter:\n%s\nNext: go on with the goal.\n</summary>", goal, list)
	if strings.Contains(asked, "<retain>") {
		text = "<retain>\n" + goal + "\n</retain>\n" + text
	}
	return text
}

var untagged = strings.NewReplacer("<", "(", ">", ")")

// firstWords returns the beginning of what the user asked for first.
func firstWords(c *Call) string {
	const most = 300
	for _, m := range c.Conversation.Messages.All() {
		if text := strings.TrimSpace(m.Text()); m.Role == plimsoll.User && text != "" {
			return untagged.Replace(strings.ToValidUTF8(text[:min(len(text), most)], ""))
		}
	}
	return "not said"
}

// identifier matches paths and names of two words or more.
var identifier = regexp.MustCompile(`[A-Za-z0-9_]+(?:[./_-][A-Za-z0-9_]+)+`)

// identifiers returns the names that the arguments of calls and the beginnings of
// results have most often.
func identifiers(c plimsoll.Conversation) []string {
	const most, beginning = 40, 2000
	seen := map[string]int{}
	count := func(text string) {
		for _, name := range identifier.FindAllString(text, -1) {
			seen[name]++
		}
	}
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.ToolCall:
				count(p.Arguments)
			case plimsoll.ToolResult:
				text := plimsoll.TextOf(p.Content)
				count(text[:min(len(text), beginning)])
			}
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(seen[b]-seen[a], strings.Compare(a, b)) })
	return names[:min(len(names), most)]
}
