package main

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/report"
)

// weighed is what count says of one conversation or text, to be shown.
type weighed struct{ report.Count }

// title names the report in one line.
func (r weighed) title() string {
	name := bar.Clean(r.File)
	if r.Conversation > 0 {
		return fmt.Sprintf("%s #%d", name, r.Conversation)
	}
	return name
}
