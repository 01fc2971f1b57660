// Package golden holds the behaviour of the engine and of the transport byte for
// byte. Its tests run whole conversations and compare what is planned, what is sent
// and what the client gets with files under testdata. "go test -update" rewrites
// the files. It has no code of its own, and no package may import it.
package golden
