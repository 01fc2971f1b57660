package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// client asks as an agent does.
type client struct {
	http    *http.Client
	dialect dialect
	address string
}

// reply is an answer, with what the proxy says beside it.
type reply struct {
	said wire.Response
	// load, limit and saved are tokens; 0 where nothing was said.
	load, limit, saved int
	decision, warning  string
}

// ask sends a request and reads the answer to its end.
func (c *client) ask(ctx context.Context, body []byte) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range dialects.Codec(c.dialect.name).Headers("") {
		r.Header.Set(name, value)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	got := reply{
		load: number(resp, transport.HeaderLoad), limit: number(resp, transport.HeaderLimit), saved: number(resp, transport.HeaderSaved),
		decision: resp.Header.Get(transport.HeaderDecision), warning: resp.Header.Get(transport.HeaderWarning),
	}
	if resp.StatusCode != http.StatusOK {
		return got, c.refused(resp)
	}
	got.said, err = c.read(resp.Body)
	return got, err
}

// refused reads an answer that is an error.
func (c *client) refused(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	failed := &plimsoll.Error{Code: plimsoll.CodeUnavailable, Err: errors.New(resp.Status)}
	if said, err := dialects.Codec(c.dialect.name).ReadResponse(body); err == nil && said.Error != nil {
		failed.Err = fmt.Errorf("%s: %s", resp.Status, said.Error.Message)
	}
	if resp.Header.Get(transport.HeaderDecision) == string(transport.Refused) {
		failed.Code, failed.Hint = plimsoll.CodeOverLimit, "choose a larger window, or the preset auto, which can cut inside of the newest turn"
	}
	return failed
}

func number(resp *http.Response, header string) int {
	n, err := strconv.Atoi(resp.Header.Get(header))
	if err != nil {
		return 0
	}
	return n
}

// read puts a streamed answer together.
func (c *client) read(body io.Reader) (wire.Response, error) {
	assembler := dialects.Codec(c.dialect.name).NewAssembler()
	events := sse.NewReader(body, nil)
	for {
		e, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && !assembler.Done():
			return wire.Response{}, errors.New("the answer broke off")
		case errors.Is(err, io.EOF):
			said := assembler.Response()
			if said.Error != nil {
				return said, said.Error
			}
			return said, nil
		case err != nil:
			return wire.Response{}, err
		}
		if e.HasData() {
			assembler.Event(e.Name, e.Data)
		}
	}
}

// sameAnswer reports whether the client got what the model was to say: the text and
// the calls, and none that are not the client's.
func sameAnswer(want, got plimsoll.Message) bool {
	a, b := callsOf(want), callsOf(got)
	if len(a) != len(b) || strings.TrimSpace(want.Text()) != strings.TrimSpace(got.Text()) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].Name != b[i].Name || !sameJSON(a[i].Arguments, b[i].Arguments) {
			return false
		}
	}
	return true
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
