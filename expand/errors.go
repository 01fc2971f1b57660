package expand

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// ErrTime means that a search was stopped because it took too long, before it found
// anything. A call that is wrong is a [plimsoll.ErrInvalid].
var ErrTime = errors.New("out of time")

var (
	// errPattern: the pattern is not one, or would cost too much.
	errPattern = fmt.Errorf("pattern: %w", plimsoll.ErrInvalid)
	// errArguments: the arguments of a call are not what its schema says.
	errArguments = fmt.Errorf("arguments: %w", plimsoll.ErrInvalid)
	// errUnknownTool: there is no such tool here.
	errUnknownTool = fmt.Errorf("unknown tool: %w", plimsoll.ErrInvalid)
)

// beyond is the answer when there is no such line; it is no error.
const beyond = "Offset exceeds output length."

func badPattern(err error, hint string) error {
	return &plimsoll.Error{Op: "search", Code: plimsoll.CodeInvalid, Hint: hint, Err: fmt.Errorf("%w: %w", errPattern, err)}
}

func badArguments(tool plimsoll.Tool, err error) error {
	return &plimsoll.Error{Op: tool.Name, Code: plimsoll.CodeInvalid, Hint: "call it with arguments by this schema: " + tool.Schema, Err: fmt.Errorf("%w: %w", errArguments, err)}
}

func outOfTime(g Grep, f finding) error {
	hint := fmt.Sprintf("use a simpler pattern or a plain text, or go on with offset=%d", f.line)
	return &plimsoll.Error{
		Op: "search", Code: plimsoll.CodeUnavailable, Hint: hint,
		Err: fmt.Errorf("%w: stopped after %v, before line %d, without a match since line %d", ErrTime, f.after, f.line+1, g.Offset+1),
	}
}

// failed adds what was asked for to an error of the store.
func failed(tool string, err error) error {
	if errors.Is(err, errPattern) || errors.Is(err, ErrTime) {
		return err
	}
	return fmt.Errorf("%s: %w", tool, err)
}

// Explain says what went wrong in words for a model: what happened and what to do
// next. What only an operator needs to know, such as where the store is, is left out.
func Explain(err error) string {
	var own *plimsoll.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, store.ErrGone):
		return "Error reading tool output cache: gone. There is no stored output with this ref_id, or not any more. Do not ask for it again. " +
			"If you still need it, run the tool that produced it once more."
	case errors.Is(err, store.ErrCorrupt):
		return "Error reading tool output cache: the stored output is damaged and cannot be read. Run the tool that produced it once more."
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "Error reading tool output cache: the call was ended before it was done."
	case errors.Is(err, errPattern), errors.Is(err, ErrTime), errors.Is(err, errArguments), errors.Is(err, errUnknownTool):
		errors.As(err, &own)
		return sentence("Error reading tool output cache: "+own.Error()) + " " + sentence(upper(own.Hint))
	}
	return "tool_output_cache is unavailable. Go on without the stored output, or try again later."
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
