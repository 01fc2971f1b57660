package fit

import (
	"bufio"
	"encoding/json"
	"os"
	"time"
)

// Outcome is what a library made of a case with one of its budgets. A program
// writes one a line, in the order of the cases and their budgets, when it is sent
// the fields "trim", the way, the file of cases, the file for the outcomes and the
// seconds after which a call is to be stopped. It answers as in package line.
type Outcome struct {
	// Messages that are left.
	Messages json.RawMessage `json:"messages,omitempty"`
	// Refused says why the library would not do it; Failed that it gave its input
	// back after an error; Stopped that it took too long.
	Refused string `json:"refused,omitempty"`
	Failed  string `json:"failed,omitempty"`
	Stopped bool   `json:"stopped,omitempty"`
	// Tokens that are left by the count of the library itself.
	Tokens int `json:"tokens,omitempty"`
	// CPU time of the best pass.
	CPU time.Duration `json:"cpu_ns"`
}

// WriteLines writes values as JSON, one a line.
func WriteLines[T any](file string, values []T) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// ReadLines reads what WriteLines wrote.
func ReadLines[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []T
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
