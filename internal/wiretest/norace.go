//go:build !race

package wiretest

const raceEnabled = false
