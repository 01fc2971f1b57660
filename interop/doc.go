// Package interop holds the tests of plimsoll with programs that others wrote: the
// libraries of the providers for Go and JavaScript, and agents. They speak to a
// scripted model on this machine; none of them needs a key or a network once it is
// installed.
package interop
