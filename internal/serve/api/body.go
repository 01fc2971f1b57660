package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
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

const requestHint = `send a request as it would be sent to the model, such as {"model":…,"messages":[…]}, or {"request":…} with options beside it`

// read reads what was asked for: the query, and the body where there is one.
func (c *call) read(w http.ResponseWriter, at *route) error {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return &plimsoll.Error{Op: "read the query", Code: plimsoll.CodeInvalid, Err: err, Hint: "escape what is in it"}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := c.wish.take(at, name, fromQuery(query[name])); err != nil {
			return err
		}
		if name == "text" {
			return wishError(name, errUnknownWish, `send it in the body, as {"text":…}`)
		}
	}
	if at.method == http.MethodPost {
		if err := c.readBody(w, at); err != nil {
			return err
		}
	}
	return c.wish.check()
}

func (c *call) readBody(w http.ResponseWriter, at *route) error {
	if coding := c.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return &refusal{http.StatusUnsupportedMediaType, &plimsoll.Error{
			Op: "read the body", Code: plimsoll.CodeUnsupported, Err: fmt.Errorf("it is coded as %.40q", coding), Hint: "send it uncompressed",
		}}
	}
	limit := c.h.options.MaxBody
	data, err := io.ReadAll(http.MaxBytesReader(w, c.Body, limit))
	var large *http.MaxBytesError
	switch {
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
	return c.open(at)
}

// open takes the request and the wishes out of a body that wraps them. One that is a
// request itself stays as it is.
func (c *call) open(at *route) error {
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
	counted := slices.Contains(at.wishes, "text") && find("text") >= 0
	if find("request") < 0 && !counted {
		return nil
	}
	var request []byte
	for i, m := range members {
		switch {
		case find(m.name) != i:
			return wishError(m.name, errTwice, "give it once")
		case m.name == "request":
			request = m.raw
			continue
		case string(m.raw) == "null":
			continue
		}
		if err := c.wish.take(at, m.name, fromJSON(m.raw)); err != nil {
			return err
		}
	}
	if counted {
		if request != nil {
			return wishError("text", errTwice, "give either text or request")
		}
		c.text = &c.wish.text
	}
	c.body = request
	return nil
}

// member is one of an object, with the bytes of its value.
type member struct {
	name string
	raw  []byte
}

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

// request decodes the body.
func (c *call) request() (*wire.Request, error) {
	d := plimsoll.Dialect(c.wish.dialect)
	if d == "" {
		found, ok := dialects.FromBody(c.body)
		if !ok {
			return nil, c.noRequest()
		}
		d = found
	}
	r, err := dialects.Codec(d).Decode(c.body)
	switch {
	case plimsoll.CodeOf(err) == plimsoll.CodeTooLarge:
		return nil, &plimsoll.Error{Op: "read the request", Err: err}
	case err != nil:
		return nil, &plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: err, Hint: "want a request of the dialect " + string(d)}
	}
	return r, nil
}

func (c *call) noRequest() error {
	e := &plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: errNoRequest, Hint: requestHint}
	s := rawjson.NewScanner(c.body)
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
