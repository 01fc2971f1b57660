//go:build !race

package hf_test

const underRace = false
