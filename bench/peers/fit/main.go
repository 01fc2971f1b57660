// Command fit measures Plimsoll's keeper for the benchmark: it fits recorded
// conversations into budgets, and it times first and further requests.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := do(strings.Split(lines.Text(), "\t"))
		if err != nil {
			answer = "error\t" + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(answer)
	}
}

func do(fields []string) (string, error) {
	switch {
	case fields[0] == "trim" && len(fields) == 5:
		return trimAll(fields[1], fields[2], fields[3])
	case fields[0] == "figures" && len(fields) == 3:
		return figures(fields[1], fields[2])
	case fields[0] == "waits" && len(fields) == 3:
		return waits(fields[1], fields[2])
	case fields[0] == "sight" && len(fields) == 4:
		return sight(fields[1], fields[2], fields[3])
	}
	return "", fmt.Errorf("unknown command %q", fields)
}
