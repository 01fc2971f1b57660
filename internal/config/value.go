package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/fit"
)

// String writes the value for people: lists with commas, and where there is no
// value, what that means.
func (v Value) String() string {
	r := reflect.ValueOf(v.Value)
	if r.IsZero() && v.Null != "" {
		return v.Null
	}
	return words(reflect.Indirect(r))
}

func words(v reflect.Value) string {
	var parts []string
	switch v.Kind() {
	case reflect.Slice:
		for _, item := range v.Seq2() {
			parts = append(parts, words(item))
		}
	case reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(v.Interface().(map[string]int))) {
			parts = append(parts, fmt.Sprintf("%s=%d", key, v.MapIndex(reflect.ValueOf(key)).Int()))
		}
	default:
		switch special := v.Interface().(type) {
		case fit.Pin:
			return pinText(special)
		case Path:
			return special.shown()
		}
		return fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON writes key, value, origin, variable and default.
func (v Value) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key    string     `json:"key"`
		Value  any        `json:"value"`
		Source OriginKind `json:"source"`
		From   string     `json:"from"`
		Env    string     `json:"env"`
	}{v.Key, v.plain(), v.Origin.Kind, v.Origin.String(), v.Env})
}

// plain is the value as it could stand in a file; nil if there is none.
func (v Value) plain() any {
	if reflect.ValueOf(v.Value).IsZero() && v.Null != "" {
		return nil
	}
	switch value := v.Value.(type) {
	case []fit.Pin:
		var out []map[string]any
		for _, p := range value {
			out = append(out, maps.Collect(pinConditions(p)))
		}
		return out
	case []Path:
		var out []string
		for _, p := range value {
			out = append(out, p.shown())
		}
		return out
	case Path:
		return value.shown()
	}
	return v.Value
}

// shown is the path for people: passwords in addresses are left out.
func (p Path) shown() string {
	if !strings.Contains(string(p), "://") {
		return string(p)
	}
	u, err := url.Parse(string(p))
	if err != nil {
		scheme, _, _ := strings.Cut(string(p), "://")
		return scheme + "://…"
	}
	if query := u.Query(); query.Has("password") {
		query.Set("password", "xxxxx")
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}
