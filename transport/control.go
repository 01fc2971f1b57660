package transport

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/pattern"
)

// The headers by which a client says how one request is to be managed, and by which
// the answer says what was done. None of them goes upstream.
const (
	headerPrefix       = "X-Plimsoll-"
	HeaderBypass       = headerPrefix + "Bypass"
	HeaderPreset       = headerPrefix + "Preset"
	HeaderWindow       = headerPrefix + "Window"
	HeaderLimit        = headerPrefix + "Limit"
	HeaderPin          = headerPrefix + "Pin"
	HeaderConversation = headerPrefix + "Conversation"
	HeaderDryRun       = headerPrefix + "Dry-Run"
	HeaderLoad         = headerPrefix + "Load"
	HeaderSaved        = headerPrefix + "Saved"
	HeaderDecision     = headerPrefix + "Decision"
	HeaderSummary      = headerPrefix + "Summary"
	HeaderWarning      = headerPrefix + "Warning"
)

// controls is what the headers of a request say.
type controls struct {
	bypass, dryRun bool
	preset         string
	window, limit  int
	pins           []fit.Pin
	conversation   string
}

// readControls reads the headers by which a client controls one request.
func readControls(h http.Header) (controls, error) {
	c := controls{
		bypass: isOn(h.Get(HeaderBypass)), dryRun: isOn(h.Get(HeaderDryRun)),
		preset: h.Get(HeaderPreset), conversation: h.Get(HeaderConversation),
	}
	var err error
	if c.window, err = tokensIn(h, HeaderWindow); err != nil {
		return c, err
	}
	if c.limit, err = tokensIn(h, HeaderLimit); err != nil {
		return c, err
	}
	if c.window > 0 && c.limit > 0 {
		return c, badHeader(HeaderLimit, "it is a window of which nothing is reserved: leave out "+HeaderWindow)
	}
	if len(c.conversation) > maxName {
		return c, badHeader(HeaderConversation, fmt.Sprintf("want a name of at most %d bytes", maxName))
	}
	pins := h.Values(HeaderPin)
	if len(pins) > maxPins {
		return c, badHeader(HeaderPin, fmt.Sprintf("want at most %d pins", maxPins))
	}
	for _, text := range pins {
		pin, err := parsePin(text)
		if err != nil {
			return c, err
		}
		c.pins = append(c.pins, pin)
	}
	return c, nil
}

// tokensIn reads a number of tokens; 0 if the header is not there.
func tokensIn(h http.Header, name string) (int, error) {
	text := h.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, badHeader(name, "want a number of tokens above zero; leave the header out for that of the model")
	}
	return n, nil
}

func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

const (
	// maxPin bounds the pattern of a pin, which is compared with every message, and
	// maxPins how many there may be.
	maxPin, maxPins = 1024, 32
	// maxName bounds names of models and conversations, which are remembered.
	maxName = 512
)

func parsePin(text string) (fit.Pin, error) {
	kind, value, _ := strings.Cut(text, "=")
	var pin fit.Pin
	switch {
	case value == "" || len(text) > maxPin:
	case kind == "role":
		pin.Role = plimsoll.Role(value)
		return pin, nil
	case kind == "index":
		if i, err := strconv.Atoi(value); err == nil {
			pin.Index = &i
			return pin, nil
		}
	case kind == "tool":
		pin.Tool = value
		return pin, nil
	case kind == "match":
		re, err := pattern.Compile(value)
		if err != nil {
			return pin, badHeader(HeaderPin, err.Error())
		}
		pin.Match = re
		return pin, nil
	}
	return pin, badHeader(HeaderPin, "want role=NAME, index=N, tool=NAME or match=PATTERN")
}

// badHeader says what a header should be. It does not quote the value: the error ends up
// in the operator's log, and a client may put a key anywhere.
func badHeader(name, want string) error {
	return &plimsoll.Error{
		Op: "read the header " + name, Code: plimsoll.CodeInvalid, Err: plimsoll.ErrInvalid, Hint: want,
	}
}

func unknownPreset() error {
	return &plimsoll.Error{
		Op: "read the header " + HeaderPreset, Code: plimsoll.CodeInvalid,
		Err: fmt.Errorf("the preset is not served here: %w", plimsoll.ErrInvalid), Hint: "leave the header out",
	}
}

// stripped takes our headers off an answer of the upstream, which cannot speak for us.
func stripped(resp *http.Response) *http.Response {
	if resp != nil {
		stripControls(resp.Header)
	}
	return resp
}

// stripControls takes our headers off what goes upstream or comes from there.
func stripControls(h http.Header) {
	for name := range h {
		if len(name) > len(headerPrefix) && strings.EqualFold(name[:len(headerPrefix)], headerPrefix) {
			delete(h, name)
		}
	}
}
