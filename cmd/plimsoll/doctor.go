package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// doctorCmd examines request bodies, or the settings.
type doctorCmd struct {
	Files   []string `arg:"" optional:"" name:"file" complete:"file" help:"Request bodies, or lists of messages; - is standard input. Without one: the settings."`
	Dialect string   `enum:"auto, ${dialects}" default:"auto" help:"The API that the body is meant for: ${enum}."`
	JSON    bool     `name:"json" help:"Print one JSON object for each body, or for the settings."`
}

// Help shows what the command is for.
func (doctorCmd) Help() string {
	return `Says what the real API would answer 400 to, as far as that is known: tool results without their calls, calls without results, wrong order or roles, empty contents. Without a file it reads standard input.

Without anything to read it shows the settings instead: each value in force, the flag, variable, file or default that it came from, the limit of the configured model, and what is wrong.

The exit status is 0 for good health and 2 when something is found.

Examples:

    plimsoll doctor
    plimsoll doctor --config plimsoll.yaml --json
    plimsoll doctor request.json
    plimsoll doctor --dialect anthropic --json request.json`
}

// diagnosis is what is said about one body.
type diagnosis struct {
	File       string           `json:"file"`
	Dialect    plimsoll.Dialect `json:"dialect"`
	Messages   int              `json:"messages"`
	Turns      int              `json:"turns"`
	Rounds     int              `json:"rounds"`
	Calls      int              `json:"calls"`
	Violations []finding        `json:"violations"`
}

type finding struct {
	Rule    string `json:"rule"`
	Message int    `json:"message"`
	Part    int    `json:"part"`
	Text    string `json:"text"`
}

// errViolations ends a run that found something.
var errViolations = errors.New("the API would refuse this")

// Run examines every file; one that cannot be read does not stop the others.
func (c *doctorCmd) Run(p *process, root *cli) error {
	if len(c.Files) > 0 {
		inputs, err := p.inputs("doctor", c.Files, "")
		if err != nil {
			return err
		}
		return c.examineAll(p, inputs)
	}
	if isTerminal(p.stdin) {
		return c.settings(p, root)
	}
	piped, err := readAll(p.stdin)
	switch {
	case err != nil:
		return doctorError("standard input", err)
	case len(bytes.TrimSpace(piped)) == 0:
		return c.settings(p, root)
	}
	return c.examineAll(p, []input{{"standard input", func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(piped)), nil
	}}})
}

// settings shows what is configured.
func (c *doctorCmd) settings(p *process, root *cli) error {
	r, err := p.reportSettings(root)
	if err != nil {
		return err
	}
	if !c.JSON {
		r.show(p, newDisplay(p, nil, root.Color))
		return r.failed()
	}
	lines := json.NewEncoder(p.out)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", "  ")
	return cmp.Or(lines.Encode(r), r.failed())
}

func (c *doctorCmd) examineAll(p *process, inputs []input) error {
	var failed error
	for _, in := range inputs {
		d, err := c.examine(in)
		if err != nil {
			failed = also(failed, doctorError(in.name, err))
			continue
		}
		if err := c.print(p, d); err != nil {
			return err
		}
		if len(d.Violations) > 0 {
			failed = also(failed, &plimsoll.Error{
				Op: "doctor " + in.name, Code: plimsoll.CodeInvalid, Err: errViolations, Hint: d.hint(),
			})
		}
	}
	return failed
}

func (c *doctorCmd) examine(in input) (diagnosis, error) {
	f, err := in.open()
	if err != nil {
		return diagnosis{}, err
	}
	defer f.Close()
	body, err := readBody(f, c.Dialect)
	if err != nil {
		return diagnosis{}, err
	}
	dialect := plimsoll.Dialect(c.Dialect)
	if c.Dialect == "auto" {
		found, ok := dialects.FromBody(body)
		if !ok {
			return diagnosis{}, errNoRequest
		}
		dialect = found
	}
	r, err := dialects.Codec(dialect).Decode(body)
	if err != nil {
		return diagnosis{}, err
	}
	return diagnose(in.name, r), nil
}

// readBody reads a request, or a list of messages as the request it would be.
func readBody(r io.Reader, dialect string) ([]byte, error) {
	data, err := readAll(r)
	if err == nil {
		err = hasContent(data)
	}
	if err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if body[0] != '{' && body[0] != '[' {
		return nil, errNoRequest
	}
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		return nil, locate(err, data, transcript.JSON)
	}
	if body[0] == '[' {
		body = fmt.Appendf(nil, `{"%s":%s}`, listMember(body, dialect), body)
	}
	return body, nil
}

var errNoRequest = errors.New("not a request of any API that is known here")

func diagnose(name string, r *wire.Request) diagnosis {
	o := r.Conversation().Outline()
	d := diagnosis{
		File: name, Dialect: r.Dialect(), Messages: r.Conversation().Messages.Len(), Turns: len(o.Turns),
		Calls: len(o.Pairs) + len(o.Pending) + len(o.Dead), Violations: []finding{},
	}
	for _, t := range o.Turns {
		d.Rounds += len(t.Rounds)
	}
	for _, v := range wire.Check(r) {
		d.Violations = append(d.Violations, finding(v))
	}
	slices.SortStableFunc(d.Violations, func(a, b finding) int { return cmp.Compare(a.Message, b.Message) })
	return d
}

// hint says what helps against the violations, each advice once.
func (d diagnosis) hint() string {
	var hints []string
	for _, v := range d.Violations {
		if h := hintFor(v.Rule); h != "" && !slices.Contains(hints, h) {
			hints = append(hints, h)
		}
	}
	return strings.Join(hints, "; ")
}

// hintFor is the advice about a rule; most explain themselves.
func hintFor(rule string) string {
	switch rule {
	case wire.RuleOrphanResult:
		return "remove a result together with its call, or keep both"
	case wire.RuleNoResult:
		return "add the result of every call, or remove the call"
	case wire.RuleEmpty:
		return "remove what is empty, or put something in"
	}
	return ""
}

func (c *doctorCmd) print(p *process, d diagnosis) error {
	if c.JSON {
		return json.NewEncoder(p.out).Encode(d)
	}
	p.say("%s: %s request, %s, %s, %s, %s", bar.Clean(d.File), d.Dialect,
		plural(d.Messages, "message"), plural(d.Turns, "turn"), plural(d.Rounds, "round"), plural(d.Calls, "tool call"))
	for _, v := range d.Violations {
		fmt.Fprintf(p.out, "  %s\n", bar.Clean(wire.Violation(v).String()))
	}
	if len(d.Violations) == 0 {
		p.say("  in good health: nothing found that the API is known to refuse")
	}
	return nil
}

func doctorError(name string, err error) error {
	e := inputError("doctor", name, err)
	var decode *wire.DecodeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errNoRequest) && strings.HasSuffix(name, ".yaml"):
		e.Hint = "a file of settings is examined with plimsoll doctor --config " + name
	case errors.Is(err, errNoRequest):
		e.Hint = `a request is an object with "messages", "contents" or "input"; --dialect names its API where that does not tell`
	case errors.As(err, &decode):
		e.Hint = "correct the body at that place, or name another API with --dialect"
	case errors.As(err, &syntax):
		e.Hint = "correct the JSON at that place"
	case errors.Is(err, errEmpty), errors.Is(err, errBinary), errors.Is(err, transcript.ErrTooLarge):
		e.Hint = "give the JSON body of a request"
	}
	return e
}
