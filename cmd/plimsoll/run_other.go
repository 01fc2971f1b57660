//go:build !unix

package main

import "os"

// forwarded are the signals that a program that is run gets from us, and fromKeys those
// of them that a terminal sends to it by itself.
var (
	forwarded = []os.Signal{os.Interrupt}
	fromKeys  = []os.Signal{os.Interrupt}
)
