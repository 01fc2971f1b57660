package config

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/pattern"
)

// pinKeys are the conditions of a pin.
func pinKeys() []string { return []string{"role", "index", "tool", "match"} }

// decodePin reads a pin: a mapping of conditions, all of which must hold, or one
// condition as a text such as "role=system".
func decodePin(n node) (fit.Pin, *issue) {
	pairs := n.pairs
	if n.shape == scalar {
		key, value, ok := strings.Cut(n.text, "=")
		if !ok {
			return fit.Pin{}, wrong(n, "want a condition such as role=system")
		}
		pairs = []pair{{
			node{shape: scalar, text: strings.TrimSpace(key), line: n.line},
			node{shape: scalar, text: value, line: n.line},
		}}
	}
	if len(pairs) == 0 {
		return fit.Pin{}, wrong(n, "want one of %s", strings.Join(pinKeys(), ", "))
	}
	var out fit.Pin
	for _, p := range pairs {
		if i := setCondition(&out, p); i != nil {
			return out, i
		}
	}
	return out, nil
}

func setCondition(pin *fit.Pin, p pair) *issue {
	if p.value.shape != scalar || p.value.text == "" {
		return wrong(p.value, "want a text")
	}
	text := p.value.text
	switch fold(p.key.text) {
	case "role":
		roles := []plimsoll.Role{plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole}
		if pin.Role = plimsoll.Role(text); !slices.Contains(roles, pin.Role) {
			return wrong(p.value, "want system, developer, user, assistant or tool")
		}
	case "index":
		x, err := strconv.Atoi(text)
		if err != nil {
			return wrong(p.value, "want a whole number, negative from the end")
		}
		pin.Index = &x
	case "tool":
		pin.Tool = text
	case "match":
		re, err := pattern.Compile(text)
		if err != nil {
			return wrong(p.value, "%v", err)
		}
		pin.Match = re
	default:
		i := wrong(p.key, "unknown key %q", clip(p.key.text))
		i.unknown = "a pin has one of " + strings.Join(pinKeys(), ", ")
		return i
	}
	return nil
}

// pinConditions walks through what a pin demands.
func pinConditions(p fit.Pin) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		ok := p.Role == "" || yield("role", p.Role)
		ok = ok && (p.Index == nil || yield("index", *p.Index))
		ok = ok && (p.Tool == "" || yield("tool", p.Tool))
		_ = ok && (p.Match == nil || yield("match", p.Match.String()))
	}
}

// pinText writes a pin in a line.
func pinText(p fit.Pin) string {
	var all []string
	for key, value := range pinConditions(p) {
		all = append(all, fmt.Sprintf("%s=%v", key, value))
	}
	return strings.Join(all, " and ")
}
