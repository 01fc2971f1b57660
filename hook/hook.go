// Package hook lets other programs have a say in compactions: a command or
// an address is asked before one, and told what became of it. Both get the same JSON
// and may answer the same.
//
// A hook that fails, answers nonsense or takes too long never stops a compaction:
// only a veto does. What was said in the conversation does not leave the process
// unless [Options.Content] says so.
package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// defaultTimeout is how long a hook may take.
const defaultTimeout = 10 * time.Second

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// Options configure a [Hook]. The zero value is ready to use.
type Options struct {
	// Timeout is how long the hook may take; 0 means 10 seconds.
	Timeout time.Duration
	// Content sends what was said along, for back-ups. Only the hook that is asked
	// before gets it.
	Content bool
	// Dir and Env are the directory and the environment of a command; empty means
	// the program's own.
	Dir string
	Env []string
	// Header is sent to an address, such as one that proves who asks.
	Header http.Header
	// Transport sends what goes to an address; nil means the standard one.
	Transport http.RoundTripper
}

// Hook is a command or an address. It is safe for concurrent use. Its methods are
// what [fit.Hooks] lists.
type Hook struct {
	name    string
	options Options
	deliver func(ctx context.Context, notice []byte) (answer, error)
}

// answer is what a hook said: JSON, or a veto by other means.
type answer struct {
	body []byte
	veto string
}

func newHook(name string, o *Options) *Hook {
	h := &Hook{name: name}
	if o != nil {
		h.options = *o
	}
	if h.options.Timeout <= 0 {
		h.options.Timeout = defaultTimeout
	}
	return h
}

// PreCompress asks the hook about a compaction. An error means that it could not be
// asked, and is no veto.
func (h *Hook) PreCompress(ctx context.Context, p fit.PreCompress) (fit.Verdict, error) {
	a, err := h.send(ctx, before(p, h.options.Content))
	if err != nil {
		return fit.Verdict{}, err
	}
	if a.veto != "" {
		return fit.Verdict{Veto: a.veto}, nil
	}
	v, err := parseVerdict(a.body)
	if err != nil {
		return fit.Verdict{}, h.failed(err)
	}
	return v, nil
}

// PostCompress tells the hook what became of a compaction. What it answers does not
// matter.
func (h *Hook) PostCompress(ctx context.Context, c fit.ChatCompressed) error {
	a, err := h.send(ctx, after(c))
	if err == nil && a.veto != "" {
		err = h.failed(fmt.Errorf("it is too late for a veto: %s", a.veto))
	}
	return err
}

// errTime is the cause of a context that ended by our own limit.
var errTime = errors.New("out of time")

func (h *Hook) send(ctx context.Context, n notice) (answer, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return answer{}, h.failed(err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, h.options.Timeout, errTime)
	defer cancel()
	a, err := h.deliver(limited, body)
	switch {
	case err == nil:
		return a, nil
	case errors.Is(context.Cause(limited), errTime):
		err = fmt.Errorf("it took more than %v and was ended", h.options.Timeout)
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	return answer{}, h.failed(err)
}

func (h *Hook) failed(err error) error {
	return &plimsoll.Error{
		Op: "hook " + h.name, Code: plimsoll.CodeUnavailable, Err: err,
		Hint: "run it by hand with the same JSON, or take it out of the configuration; the compaction does not depend on it",
	}
}

// parseVerdict reads an answer. Nothing is no objection, and members that are not
// ours are passed over.
func parseVerdict(body []byte) (fit.Verdict, error) {
	if len(body) > maxAnswer {
		return fit.Verdict{}, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	if strings.TrimSpace(string(body)) == "" {
		return fit.Verdict{}, nil
	}
	var said struct {
		Veto       string   `json:"veto"`
		Directives []string `json:"directives"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return fit.Verdict{}, fmt.Errorf(`the answer is not {"veto":"reason","directives":["…"]} or nothing: %w`, err)
	}
	v := fit.Verdict{Veto: strings.TrimSpace(said.Veto)}
	for _, d := range said.Directives {
		if d = strings.TrimSpace(d); d != "" {
			v.Directives = append(v.Directives, d)
		}
	}
	return v, nil
}
