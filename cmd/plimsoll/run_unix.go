//go:build unix

package main

import (
	"os"
	"syscall"
)

// forwarded are the signals that a program that is run gets from us, and fromKeys those
// of them that a terminal sends to it by itself.
var (
	forwarded = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}
	fromKeys  = []os.Signal{syscall.SIGINT, syscall.SIGQUIT}
)
