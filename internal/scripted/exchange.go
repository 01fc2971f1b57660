package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// exchange is one request while it is being answered.
type exchange struct {
	Exchange
	model *Model
	voice voice
	w     http.ResponseWriter
	r     *http.Request
}

// converse answers a request that carries a conversation.
func (e *exchange) converse(dialect plimsoll.Dialect) {
	call, fault := e.read(dialect, e.Body)
	if fault != nil {
		e.refuse(*fault)
		return
	}
	e.Call = call
	if fault := e.check(call); fault != nil {
		e.refuse(*fault)
		return
	}
	call.Load = e.model.options.Meter.Weigh(call.Conversation)
	if window := e.model.options.Window; window > 0 && call.Load.Total > window {
		e.Overflow = true
		e.overflow(e.voice.overflow(call.Load.Total, window))
		return
	}
	call.N = e.model.number()
	step, ok := e.model.options.Script(call)
	if !ok {
		step = unscripted(call)
	}
	e.act(step)
}

// read decodes a body. One that continues an answer of the script becomes whole.
func (e *exchange) read(dialect plimsoll.Dialect, body []byte) (*Call, *Fault) {
	codec := dialects.Codec(dialect)
	request, err := codec.Decode(named(dialect, e.r.URL.Path, body))
	if err != nil {
		return nil, &Fault{Status: http.StatusBadRequest, Message: err.Error()}
	}
	if previous := dialects.PreviousResponseID(request); previous != "" {
		items, ok := e.model.items(previous)
		if !ok {
			return nil, &Fault{
				Status: http.StatusBadRequest, Code: "previous_response_not_found",
				Message: fmt.Sprintf("Previous response with id '%s' not found.", previous),
			}
		}
		whole, err := dialects.Rebuild(request, items)
		if err == nil {
			request, err = codec.Decode(whole)
		}
		if err != nil {
			return nil, &Fault{Status: http.StatusBadRequest, Message: err.Error()}
		}
	}
	return newCall(request, modelIn(e.r.URL.Path)), nil
}

// named puts the model that a path of Gemini's or Converse's names into the body, where the codec
// looks for it to know which rules hold.
func named(dialect plimsoll.Dialect, path string, body []byte) []byte {
	model, err := json.Marshal(modelIn(path))
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(body), []byte("{"))
	if dialects.Codec(dialect).Traits().InPath == "" || !ok || err != nil || bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		return body
	}
	return slices.Concat([]byte(`{"model":`), model, []byte(","), rest)
}

// check refuses what the API would.
func (e *exchange) check(c *Call) *Fault {
	missing := ""
	switch {
	case c.Conversation.Model == "":
		missing = "model"
	case c.Request.Dialect() == plimsoll.Anthropic && c.Request.MaxOutput() == 0:
		missing = "max_tokens"
	}
	if missing != "" {
		return &Fault{Status: http.StatusBadRequest, Message: missing + ": Field required"}
	}
	e.Violations = wire.Check(c.Request)
	if len(e.Violations) > 0 {
		return &Fault{Status: http.StatusBadRequest, Message: e.Violations[0].String()}
	}
	if c.Request.Dialect() == plimsoll.Gemini {
		return checkDeclarations(c.Request.Body())
	}
	return nil
}

// overflow says that the window is full: Responses do that inside a stream that
// began well, the others before it.
func (e *exchange) overflow(f Fault) {
	if e.Call.Request.Dialect() != plimsoll.Responses || !e.Call.Request.Stream() {
		e.refuse(f)
		return
	}
	e.Status, e.Refusal = http.StatusOK, f.Message
	e.model.note(e.Exchange)
	a := e.model.begin(e.Call)
	e.send(append(e.voice.frames(a)[:2], e.voice.broken(a, f)...), 0)
}

// act does what a step says.
func (e *exchange) act(step Step) {
	e.Step = step
	if !e.wait(step.Delay) {
		return
	}
	if step.Fault != nil {
		step.Fault = step.Fault.withDefaults()
	}
	streams := e.streams()
	if step.Fault != nil && (!streams || step.After == 0) {
		e.refuse(*step.Fault)
		return
	}
	if fault := e.unspeakable(step); fault != nil {
		e.refuse(*fault)
		return
	}
	a := e.newAnswer(step)
	e.Step, e.Usage, e.Status = a.step, a.usage, http.StatusOK
	e.model.note(e.Exchange)
	switch {
	case !streams && step.Cut:
		body := encode(e.voice.whole(a))
		e.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		e.write("application/json", body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case !streams:
		e.write("application/json", encode(e.voice.whole(a)))
	default:
		e.stream(a)
	}
}

// stream sends the frames of an answer, or as many of them as the step says.
func (e *exchange) stream(a *answer) {
	frames := e.voice.frames(a)
	after := min(a.step.After, len(frames))
	switch {
	case a.step.Fault != nil:
		e.send(append(frames[:after:after], e.voice.broken(a, *a.step.Fault)...), a.step.Pace)
	case a.step.Cut:
		e.send(frames[:after], a.step.Pace)
		panic(http.ErrAbortHandler)
	default:
		e.send(frames, a.step.Pace)
	}
}

// streams reports whether a stream was asked for: by the body, or, of Gemini and Converse,
// by the path.
func (e *exchange) streams() bool {
	path := strings.TrimSuffix(e.r.URL.Path, "/")
	return e.Call.Request.Stream() || strings.HasSuffix(path, ":streamGenerateContent") || strings.HasSuffix(path, "/converse-stream")
}

// unspeakable refuses a step that the dialect cannot express.
func (e *exchange) unspeakable(s Step) *Fault {
	for _, c := range s.Calls {
		d := e.Call.Request.Dialect()
		if d != plimsoll.OpenAI && d != plimsoll.Responses && !isObject(c.Arguments) {
			return &Fault{Status: http.StatusInternalServerError, Message: fmt.Sprintf("script: the arguments of %s are no JSON object: %s", c.Name, c.Arguments)}
		}
	}
	return nil
}

func isObject(arguments string) bool {
	var object map[string]any
	return arguments == "" || json.Unmarshal([]byte(arguments), &object) == nil
}

// wait sleeps, and reports whether the client is still there.
func (e *exchange) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.r.Context().Done():
		return false
	}
}

// refuse answers with an error.
func (e *exchange) refuse(f Fault) {
	e.Status, e.Refusal = f.Status, f.Message
	e.model.note(e.Exchange)
	if f.RetryAfter > 0 {
		e.w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
	}
	e.write("application/json", encode(e.voice.fault(f)))
}

func (e *exchange) write(kind string, body []byte) {
	e.w.Header().Set("Content-Type", kind)
	e.w.WriteHeader(e.Status)
	_, _ = e.w.Write(body) // a client that has gone away gets nothing
}

// send writes frames one by one.
func (e *exchange) send(frames [][]byte, pace time.Duration) {
	e.w.Header().Set("Content-Type", e.voice.streamType())
	e.w.WriteHeader(e.Status)
	control := http.NewResponseController(e.w)
	for i, frame := range frames {
		if i > 0 && !e.wait(pace) {
			return
		}
		if _, err := e.w.Write(frame); err != nil {
			return
		}
		_ = control.Flush() // not every writer can
	}
}

// encode writes JSON. It gets the script's own objects only.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
