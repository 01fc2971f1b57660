//go:build !race

package sqlite

// slow divides how much the long tests do.
const slow = 1
