package lang

import (
	"regexp"
	"strings"
)

// piece is a part of a template: a tag, an action, or text.
var (
	action    = `\{\{.*?\}\}`
	piece     = regexp.MustCompile(`(?s)<!--.*?-->|<(?:` + action + `|"(?:` + action + `|[^"])*"|[^>{"]|\{)*>|` + action)
	controls  = regexp.MustCompile(`^\{\{-?\s*(if|else|end|range|with|define|block|break|continue|/\*)`)
	spoken    = regexp.MustCompile(`(?s)( (?:aria-label|placeholder|title|data-[a-z]+)=")((?:` + action + `|[^"])*)(")`)
	actions   = regexp.MustCompile(`(?s)` + action)
	blank     = regexp.MustCompile(`\s+`)
	hasLetter = regexp.MustCompile(`\p{L}{2}`)
)

// eachText calls say for every text of a template that has words in it, and returns
// the source with what it answers. A text ends at a tag and at an action that decides
// something; actions that write are part of it, as %s.
func eachText(source string, say func(key string, actions []string) string) string {
	var out, run strings.Builder
	flush := func() {
		out.WriteString(sayText(run.String(), say))
		run.Reset()
	}
	at := 0
	for _, found := range piece.FindAllStringIndex(source, -1) {
		run.WriteString(source[at:found[0]])
		at = found[1]
		text := source[found[0]:found[1]]
		switch {
		case strings.HasPrefix(text, "{{") && !controls.MatchString(text):
			run.WriteString(text)
		default:
			flush()
			if strings.HasPrefix(text, "<") {
				text = spoken.ReplaceAllStringFunc(text, func(attribute string) string {
					parts := spoken.FindStringSubmatch(attribute)
					return parts[1] + sayText(parts[2], say) + parts[3]
				})
			}
			out.WriteString(text)
		}
	}
	run.WriteString(source[at:])
	flush()
	return out.String()
}

// sayText translates one text and leaves the blanks around it as they are.
func sayText(text string, say func(key string, actions []string) string) string {
	trimmed := strings.TrimSpace(text)
	if !hasLetter.MatchString(actions.ReplaceAllString(trimmed, "")) {
		return text
	}
	key := strings.ReplaceAll(trimmed, "%", "%%")
	key = blank.ReplaceAllString(actions.ReplaceAllString(key, "%s"), " ")
	start := strings.Index(text, trimmed)
	return text[:start] + say(key, actions.FindAllString(trimmed, -1)) + text[start+len(trimmed):]
}
