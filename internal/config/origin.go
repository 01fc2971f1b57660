package config

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// OriginKind is a kind of source.
type OriginKind string

// The kinds, from the strongest to the weakest.
const (
	FromFlag    OriginKind = "flag"
	FromEnv     OriginKind = "environment"
	FromFile    OriginKind = "file"
	FromPreset  OriginKind = "preset"
	FromDefault OriginKind = "default"
)

// Origin says where a value came from.
type Origin struct {
	Kind OriginKind `json:"kind"`
	// Name is "--window", "PLIMSOLL_WINDOW", "plimsoll.yaml:12", the name of a
	// preset, or empty for a default.
	Name string `json:"name,omitempty"`
	// Follows is the key of the setting to which a default gave way, if one did.
	Follows string `json:"follows,omitempty"`
}

// String writes the origin for people.
func (o Origin) String() string {
	out := o.Name
	switch o.Kind {
	case FromDefault:
		out = "default"
	case FromPreset:
		out = "preset " + o.Name
	}
	if o.Follows != "" {
		out += ", follows " + o.Follows
	}
	return out
}

// Chosen says that the user wrote the value, as opposed to a preset or default.
func (o Origin) Chosen() bool { return o.Kind != FromDefault && o.Kind != FromPreset }

// Problem is a value that was passed over because it is not possible.
type Problem struct {
	// Origin is where it stands.
	Origin Origin
	// Key is the setting, with the entry if it is one of a list.
	Key string
	// Value is what was given.
	Value string
	// Reason says what is wrong with it.
	Reason string
	// Used is what is in force instead; zero if only an entry was left out.
	Used Origin
}

// Error says where which value is wrong, and what is used instead.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s: %s: %s; %s", p.Origin, p.what(), p.Reason, p.instead())
}

func (p *Problem) what() string {
	if p.Value == "" {
		return p.Key
	}
	return p.Key + " " + strconv.Quote(clip(p.Value))
}

func (p *Problem) instead() string {
	switch p.Used.Kind {
	case "":
		return "the entry is left out"
	case FromDefault:
		return "the default is used"
	case FromPreset:
		return "that of the preset " + p.Used.Name + " is used"
	}
	return "that of " + p.Used.String() + " is used"
}

// clip keeps messages short, whatever a file has in it.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
