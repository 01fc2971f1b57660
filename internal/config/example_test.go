package config_test

import (
	"fmt"
	"log"

	"github.com/plimsoll/plimsoll/internal/config"
)

func ExampleLoad() {
	c, err := config.Load(&config.Options{
		Dir:     "testdata/project",
		Environ: []string{"PLIMSOLL_RESERVE=4000", "PLIMSOLL_MARKS_LOW=most"},
		Flags:   []config.Flag{{Key: "window", Value: 32_000}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range c.Values[:6] {
		fmt.Printf("%-11s %-14s %s\n", v.Key, v, v.Origin)
	}
	fmt.Println(c.Problems[0])
	// Output:
	// preset      agent          testdata/project/plimsoll.yaml:1
	// method      the preset's   default
	// model       gpt-4o         testdata/project/plimsoll.yaml:2
	// window      32000          --window
	// reserve     4000           PLIMSOLL_RESERVE
	// marks.high  0.9            testdata/project/plimsoll.yaml:4
	// PLIMSOLL_MARKS_LOW: marks.low "most": want a number above 0 and at most 1; the default is used
}
