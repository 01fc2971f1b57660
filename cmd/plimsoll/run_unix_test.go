//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalParent sends a signal to whoever started this program, and waits until it comes
// back.
func signalParent(name string) {
	sent := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1}[name]
	if name == "KILL" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	back := make(chan os.Signal, 1)
	signal.Notify(back, sent)
	if err := syscall.Kill(os.Getppid(), sent); err != nil {
		panic(err)
	}
	fmt.Println("got", <-back)
	os.Exit(7)
}
