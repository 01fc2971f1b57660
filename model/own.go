package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ownFormat marks a list in this package's own format.
const ownFormat = "plimsoll-models/1"

// loadOwn reads this package's own format:
// {"format": "plimsoll-models/1", "models": [{"id": …}, …]}.
func loadOwn(members []member) (*Registry, []error, error) {
	var models []Model
	var problems []error
	for _, m := range members {
		switch m.key {
		case "format":
			if !bytes.Equal(m.value, []byte(`"`+ownFormat+`"`)) {
				return nil, nil, &FormatError{formatOwn, m.offset, fmt.Errorf("want version %q, got %s", ownFormat, clip(string(m.value)))}
			}
		case "models":
			var err error
			if models, problems, err = readModels(m); err != nil {
				return nil, nil, err
			}
		}
	}
	return NewRegistry(models...), problems, nil
}

func readModels(list member) ([]Model, []error, error) {
	dec := json.NewDecoder(bytes.NewReader(list.value))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, nil, &FormatError{formatOwn, list.offset, errors.New(`"models": want an array`)}
	}
	var models []Model
	var problems []error
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, nil, &FormatError{formatOwn, list.offset + dec.InputOffset(), err}
		}
		var m Model
		err := json.Unmarshal(raw, &m)
		if err == nil {
			err = m.check()
		}
		if err != nil {
			problems = append(problems, &Problem{m.ID, list.offset + dec.InputOffset() - int64(len(raw)), err})
			continue
		}
		models = append(models, m)
	}
	return models, problems, nil
}

// check finds facts that cannot be.
func (m Model) check() error {
	if m.ID == "" {
		return errors.New(`field "id": want a name`)
	}
	for _, n := range []int{m.InputLimit, m.OutputLimit, m.Window, m.Cache.MinPrefix, m.Cache.LifeSeconds, m.Cache.LongLifeSeconds} {
		if n < 0 || n > maxCount {
			return fmt.Errorf("want a number from 0 to %d, got %d", maxCount, n)
		}
	}
	last := -1
	for _, c := range m.Cliffs {
		if c.Above <= last {
			return fmt.Errorf("cliff above %d: want cliffs in rising order", c.Above)
		}
		last = c.Above
	}
	return nil
}

// Write writes the registry in this package's own format, one model per line.
// head gives further members that stand before the models, in order.
func (r *Registry) Write(w io.Writer, head ...Note) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"format\": %q,\n", ownFormat)
	for _, n := range head {
		fmt.Fprintf(&b, "%s: %s,\n", quote(n.Key), quote(n.Text))
	}
	b.WriteString("\"models\": [")
	for i, m := range r.models {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("model: write %s: %w", m.ID, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// Note is a remark in the head of a written list.
type Note struct{ Key, Text string }

func quote(s string) []byte {
	out, _ := json.Marshal(s)
	return out
}
