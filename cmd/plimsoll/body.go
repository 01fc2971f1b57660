package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// conversationFile is a conversation that can be written back unchanged: a request of any
// API, a bare list of messages, or messages one a line.
type conversationFile struct {
	data []byte
	// before and after are what stands around the content: blanks, a byte order
	// mark.
	before, after []byte
	form          bodyForm
	request       *wire.Request
}

type bodyForm struct {
	// lines says that every line is a message, and what ends it.
	lines   bool
	lineEnd string
	// list is the member that a bare list was wrapped in; empty for a request.
	list string
}

var errManyConversations = errors.New("there is a whole conversation on each line")

// readEditable reads a conversation to edit. The dialect is "auto" or a name.
func readEditable(r io.Reader, dialect string) (*conversationFile, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, err
	}
	return parseEditable(data, dialect)
}

func parseEditable(data []byte, dialect string) (*conversationFile, error) {
	if err := hasContent(data); err != nil {
		return nil, err
	}
	content := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	at := bytes.Index(data, content)
	b := &conversationFile{data: data, before: data[:at], after: data[at+len(content):]}
	if content[0] != '{' && content[0] != '[' {
		return nil, errNoRequest
	}
	wrapped, err := b.wrap(content, dialect)
	if err != nil {
		return nil, locate(err, data, transcript.JSON)
	}
	return b, b.decode(wrapped, dialect)
}

// wrap makes a request of the content.
func (b *conversationFile) wrap(content []byte, dialect string) ([]byte, error) {
	var whole json.RawMessage
	err := json.Unmarshal(content, &whole)
	switch {
	case err == nil && content[0] == '[':
		b.form.list = listMember(content, dialect)
	case err == nil && !isMessage(content):
		return content, nil
	default:
		lines, failed := messageLines(content)
		if failed != nil {
			return nil, failed
		}
		if lines == nil {
			return nil, err
		}
		b.form = bodyForm{lines: true, lineEnd: "\n"}
		if first := bytes.IndexByte(content, '\n'); first > 0 && content[first-1] == '\r' {
			b.form.lineEnd = "\r\n"
		}
		content = append(append([]byte{'['}, bytes.Join(lines, []byte(","))...), ']')
		b.form.list = listMember(content, dialect)
	}
	return fmt.Appendf(nil, `{"%s":%s}`, b.form.list, content), nil
}

// listMember names the member of a request that a list of such elements is. The
// dialect is "auto" or a name.
func listMember(list []byte, dialect string) string {
	if c := dialects.Codec(plimsoll.Dialect(dialect)); c != nil {
		return c.Traits().Messages
	}
	var elements []struct {
		Type  string          `json:"type"`
		Role  string          `json:"role"`
		Parts json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(list, &elements) != nil {
		return "messages"
	}
	for _, e := range elements {
		switch {
		case e.Parts != nil:
			return "contents"
		case e.Type != "" && e.Role == "":
			return "input"
		}
	}
	return "messages"
}

// isMessage reports whether an object is a message or an item of Responses, and no
// conversation.
func isMessage(object []byte) bool {
	var m struct {
		Role     string          `json:"role"`
		Type     string          `json:"type"`
		CallID   string          `json:"call_id"`
		Messages json.RawMessage `json:"messages"`
		Contents json.RawMessage `json:"contents"`
		Input    json.RawMessage `json:"input"`
	}
	err := json.Unmarshal(object, &m)
	item := m.CallID != "" || m.Type == "reasoning"
	return err == nil && (m.Role != "" || item) && m.Messages == nil && m.Contents == nil && m.Input == nil
}

// messageLines returns the lines of JSON Lines; nil if the content is none.
func messageLines(content []byte) ([][]byte, error) {
	var lines [][]byte
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		switch {
		case line[0] != '{' || !json.Valid(line):
			return nil, nil
		case !isMessage(line):
			return nil, errManyConversations
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (b *conversationFile) decode(content []byte, dialect string) error {
	d := plimsoll.Dialect(dialect)
	if dialect == "auto" {
		found, ok := dialects.FromBody(content)
		if !ok {
			return errNoRequest
		}
		d = found
	}
	request, err := dialects.Codec(d).Decode(content)
	b.request = request
	return err
}

// encode returns the content with the edits of a draft, in the form that it came
// in; without edits, the very bytes.
func (b *conversationFile) encode(d *plimsoll.Draft) ([]byte, error) {
	if len(d.Edits()) == 0 {
		return b.data, nil
	}
	edited, err := b.request.Encode(d)
	if err != nil {
		return nil, err
	}
	return b.unwrap(edited)
}

// unwrap writes an edited request in the form that this one came in; one that is not
// edited as the very bytes.
func (b *conversationFile) unwrap(edited []byte) ([]byte, error) {
	if bytes.Equal(edited, b.request.Body()) {
		return b.data, nil
	}
	var err error
	switch {
	case b.form.lines:
		edited, err = b.linesOf(edited)
	case b.form.list != "":
		edited = edited[len(`{"":`)+len(b.form.list) : len(edited)-1]
	}
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{b.before, edited, b.after}, nil), nil
}

// linesOf writes the messages of a wrapped list one a line.
func (b *conversationFile) linesOf(edited []byte) ([]byte, error) {
	request, err := dialects.Codec(b.request.Dialect()).Decode(edited)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for i := range request.Conversation().Messages.Len() {
		lines = append(lines, request.Raw(i))
	}
	return bytes.Join(lines, []byte(b.form.lineEnd)), nil
}

// editError says what cannot be read by a command that writes it back.
func editError(op, name string, err error) error {
	if errors.Is(err, errManyConversations) {
		return &plimsoll.Error{
			Op: op + " " + name, Code: plimsoll.CodeInvalid, Err: err,
			Hint: "give one conversation at a time, for instance: head -n 1 " + name + " | plimsoll " + op,
		}
	}
	e := doctorError(name, err)
	var typed *plimsoll.Error
	if errors.As(e, &typed) {
		typed.Op = op + " " + name
	}
	return e
}
