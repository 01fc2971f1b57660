// Package peers knows the tokenizers that the benchmark compares and gets their
// measuring programs ready: it builds, installs and says why it could not. It
// writes into a cache folder only, and measures nothing.
package peers

import (
	"io"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

// Names that the report looks for.
const (
	Us        = "plimsoll"
	Portable  = "plimsoll, portable"
	BestGo    = "tiktoken-go/tokenizer"
	Native    = "bpe-openai"
	Reference = "tiktoken (npm)"
)

// Peer is a tokenizer in the comparison.
type Peer struct {
	Name string `json:"name"`
	// Version that was measured, with the language or registry it comes from.
	Version string `json:"version"`
	// Slow peers get shorter texts.
	Slow bool `json:"slow,omitempty"`
	// Missing says why the peer is not there; empty if it is.
	Missing string `json:"missing,omitempty"`

	Command line.Command `json:"-"`
}

// Options say where things are.
type Options struct {
	// Dir is the folder of this module.
	Dir string
	// Cache is the folder for everything that is built and installed.
	Cache string
	// Log gets a line for each step.
	Log io.Writer
}

// Setup gets all peers ready. A peer that cannot be had is returned with the
// reason; only a failure to build Plimsoll itself leaves nothing to compare.
func Setup(o Options) []Peer {
	s := setup{o}
	var all []Peer
	all = append(all, s.golang()...)
	all = append(all, s.rust()...)
	all = append(all, s.python()...)
	return append(all, s.npm()...)
}

// missing marks all peers of a group.
func missing(group []Peer, err error) []Peer {
	if err == nil {
		return group
	}
	for i := range group {
		group[i].Missing = err.Error()
	}
	return group
}
