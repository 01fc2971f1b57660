package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// input is something to count.
type input struct {
	// name as it is shown.
	name string
	open func() (io.ReadCloser, error)
}

// inputs lists what is to be counted: the example, the files, or standard input.
func (c *countCmd) inputs(p *process) ([]input, error) {
	switch {
	case c.Example && len(c.Files) > 0:
		return nil, &plimsoll.Error{
			Op: "count", Code: plimsoll.CodeInvalid, Hint: "leave out either --example or the files",
			Err: errors.New("--example reads no files"),
		}
	case c.Example:
		return []input{exampleInput()}, nil
	}
	return p.inputs("count", c.Files, "name a file, pipe something in, or try plimsoll count --example")
}

// exampleInput is the bundled session.
func exampleInput() input {
	return input{examples.HarbourName, func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(examples.Harbour())), nil
	}}
}

// inputs are the files, or standard input where none is named. It does not
// wait for a user to type on a terminal; the hint says what to do instead.
func (p *process) inputs(op string, files []string, hint string) ([]input, error) {
	if len(files) == 0 && isTerminal(p.stdin) {
		return nil, &plimsoll.Error{
			Op: op, Code: plimsoll.CodeInvalid, Hint: hint,
			Err: errors.New("nothing to read: no file is named and standard input is a terminal"),
		}
	}
	if len(files) == 0 {
		return []input{p.file("-")}, nil
	}
	var all []input
	for _, name := range files {
		all = append(all, p.file(name))
	}
	return all, nil
}

func (p *process) file(name string) input {
	if name == "-" {
		return input{"standard input", func() (io.ReadCloser, error) { return io.NopCloser(p.stdin), nil }}
	}
	return input{name, func() (io.ReadCloser, error) { return openFile(name) }}
}

func openFile(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, errDirectory
	}
	return f, nil
}

var (
	errDirectory = errors.New("is a directory")
	errEmpty     = errors.New("there is nothing in it")
	errBinary    = errors.New("looks like a binary file, not like text")
)

// maxInput bounds what is read into memory; bare text is counted in a stream
// where that is possible.
const maxInput = 1 << 30

// readTranscript reads a whole input and finds out what it is.
func readTranscript(r io.Reader, format transcript.Format) ([]byte, transcript.Transcript, error) {
	data, err := readAll(r)
	if err == nil && format != transcript.Text {
		err = hasContent(data)
	}
	if err != nil {
		return nil, transcript.Transcript{}, err
	}
	t, err := transcript.Parse(data, format)
	if err == nil && format == transcript.Auto && t.Format == transcript.Text && !t.Structured && brokenConversation(data) {
		t, err = transcript.Parse(data, transcript.JSON)
	}
	return data, t, locate(err, data, t.Format)
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = transcript.ErrTooLarge
	}
	return data, err
}

// hasContent refuses what cannot be anyone's conversation.
func hasContent(data []byte) error {
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))) == 0:
		return errEmpty
	case !transcript.IsText(data):
		return errBinary
	}
	return nil
}

// brokenConversation recognises a JSON conversation with a mistake in it, which
// would otherwise be counted as a text without anyone noticing.
func brokenConversation(data []byte) bool {
	body := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(body) == 0 || body[0] != '{' && body[0] != '[' || json.Valid(body) {
		return false
	}
	return bytes.Contains(body, []byte(`"role"`)) || bytes.Contains(body, []byte(`"messages"`))
}

// locate adds the line to a mistake in a JSON text, whose parser knows the byte
// only. Mistakes in JSON Lines have theirs.
func locate(err error, data []byte, format transcript.Format) error {
	var syntax *json.SyntaxError
	if format != transcript.JSON || !errors.As(err, &syntax) {
		return err
	}
	body := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	at := min(len(data), len(data)-len(body)+int(syntax.Offset))
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	return fmt.Errorf("line %d, byte %d: %w: %w", line, at, plimsoll.ErrInvalid, syntax)
}

// inputError says what cannot be read, why, and what to do. The hints that name
// flags are those of count.
func inputError(op, name string, err error) *plimsoll.Error {
	e := &plimsoll.Error{Op: op + " " + name, Code: plimsoll.CodeInvalid, Err: err}
	var path *fs.PathError
	var syntax *json.SyntaxError
	if errors.As(err, &path) {
		e.Err = path.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Err, e.Hint = plimsoll.CodeNotFound, errors.New("no such file"), "check the name; - reads standard input"
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "make the file readable, or pipe its content in"
	case errors.Is(err, errDirectory):
		e.Hint = "name the files in it, such as " + name + "/*.json"
	case errors.Is(err, errEmpty):
		e.Hint = "an empty text counts as 0 tokens with --format text"
	case errors.Is(err, errBinary):
		e.Hint = "count its bytes as they are with --format text"
	case errors.Is(err, transcript.ErrTooLarge):
		e.Hint = "bare text of any size is counted with --format text"
	case errors.As(err, &syntax):
		e.Hint = "correct the JSON at that place, or count the file as it is with --format text"
	case path != nil:
		e.Code = plimsoll.CodeInternal
	default:
		e.Hint = "a conversation is a JSON list of messages, an object with \"messages\", or one of these a line; --format text counts anything as text"
	}
	return e
}
