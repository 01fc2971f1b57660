package remote

import (
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// object is a JSON object. Members can be set and removed, while all others keep their
// bytes.
type object struct {
	body []byte
	list rawjson.List
	keys []string
	// values run in parallel with the keys.
	values []rawjson.Span
	kept   []bool
	edits  []rawjson.Edit
	added  [][]byte
}

// parseObject reads the members of an object; of anything else there are none.
func parseObject(body []byte) *object {
	o := &object{body: body, list: rawjson.NewScanner(body).List()}
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		o.list = rawjson.List{}
		return o
	}
	for key := range s.Members() {
		o.keys = append(o.keys, string(key))
		o.values = append(o.values, s.Value())
		o.kept = append(o.kept, true)
	}
	return o
}

// get returns the value of the last member of any of the names, or nil.
func (o *object) get(names ...string) []byte {
	var value []byte
	o.each(names, func(i int) { value = o.values[i].Of(o.body) })
	return value
}

// has reports whether there is a member of the name that is not null, false or empty.
func (o *object) has(names ...string) bool {
	switch string(o.get(names...)) {
	case "", "null", "false", "[]", "{}", `""`:
		return false
	}
	return true
}

// each visits the members of any of the names.
func (o *object) each(names []string, visit func(i int)) {
	for i, key := range o.keys {
		for _, name := range names {
			if key == name {
				visit(i)
			}
		}
	}
}

// replace sets members of the name that are there.
func (o *object) replace(name, value string) (found bool) {
	o.each([]string{name}, func(i int) {
		found = true
		if string(o.values[i].Of(o.body)) != value {
			o.edits = append(o.edits, rawjson.Edit{Span: o.values[i], Text: []byte(value)})
		}
	})
	return found
}

// set sets a member, under the first of its names that is there, else as a new one
// of the first name.
func (o *object) set(value string, names ...string) {
	for _, name := range names {
		if o.replace(name, value) {
			return
		}
	}
	o.added = append(o.added, []byte(quoted(names[0])+":"+value))
}

// remove takes members out.
func (o *object) remove(names ...string) {
	o.each(names, func(i int) { o.kept[i] = false })
}

// within changes the object that is the value of a member, if there is one.
func (o *object) within(change func(inner *object), names ...string) (found bool) {
	o.each(names, func(i int) {
		inner := parseObject(o.values[i].Of(o.body))
		if inner.list.IsZero() {
			return
		}
		change(inner)
		if text, err := inner.bytes(); err == nil {
			found = true
			o.edits = append(o.edits, rawjson.Edit{Span: o.values[i], Text: text})
		}
	})
	return found
}

// bytes writes the object.
func (o *object) bytes() ([]byte, error) {
	edits := o.edits[:0:0]
	for _, e := range o.edits {
		if o.stays(e.Span) {
			edits = append(edits, e)
		}
	}
	inserts := map[int][][]byte{}
	if len(o.added) > 0 {
		inserts[len(o.list.Items)] = o.added
	}
	if !o.list.IsZero() {
		edits = append(edits, rawjson.Rearrange(o.list, o.kept, inserts)...)
	}
	return rawjson.Splice(o.body, edits)
}

// stays reports whether the member with a value is kept.
func (o *object) stays(value rawjson.Span) bool {
	for i, v := range o.values {
		if v == value {
			return o.kept[i]
		}
	}
	return false
}
