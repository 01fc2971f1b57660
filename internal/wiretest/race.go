//go:build race

package wiretest

const raceEnabled = true
