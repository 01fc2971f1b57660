package transport

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// The headers by which a client says how one request is to be managed, and by which
// the answer says what was done. None of them goes upstream.
const (
	headerPrefix       = "X-Plimsoll-"
	HeaderBypass       = headerPrefix + "Bypass"
	HeaderPreset       = headerPrefix + "Preset"
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
	limit          int
	pins           []fit.Pin
	conversation   string
}

// readControls reads the headers by which a client controls one request.
func readControls(h http.Header) (controls, error) {
	c := controls{
		bypass: isOn(h.Get(HeaderBypass)), dryRun: isOn(h.Get(HeaderDryRun)),
		preset: h.Get(HeaderPreset), conversation: h.Get(HeaderConversation),
	}
	if text := h.Get(HeaderLimit); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return c, badHeader(HeaderLimit, text, "want a number of tokens above zero; leave the header out for the limit of the model")
		}
		c.limit = n
	}
	for _, text := range h.Values(HeaderPin) {
		pin, err := parsePin(text)
		if err != nil {
			return c, err
		}
		c.pins = append(c.pins, pin)
	}
	return c, nil
}

func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// maxPin bounds the pattern of a pin, which is compared with every message.
const maxPin = 1024

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
		re, err := regexp.Compile(value)
		if err == nil {
			pin.Match = re
			return pin, nil
		}
	}
	return pin, badHeader(HeaderPin, text, "want role=NAME, index=N, tool=NAME or match=PATTERN")
}

func badHeader(name, value, want string) error {
	return &plimsoll.Error{
		Op: "read the header " + name, Code: plimsoll.CodeInvalid,
		Err: fmt.Errorf("%.80q: %w", value, plimsoll.ErrInvalid), Hint: want,
	}
}

func unknownPreset(name string) error {
	return &plimsoll.Error{
		Op: "read the header " + HeaderPreset, Code: plimsoll.CodeInvalid,
		Err: fmt.Errorf("preset %.40q is not served here: %w", name, plimsoll.ErrInvalid), Hint: "leave the header out",
	}
}

// stripControls takes our headers off a request that goes upstream.
func stripControls(h http.Header) {
	for name := range h {
		if len(name) > len(headerPrefix) && strings.EqualFold(name[:len(headerPrefix)], headerPrefix) {
			delete(h, name)
		}
	}
}
