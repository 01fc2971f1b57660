package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxListBytes is the largest list that is read; the complete public lists have
// about three million bytes.
const maxListBytes = 32 << 20

// errTooLarge says that a list has more than [MaxListBytes].
var errTooLarge = errors.New("list is too large")

// problem is an entry of a list that was left out because it could not be
// understood.
type problem struct {
	// Key says which entry, as "id" or "provider/id".
	Key string
	// Offset is where the entry's value begins in the list, in bytes.
	Offset int64
	// Err says what was expected.
	Err error
}

func (p *problem) Error() string {
	return fmt.Sprintf("model %q at byte %d: %v", clip(p.Key), p.Offset, p.Err)
}

// Unwrap gives what was expected.
func (p *problem) Unwrap() error { return p.Err }

// formatError says that a list as a whole could not be read.
type formatError struct {
	// Format is the format that was expected.
	Format string
	// Offset is where the list stopped making sense, in bytes.
	Offset int64
	Err    error
}

func (e *formatError) Error() string {
	return fmt.Sprintf("model: read %s list: at byte %d: %v", e.Format, e.Offset, e.Err)
}

// Unwrap gives the cause.
func (e *formatError) Unwrap() error { return e.Err }

// The names of the formats, as they stand in errors.
const (
	formatOwn       = "plimsoll"
	formatLiteLLM   = "LiteLLM"
	formatModelsDev = "models.dev"
	formatAny       = "model"
)

// Load reads a list in any of the formats this package knows and tells them
// apart by their content: its own, LiteLLM's and models.dev's. Entries that make
// no sense are left out and reported as problems, each a [*Problem]; an error
// means that the list as a whole is unusable.
func Load(r io.Reader) (*Registry, []error, error) {
	members, err := readMembers(formatAny, r)
	if err != nil {
		return nil, nil, err
	}
	switch detect(members) {
	case formatOwn:
		return loadOwn(members)
	case formatLiteLLM:
		return loadLiteLLM(members)
	case formatModelsDev:
		return loadModelsDev(members)
	}
	return nil, nil, &formatError{formatAny, 0, errors.New(`not recognised: want an object {"format": "plimsoll-models/1", …}, {ID: {"max_input_tokens": …}} as LiteLLM has it, or {PROVIDER: {"models": {…}}} as models.dev has it`)}
}

// detect tells the formats apart. LiteLLM's first entry is a description, so one
// entry is not enough to judge by.
func detect(members []member) string {
	for _, m := range members {
		if m.key == "format" && bytes.HasPrefix(m.value, []byte(`"plimsoll-models/`)) {
			return formatOwn
		}
		var probe struct {
			Models    json.RawMessage `json:"models"`
			Mode      json.RawMessage `json:"mode"`
			Provider  json.RawMessage `json:"litellm_provider"`
			MaxInput  json.RawMessage `json:"max_input_tokens"`
			MaxTokens json.RawMessage `json:"max_tokens"`
		}
		if json.Unmarshal(m.value, &probe) != nil {
			continue
		}
		if len(probe.Models) > 0 && probe.Models[0] == '{' {
			return formatModelsDev
		}
		if probe.Mode != nil || probe.Provider != nil || probe.MaxInput != nil || probe.MaxTokens != nil {
			return formatLiteLLM
		}
	}
	return ""
}

// member is one member of a JSON object with the place of its value.
type member struct {
	key    string
	value  json.RawMessage
	offset int64
}

// readMembers reads a whole list and splits its outermost object.
func readMembers(format string, r io.Reader) ([]member, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxListBytes+1))
	if err != nil {
		return nil, fmt.Errorf("model: read %s list: %w", format, err)
	}
	if len(data) > maxListBytes {
		return nil, &formatError{format, maxListBytes, errTooLarge}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	members, at, err := splitObject(data)
	if err != nil {
		return nil, &formatError{format, at, err}
	}
	return members, nil
}

// splitObject gives the members of the JSON object in data; on failure it says
// where.
func splitObject(data []byte) ([]member, int64, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, 0, errors.New("want a JSON object")
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, dec.InputOffset(), err
		}
		m := member{key: key.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, dec.InputOffset(), fmt.Errorf("value of %q: %w", clip(m.key), err)
		}
		m.offset = dec.InputOffset() - int64(len(m.value))
		out = append(out, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, dec.InputOffset(), err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, dec.InputOffset(), errors.New("want nothing behind the object")
	}
	return out, 0, nil
}

// entryReader reads single values out of one entry and keeps the first thing that was
// not as expected.
type entryReader struct {
	values map[string]any
	err    error
}

func readFields(raw json.RawMessage) entryReader {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	f := entryReader{}
	if err := dec.Decode(&f.values); err != nil || f.values == nil {
		f.err = errors.New("want an object with the facts of one model")
	}
	return f
}

func (f *entryReader) fail(name, want string, got any) {
	if f.err == nil {
		f.err = fmt.Errorf("field %q: want %s, got %s", name, want, clip(fmt.Sprint(got)))
	}
}

// maxCount is more tokens than any window will have for a long time; a larger
// number is a mistake in the list.
const maxCount = 1 << 40

// count reads a number of tokens. Lists write some as 2000000.0 or 2e6.
func (f *entryReader) count(name string) int {
	v, ok := f.values[name]
	if !ok || v == nil {
		return 0
	}
	n, ok := v.(json.Number)
	x, err := n.Float64()
	if !ok || err != nil || x < 0 || x > maxCount || x != float64(int64(x)) {
		f.fail(name, "a whole number of tokens", v)
		return 0
	}
	return int(x)
}

// rate reads a price; scale turns the list's unit into a [Rate]. It gives nil
// when the list has no such price.
func (f *entryReader) rate(name string, scale float64) *Rate {
	v, ok := f.values[name]
	if !ok || v == nil {
		return nil
	}
	n, ok := v.(json.Number)
	x, err := n.Float64()
	if !ok || err != nil {
		f.fail(name, "a price", v)
		return nil
	}
	rate, err := rateOf(x, scale)
	if err != nil {
		f.fail(name, "a price", err)
		return nil
	}
	return &rate
}

func (f *entryReader) text(name string) string {
	v, ok := f.values[name]
	if !ok || v == nil {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.fail(name, "a string", v)
	}
	return s
}

func (f *entryReader) flag(name string) bool {
	b, _ := f.values[name].(bool)
	return b
}

func (f *entryReader) object(name string) entryReader {
	inner, _ := f.values[name].(map[string]any)
	return entryReader{values: inner}
}

func (f *entryReader) list(name string) []any {
	inner, _ := f.values[name].([]any)
	return inner
}

// statedPrices turns the prices a list states into the prices that are billed.
// Lists write a cache price of zero beside an input price where the provider
// states none.
func statedPrices(input, output, read, write, long *Rate) Prices {
	if input == nil {
		return Prices{}
	}
	f := priceFields{Input: *input}
	if output != nil {
		f.Output = *output
	}
	f.CacheRead, f.CacheWrite, f.CacheWriteLong = unlessZero(read), unlessZero(write), unlessZero(long)
	return f.prices()
}

func unlessZero(r *Rate) *Rate {
	if r == nil || *r == 0 {
		return nil
	}
	return r
}
