package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
				return nil, nil, &formatError{formatOwn, m.offset, fmt.Errorf("want version %q, got %s", ownFormat, clip(string(m.value)))}
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
		return nil, nil, &formatError{formatOwn, list.offset, errors.New(`"models": want an array`)}
	}
	var models []Model
	var problems []error
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, nil, &formatError{formatOwn, list.offset + dec.InputOffset(), err}
		}
		var m Model
		err := json.Unmarshal(raw, &m)
		if err == nil {
			err = m.check()
		}
		if err != nil {
			problems = append(problems, &problem{m.ID, list.offset + dec.InputOffset() - int64(len(raw)), err})
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
