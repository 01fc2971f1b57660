//go:build race

package hf_test

// underRace leaves most vocabularies to the run without the race detector, which loads them ten
// times faster. What is shared between goroutines has a test of its own.
const underRace = true
