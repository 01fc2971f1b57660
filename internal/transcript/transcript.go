// Package transcript reads conversations from files for commands and tests:
// message lists, request bodies of all dialects, JSON Lines of messages, of whole
// conversations or of an agent's session entries, and plain text.
//
// It reads to look, not to send: what it returns cannot be turned back into the
// bytes that it came from. That is the codecs' business.
package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Format says how a file is read.
type Format string

// The formats.
const (
	// Auto looks at the content.
	Auto Format = "auto"
	// JSON is a list of messages, or an object that has one.
	JSON Format = "json"
	// JSONL has a message, or an object with messages, on each line.
	JSONL Format = "jsonl"
	// Text is one text without any structure.
	Text Format = "text"
)

// maxSize bounds what is read into memory.
const maxSize = 1 << 30

// ErrTooLarge reports a file over the limit of 1 GiB.
var ErrTooLarge = errors.New("too large to read")

// Transcript is what a file holds.
type Transcript struct {
	// Format that was found.
	Format Format
	// Text is the content of a plain text.
	Text string
	// Structured says that Auto found JSON or JSON Lines, but no conversation in
	// it, and so took it for text.
	Structured bool
	// Conversations of any other format, at least one.
	Conversations []plimsoll.Conversation
}

// Read reads a transcript. Auto takes JSON and JSON Lines for what they are and
// everything else for plain text; the other formats report what does not fit.
func Read(r io.Reader, format Format) (Transcript, error) { return readUpTo(r, format, maxSize) }

func readUpTo(r io.Reader, format Format, limit int) (Transcript, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return Transcript{}, err
	}
	if len(data) > limit {
		return Transcript{}, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return Parse(data, format)
}

// Parse reads a transcript from memory.
func Parse(data []byte, format Format) (Transcript, error) {
	switch format {
	case Text:
		return Transcript{Format: Text, Text: string(data)}, nil
	case JSON:
		c, err := parseJSON(data)
		return Transcript{Format: JSON, Conversations: []plimsoll.Conversation{c}}, err
	case JSONL:
		all, err := parseLines(data)
		return Transcript{Format: JSONL, Conversations: all}, err
	case Auto, "":
		return parseAny(data)
	}
	return Transcript{}, fmt.Errorf("format %q: %w: want auto, json, jsonl or text", format, plimsoll.ErrUnsupported)
}

// parseAny decides by the content. JSON that is no conversation (a config file,
// a number) is counted as the text it is; a file that begins like a conversation
// and is broken further on is an error, not a text.
func parseAny(data []byte) (Transcript, error) {
	body := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	text := Transcript{Format: Text, Text: string(data)}
	if len(body) == 0 || (body[0] != '{' && body[0] != '[') {
		return text, nil
	}
	if json.Valid(body) {
		c, err := parseJSON(body)
		if errors.Is(err, errNoConversation) {
			text.Structured = true
			return text, nil
		}
		return Transcript{Format: JSON, Conversations: []plimsoll.Conversation{c}}, err
	}
	all, err := parseLines(body)
	if errors.Is(err, errNoConversation) {
		text.Structured = validLines(body)
		return text, nil
	}
	return Transcript{Format: JSONL, Conversations: all}, err
}

// errNoConversation marks JSON that has no messages.
var errNoConversation = errors.New("no messages found")

func parseJSON(data []byte) (plimsoll.Conversation, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	var head wireHead
	var err error
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &head.Messages); err != nil {
			return plimsoll.Conversation{}, jsonError(err)
		}
		if len(head.Messages) > 0 && !hasRole(head.Messages[0]) {
			return plimsoll.Conversation{}, errNoConversation
		}
		head.body = wrapped(data)
	} else if head, err = parseHead(data); err != nil {
		return plimsoll.Conversation{}, err
	}
	if head.Messages != nil {
		return head.conversation()
	}
	if c, ok, err := requestBody(data); ok {
		return c, err
	}
	return plimsoll.Conversation{}, errNoConversation
}

// requestBody reads a request of a dialect that has no messages member.
func requestBody(data []byte) (c plimsoll.Conversation, ok bool, err error) {
	d, ok := dialects.FromBody(data)
	if !ok {
		return c, false, nil
	}
	r, err := dialects.Codec(d).Decode(bytes.Clone(data))
	if err != nil {
		return c, true, err
	}
	return r.Conversation(), true, nil
}

// hasRole tells a list of messages from a list of other things.
func hasRole(first json.RawMessage) bool {
	var m struct {
		Role *string `json:"role"`
	}
	return json.Unmarshal(first, &m) == nil && m.Role != nil
}

// conversationOf makes a conversation of messages alone. Messages with Anthropic's
// tool blocks are weighed as Anthropic's.
func conversationOf(messages []plimsoll.Message) plimsoll.Conversation {
	c := plimsoll.Conversation{Dialect: plimsoll.OpenAI, Messages: plimsoll.ListOf(messages...)}
	for _, m := range messages {
		if m.Role == plimsoll.User && plimsoll.Has[plimsoll.ToolResult](m) {
			c.Dialect = plimsoll.Anthropic
		}
	}
	return c
}

// IsText reports whether the bytes look like text rather than a picture or an
// archive: valid UTF-8 without NUL in the first kilobyte, save a cut character.
func IsText(data []byte) bool {
	head := data[:min(len(data), 1024)]
	for i := 0; i < 4 && len(head) > 0 && !utf8.Valid(head); i++ {
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && bytes.IndexByte(head, 0) < 0
}
