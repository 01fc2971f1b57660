package telemetry

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// other is the label of everything that has none of its own.
const other = "other"

// oneOf returns the text if it is one of those that may be a label.
func oneOf[T ~string](text T, labels ...T) string {
	if slices.Contains(labels, text) {
		return string(text)
	}
	return other
}

func dialectLabel(d plimsoll.Dialect) string {
	return oneOf(d, dialects.All()...)
}

func decisionLabel(d transport.Decision) string {
	return oneOf(
		d, transport.Passed, transport.Cut, transport.Recalled, transport.Compacted, transport.Refused,
		transport.Bypassed, transport.Failed, transport.DryRun,
	)
}

func rungLabel(name string) string {
	return oneOf(name, "view", "dedupe", "clear", "reasoning", "compact", "slide", "trim", "recall")
}

// statusLabel keeps the statuses that an operator tells apart and joins the others.
func statusLabel(status int) string {
	switch status {
	case 200, 400, 401, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504, 529:
		return strconv.Itoa(status)
	}
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

const (
	// longestModel is how long the name of a model may be that is looked up.
	longestModel = 200
	// mostFamilies is how many names are remembered with their families.
	mostFamilies = 1024
)

// family is that of a model that the registry knows; clients may write anything.
func (m *Metrics) family(name string) string {
	if len(name) > longestModel {
		return other
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.families[name]
	if ok {
		return found
	}
	found = other
	if known, err := m.models.Lookup(name); err == nil && known.Family != "" {
		found = known.Family
	}
	if len(m.families) >= mostFamilies {
		clear(m.families)
	}
	m.families[name] = found
	return found
}

// Reason says in a word what ended a request early.
func Reason(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &timeout):
		return "upstream"
	}
	return other
}

// WarningKind says in a word what a warning is about.
func WarningKind(warning string) string {
	for _, k := range []struct{ word, kind string }{
		{"context is full", "overflow"},
		{"not shown", "hidden"},
		{"stor", "store"},
		{"began elsewhere", "chain"},
		{"put together", "chain"},
		{"not understood", "unread"},
		{"could not be managed", "engine"},
	} {
		if strings.Contains(warning, k.word) {
			return k.kind
		}
	}
	return other
}
