package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/fit"
)

// node is a value as it was written, before anyone knows what it shall be. Scalars
// keep their text: "1.10" is a number for one setting and a name for another.
type node struct {
	shape shape
	text  string
	items []node
	pairs []pair
	// line is that of the file; 0 elsewhere.
	line int
}

type pair struct {
	key   node
	value node
}

type shape uint8

const (
	null shape = iota
	scalar
	list
	mapping
)

// String writes a node in one line, for messages.
func (n node) String() string {
	var parts []string
	switch n.shape {
	case scalar:
		return n.text
	case list:
		for _, item := range n.items {
			parts = append(parts, item.String())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapping:
		for _, p := range n.pairs {
			parts = append(parts, p.key.text+": "+p.value.String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "null"
}

// textNode reads a value that has no syntax of its own, from a variable or a tag.
// Lists are written with commas, or as in a file with brackets.
func textNode(f Field, text string) (node, error) {
	text = strings.TrimSpace(text)
	if text == "null" && f.Null != "" {
		return node{}, nil
	}
	if k := f.kind.Kind(); k != reflect.Slice && k != reflect.Map {
		return node{shape: scalar, text: text}, nil
	}
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		return parseYAML([]byte(text))
	}
	var items []node
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, node{shape: scalar, text: item})
		}
	}
	return node{shape: list, items: items}, nil
}

// valueNode reads a Go value; ok is false for one that says nothing: nil, an empty
// text or an empty list.
func valueNode(value any) (n node, ok bool) {
	if pin, is := value.(fit.Pin); is {
		value = maps.Collect(pinConditions(pin))
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return node{}, false
	case reflect.Pointer:
		if v.IsNil() {
			return node{}, false
		}
		return valueNode(v.Elem().Interface())
	case reflect.Slice:
		n.shape = list
		for _, item := range v.Seq2() {
			element, _ := valueNode(item.Interface())
			n.items = append(n.items, element)
		}
		return n, len(n.items) > 0
	case reflect.Map:
		n.shape = mapping
		for key, item := range v.Seq2() {
			element, _ := valueNode(item.Interface())
			n.pairs = append(n.pairs, pair{node{shape: scalar, text: key.String()}, element})
		}
		slices.SortFunc(n.pairs, func(a, b pair) int { return strings.Compare(a.key.text, b.key.text) })
		return n, len(n.pairs) > 0
	}
	text := fmt.Sprint(value)
	return node{shape: scalar, text: text}, text != ""
}
