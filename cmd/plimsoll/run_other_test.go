//go:build !unix

package main

// signalParent does nothing: there are no such signals here.
func signalParent(string) {}
