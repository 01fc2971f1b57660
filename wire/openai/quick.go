package openai

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// quick reads an answer of the form that nearly all have: plain names, each once, and
// values of the kind that they should be of. It takes a fraction of the time that
// reading by reflection takes, which is left everything else. Texts may share the bytes
// of body.
func quick(body []byte) (a answer, ok bool) {
	q := quickReader{Scanner: rawjson.NewScanner(body), data: body}
	if q.Peek() != '{' {
		return answer{}, false
	}
	for name := range q.members(answerNames) {
		switch name {
		case "model":
			a.Model = strings.Clone(q.text())
		case "usage":
			a.Usage = q.Value().Of(body)
		case "error":
			a.Error = q.Value().Of(body)
		case "choices":
			a.Choices = q.choices()
		}
	}
	return a, q.End() == nil && !q.strange
}

// The names that are read, by what they stand in.
var (
	answerNames   = []string{"model", "usage", "error", "choices"}
	choiceNames   = []string{"index", "message", "delta", "finish_reason"}
	saidNames     = []string{"content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call"}
	callNames     = []string{"index", "id", "function", "custom"}
	functionNames = []string{"name", "arguments", "input"}
)

type quickReader struct {
	*rawjson.Scanner
	data []byte
	// strange says that there is something in it that is left to others.
	strange bool
}

// members walks an object and yields those of the names that it has. Null is an object
// without any.
func (q *quickReader) members(names []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if q.isNull() {
			return
		}
		q.strange = q.strange || q.Peek() != '{'
		seen := 0
		for key, at := range q.Members() {
			q.strange = q.strange || at.Len() != len(key)+2 || !isPlain(key)
			i := slices.IndexFunc(names, func(n string) bool { return n == string(key) })
			if i < 0 {
				continue
			}
			q.strange = q.strange || seen>>i&1 != 0
			if seen |= 1 << i; q.strange || !yield(names[i]) {
				return
			}
		}
	}
}

// isPlain reports whether a name can be taken for no other one.
func isPlain(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// isNull passes over a value if it is null.
func (q *quickReader) isNull() bool {
	if q.Peek() != 'n' {
		return false
	}
	q.Value()
	return true
}

// text reads a string, or nothing where there is null.
func (q *quickReader) text() string {
	if q.isNull() {
		return ""
	}
	t, ok := q.String()
	text := ""
	if ok {
		text = t.Decode(q.data)
	}
	q.strange = q.strange || !ok || !utf8.ValidString(text)
	return text
}

func (q *quickReader) prose() prose { return prose{text: q.text()} }

func (q *quickReader) verbatim() verbatim {
	if kind := q.Peek(); kind == '"' || kind == 'n' {
		return verbatim(q.text())
	}
	return verbatim(q.Value().Of(q.data))
}

func (q *quickReader) int() int {
	n, ok := q.Int()
	q.strange = q.strange || !ok
	return n
}

// elements walks a list of objects.
func (q *quickReader) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		q.strange = q.strange || q.Peek() != '['
		for i := range q.Elements() {
			if q.strange = q.strange || q.Peek() != '{'; q.strange || !yield(i) {
				return
			}
		}
	}
}

func (q *quickReader) choices() []choice {
	if q.isNull() {
		return nil
	}
	all := []choice{}
	for range q.elements() {
		all = append(all, choice{})
		c := &all[len(all)-1]
		for name := range q.members(choiceNames) {
			switch name {
			case "index":
				c.Index = q.int()
			case "message":
				c.Message = q.said()
			case "delta":
				c.Delta = q.said()
			case "finish_reason":
				if !q.isNull() {
					reason := q.text()
					c.FinishReason = &reason
				}
			}
		}
	}
	return all
}

func (q *quickReader) said() *said {
	if q.isNull() {
		return nil
	}
	s := &said{}
	for name := range q.members(saidNames) {
		switch name {
		case "content":
			s.Content = q.prose()
		case "refusal":
			s.Refusal = q.prose()
		case "reasoning_content":
			s.ReasoningContent = q.prose()
		case "reasoning":
			s.Reasoning = q.prose()
		case "tool_calls":
			s.ToolCalls = q.calls()
		case "function_call":
			if !q.isNull() {
				f := q.function()
				s.FunctionCall = &f
			}
		}
	}
	return s
}

func (q *quickReader) calls() []saidCall {
	if q.isNull() {
		return nil
	}
	all := []saidCall{}
	for range q.elements() {
		all = append(all, saidCall{})
		c := &all[len(all)-1]
		for name := range q.members(callNames) {
			switch name {
			case "index":
				if !q.isNull() {
					n := q.int()
					c.Index = &n
				}
			case "id":
				c.ID = strings.Clone(q.text())
			case "function":
				c.Function = q.function()
			case "custom":
				c.Custom = q.function()
			}
		}
	}
	return all
}

func (q *quickReader) function() (f function) {
	for name := range q.members(functionNames) {
		switch name {
		case "name":
			f.Name = strings.Clone(q.text())
		case "arguments":
			f.Arguments = q.verbatim()
		case "input":
			f.Input = q.verbatim()
		}
	}
	return f
}
