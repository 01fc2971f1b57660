//go:build !linux

package main

// pin does nothing where a program cannot be kept on a core.
func pin() bool { return false }
