package peers

import (
	"path/filepath"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

// Store returns the program that measures Plimsoll's store in a file. It may use all
// cores, as what it is compared with does.
func Store(o Options) Peer { return measuring(o, "store") }

// StoreServer returns the one for the store in a server.
func StoreServer(o Options) Peer { return measuring(o, "storeserver") }

func measuring(o Options, name string) Peer {
	s := setup{o}
	binary := filepath.Join(s.Cache, "bin", name)
	err := s.run(s.Dir, "go", "build", "-o", binary, "./peers/"+name)
	return missing([]Peer{{Name: Us, Version: "this tree, Go", Command: line.Command{Args: []string{binary}}}}, err)[0]
}
