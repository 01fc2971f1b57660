package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

var (
	errEmpty     = errors.New("the body is empty")
	errNoRequest = errors.New("the body is no request of an API that is known")
)

// textOption is a text to count, instead of a request.
const textOption = "text"

// bodyOnly reports whether only a body can have an option: it is a text or an object.
func bodyOnly(f reflect.StructField) bool {
	return optionName(f) == textOption || f.Type == reflect.TypeFor[json.RawMessage]()
}

const requestHint = `send a request as it would be sent to the model, such as {"model":…,"messages":[…]}, or {"request":…} with options beside it`

// read fills the request struct from the query and, for POST, from the body, whose
// options win.
func (c *httpCall) read(w http.ResponseWriter, into reflect.Value) error {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return &plimsoll.Error{Op: "read the query", Code: plimsoll.CodeInvalid, Err: err, Hint: "escape what is in it"}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := setOption(into, name, query[name], nil); err != nil {
			return err
		}
	}
	if c.Method == http.MethodPost {
		return c.readBody(w, into)
	}
	return nil
}

func (c *httpCall) readBody(w http.ResponseWriter, into reflect.Value) error {
	if coding := c.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return &refusal{http.StatusUnsupportedMediaType, &plimsoll.Error{
			Op: "read the body", Code: plimsoll.CodeUnsupported, Err: fmt.Errorf("it is coded as %.40q", coding), Hint: "send it uncompressed",
		}}
	}
	limit := c.h.options.MaxBody
	var held bytes.Buffer
	if c.ContentLength > 0 {
		held.Grow(int(min(c.ContentLength, limit)) + bytes.MinRead) // so that it never moves
	}
	_, err := held.ReadFrom(http.MaxBytesReader(w, c.Body, limit))
	data := held.Bytes()
	var large *http.MaxBytesError
	var failed interface{ HTTPStatus() int }
	switch {
	case errors.As(err, &failed): // the server that holds the budget says why
		if failed.HTTPStatus() == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "2")
		}
		return &refusal{failed.HTTPStatus(), &plimsoll.Error{Op: "read the body", Code: plimsoll.CodeInvalid, Err: err}}
	case errors.As(err, &large):
		return &refusal{http.StatusRequestEntityTooLarge, &plimsoll.Error{
			Op: "read the body", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("it has more than %d bytes", limit), Hint: "send less, or raise the bound of the service",
		}}
	case err != nil:
		return &plimsoll.Error{Op: "read the body", Code: plimsoll.CodeInvalid, Err: err}
	}
	// A byte order mark and the blanks around it cannot stand inside an answer.
	data = bytes.Trim(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(data) == 0 {
		return &plimsoll.Error{Op: "read the body", Code: plimsoll.CodeInvalid, Err: errEmpty, Hint: requestHint}
	}
	c.body = data
	return c.open(into)
}

// open takes the request and the options out of a body that wraps them. A body that is
// a request itself stays as it is.
func (c *httpCall) open(into reflect.Value) error {
	if _, native := dialects.FromBody(c.body); native {
		return nil
	}
	members, err := membersOf(c.body)
	if err != nil {
		return &plimsoll.Error{Op: "read the body", Code: plimsoll.CodeInvalid, Err: err, Hint: "correct the JSON at that place"}
	}
	find := func(name string) int {
		return slices.IndexFunc(members, func(m member) bool { return m.name == name })
	}
	_, counts := into.Addr().Interface().(*countRequest)
	text := counts && find(textOption) >= 0
	if find("request") < 0 && !text {
		return nil
	}
	var request []byte
	for i, m := range members {
		switch {
		case find(m.name) != i:
			return optionError(m.name, errTwice, "give it once")
		case m.name == "request":
			request = m.raw
			continue
		case string(m.raw) == "null":
			continue
		}
		if err := setOption(into, m.name, nil, m.raw); err != nil {
			return err
		}
	}
	if text && request != nil {
		return optionError(textOption, errTwice, "give either text or request")
	}
	c.body = request
	return nil
}

// member is a member of an object, with the bytes of its value.
type member struct {
	name string
	raw  []byte
}

// maxName bounds the name of a model, which is remembered.
const maxName = 512

// mostMembers is how many members an object that wraps a request may have.
const mostMembers = 64

// membersOf lists the members of an object; of anything else there are none.
func membersOf(data []byte) ([]member, error) {
	s := rawjson.NewScanner(data)
	var all []member
	if s.Peek() != '{' {
		s.Value()
		return nil, s.End()
	}
	for key := range s.Members() {
		if len(all) == mostMembers {
			return nil, fmt.Errorf("an object that is no request has more than %d members", mostMembers)
		}
		at := s.Value()
		all = append(all, member{string(key), data[at.Start:at.End]})
	}
	return all, s.End()
}

// target says which API and which model a request is for.
type target struct {
	Dialect plimsoll.Dialect `json:"dialect,omitempty" jsonschema:"The API that the request is meant for. Default: found by its members."`
	Model   string           `json:"model,omitempty" jsonschema:"Model to count for. Default: the one that the request names."`
}

// codec returns the codec that the target names, nil where it names none.
func (t target) codec() (wire.Codec, error) {
	if t.Dialect == "" || t.Dialect == "auto" {
		return nil, nil
	}
	codec := dialects.Codec(t.Dialect)
	if codec == nil {
		return nil, optionError("dialect", fmt.Errorf("%.40q is not known", t.Dialect), fmt.Sprintf("use one of %v, or leave it out", dialects.All()))
	}
	return codec, nil
}

// decode decodes the client's request.
func (t target) decode(body []byte) (*wire.Request, error) {
	codec, err := t.codec()
	if err != nil {
		return nil, err
	}
	if codec == nil {
		found, ok := dialects.FromBody(body)
		if !ok {
			return nil, noRequest(body)
		}
		codec = dialects.Codec(found)
	}
	r, err := codec.Decode(body)
	if err == nil && max(len(t.Model), len(r.Conversation().Model)) > maxName {
		err = fmt.Errorf("the name of the model has more than %d bytes", maxName)
	}
	switch {
	case plimsoll.CodeOf(err) == plimsoll.CodeTooLarge:
		return nil, &plimsoll.Error{Op: "read the request", Err: err}
	case err != nil:
		return nil, &plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: err, Hint: "want a request of the dialect " + string(codec.Dialect())}
	}
	return r, nil
}

func noRequest(body []byte) error {
	e := &plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: errNoRequest, Hint: requestHint}
	s := rawjson.NewScanner(body)
	list := s.Peek() == '['
	s.Value()
	switch err := s.End(); {
	case err != nil:
		e.Err, e.Hint = err, "correct the JSON at that place"
	case list:
		e.Hint = `wrap a bare list of messages: {"messages":[…]}, {"input":[…]} or {"contents":[…]}`
	}
	return e
}
