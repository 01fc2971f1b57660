package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// command does what a command says.
func (e *Engine) command(ctx context.Context, name, arguments string, tell func(Event)) error {
	switch name {
	case "attach":
		return e.attach(ctx, arguments, tell)
	case "clear":
		return e.clear(tell)
	case "compress":
		return e.compress(ctx, arguments, tell)
	case "context":
		return e.context(ctx, arguments, tell)
	case "edit":
		return e.edit(ctx, arguments, tell)
	case "expand":
		return e.expand(ctx, arguments, tell)
	case "export":
		return e.export(arguments, tell)
	case "grep":
		return e.grep(ctx, arguments, tell)
	case "help":
		return help(arguments, tell)
	case "limit":
		return e.limit(arguments, tell)
	case "load":
		return e.load(arguments, tell)
	case "method":
		return e.method(arguments, tell)
	case "model":
		return e.model(ctx, arguments, tell)
	case "pin":
		return e.pin(arguments, tell)
	case "prune":
		return e.prune(ctx, arguments, tell)
	case "quit":
		return ErrQuit
	case "retry":
		return e.retry(ctx, arguments, tell)
	case "save":
		return e.save(arguments, tell)
	case "sessions":
		return e.sessions(tell)
	case "system":
		return e.system(ctx, arguments, tell)
	case "undo":
		return e.undo(ctx, tell)
	}
	return &plimsoll.Error{
		Op: "/" + name, Code: plimsoll.CodeInvalid, Err: mistake{errors.New("there is no such command")}, Hint: hintFor(name),
	}
}

// hintFor names commands that may have been meant.
func hintFor(name string) string {
	var near []string
	for _, c := range Commands() {
		if name != "" && (strings.HasPrefix(c.Name, name) || strings.HasPrefix(name, c.Name)) {
			near = append(near, "/"+c.Name)
		}
	}
	if len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "? /help lists all"
	}
	return "/help lists all; a message that begins with a slash is written with two"
}

// help shows the commands.
func help(arguments string, tell func(Event)) error {
	all := Commands()
	if name := strings.TrimPrefix(arguments, "/"); name != "" {
		at := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })
		if at < 0 {
			return &plimsoll.Error{Op: "/help", Code: plimsoll.CodeInvalid, Err: mistake{fmt.Errorf("there is no command %q", name)}, Hint: hintFor(name)}
		}
		all = all[at : at+1]
	}
	var lines []string
	const widest = 36
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("%-*s  %s", widest, strings.TrimSpace("/"+c.Name+" "+c.Arguments), c.Help))
	}
	if arguments == "" {
		lines = append(lines, "", "@NAME asks one model, @all asks all; without a name it asks the models that you asked last.")
	}
	tell(Notice{Kind: NoticeText, Text: strings.Join(lines, "\n")})
	return nil
}

func done(tell func(Event), format string, arguments ...any) {
	tell(Notice{Kind: NoticeDone, Text: fmt.Sprintf(format, arguments...)})
}

// wrong is the error of a command that was given what it cannot take.
func wrong(command, want, format string, arguments ...any) error {
	return &plimsoll.Error{
		Op: "/" + command, Code: plimsoll.CodeInvalid, Hint: want,
		Err: mistake{fmt.Errorf(format, arguments...)},
	}
}

// mistake is an error of the person's. It reads as what it says and is a
// [plimsoll.ErrInvalid].
type mistake struct{ error }

// Unwrap returns what it is.
func (m mistake) Unwrap() []error { return []error{m.error, plimsoll.ErrInvalid} }
