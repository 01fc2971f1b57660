package model

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"
)

//go:generate go run ./internal/genregistry

//go:embed registry.json
var registryJSON []byte

var curated = sync.OnceValue(func() *Registry {
	reg, problems, err := Load(bytes.NewReader(registryJSON))
	if err != nil || len(problems) > 0 {
		panic(fmt.Sprintf("model: embedded registry: %v %v", err, problems))
	}
	return reg
})

// Default is the curated registry that is compiled in, parsed on first use. Each
// entry carries the date of its facts.
func Default() *Registry { return curated() }
