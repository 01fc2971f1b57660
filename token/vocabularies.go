package token

import (
	"sync"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// vocabularies are the files that have been loaded, by path: they take tens of
// megabytes and a second each, and many models share one.
type vocabularies struct {
	mu     sync.Mutex
	loaded map[string]func() (*hf.Tokenizer, error)
}

// load returns the vocabulary of a file; nil vocabularies keep nothing.
func (v *vocabularies) load(path string) (*hf.Tokenizer, error) {
	if v == nil {
		return hf.Load(path)
	}
	return v.once(path)()
}

func (v *vocabularies) once(path string) func() (*hf.Tokenizer, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	load, ok := v.loaded[path]
	if !ok {
		load = sync.OnceValues(func() (*hf.Tokenizer, error) { return hf.Load(path) })
		if v.loaded == nil {
			v.loaded = map[string]func() (*hf.Tokenizer, error){}
		}
		v.loaded[path] = load
	}
	return load
}
