//go:build race

package demo

// underRace says that everything takes ten times as long.
const underRace = true
