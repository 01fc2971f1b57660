package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// doctorCmd examines request bodies.
type doctorCmd struct {
	Files   []string `arg:"" name:"file" help:"Request bodies, or lists of messages; - reads standard input."`
	Dialect string   `enum:"auto,openai,responses,anthropic,gemini" default:"auto" help:"The API that the body is meant for: auto, openai, responses, anthropic or gemini."`
	JSON    bool     `name:"json" help:"Print one JSON object for each body."`
}

// Help shows what the command is for.
func (doctorCmd) Help() string {
	return `Says what the real API would answer 400 to: tool results without their calls, calls without results, wrong order or roles,
empty contents, altered reasoning.

  plimsoll doctor request.json
  plimsoll doctor --dialect anthropic --json request.json

The exit status is 0 for a body in good health and 2 for one with violations.`
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
func (c *doctorCmd) Run(p *process) error {
	var failed error
	for _, name := range c.Files {
		d, err := c.examine(p.file(name))
		if err != nil {
			failed = also(failed, doctorError(name, err))
			continue
		}
		if err := c.print(p, d); err != nil {
			return err
		}
		if len(d.Violations) > 0 {
			failed = also(failed, &plimsoll.Error{
				Op: "doctor " + name, Code: plimsoll.CodeInvalid, Err: errViolations,
				Hint: "cut or keep tool calls and their results together; plimsoll's own edits do",
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
	body, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	if err != nil {
		return diagnosis{}, err
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if list := bytes.TrimSpace(body); len(list) > 0 && list[0] == '[' {
		body = append(append([]byte(`{"messages":`), list...), '}')
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
	return d
}

func (c *doctorCmd) print(p *process, d diagnosis) error {
	if c.JSON {
		return json.NewEncoder(p.out).Encode(d)
	}
	fmt.Fprintf(p.out, "%s: %s request, %s, %s, %s, %s\n", bar.Clean(d.File), d.Dialect,
		plural(d.Messages, "message"), plural(d.Turns, "turn"), plural(d.Rounds, "round"), plural(d.Calls, "tool call"))
	for _, v := range d.Violations {
		fmt.Fprintf(p.out, "  %s\n", bar.Clean(wire.Violation(v).String()))
	}
	if len(d.Violations) == 0 {
		fmt.Fprintln(p.out, "  in good health: nothing that the API would refuse")
	}
	return nil
}

func doctorError(name string, err error) error {
	failed := inputError(name, err)
	var e *plimsoll.Error
	var decode *wire.DecodeError
	if errors.As(failed, &e) {
		e.Op = "doctor " + name
		switch {
		case errors.Is(err, errNoRequest):
			e.Hint = "name the API with --dialect"
		case errors.As(err, &decode):
			e.Hint = "correct the body at that place, or name another API with --dialect"
		}
	}
	return failed
}
