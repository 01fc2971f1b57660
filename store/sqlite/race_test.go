//go:build race

package sqlite

// slow divides how much the long tests do: under the race detector SQLite, which is
// Go code too, is ten times slower.
const slow = 8
