// Package rig sets up what a client is tested with, on loopback: a scripted upstream
// with a window, `plimsoll serve` as a process of its own in front of it, and between
// the client and that a tap, which writes down what the client sent and what it got.
//
//	client ─▶ tap ─▶ plimsoll serve ─▶ upstream
//
// Without the process the client speaks to the upstream, which is how it is known what
// the client does when nothing is cut.
package rig
