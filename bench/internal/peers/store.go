package peers

import (
	"path/filepath"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

// Store returns the program that measures Plimsoll's store. It may use all cores, as
// what it is compared with does.
func Store(o Options) Peer {
	s := setup{o}
	binary := filepath.Join(s.Cache, "bin", "store")
	err := s.run(s.Dir, "go", "build", "-o", binary, "./peers/store")
	return missing([]Peer{{Name: Us, Version: "this tree, Go", Command: line.Command{Args: []string{binary}}}}, err)[0]
}
