// Command plimsoll shows what conversations with language models weigh and how
// much room they have left, and knows the facts about models.
//
// It is the only place that knows every package and every flag: it parses, wires
// and prints, and leaves what can be wrong about tokens, limits and formats to
// the packages that answer for it.
package main

import "os"

func main() {
	os.Exit(run(&process{
		args:    os.Args[1:],
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		environ: os.Environ(),
	}))
}
