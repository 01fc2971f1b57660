package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll/model"
)

// note is a remark in the head of the written list.
type note struct{ Key, Text string }

// write writes the registry in Plimsoll's own format, one model per line, with the
// notes before the models.
func write(b *bytes.Buffer, reg *model.Registry) error {
	b.WriteString("{\n\"format\": \"plimsoll-models/1\",\n")
	for _, n := range notes {
		fmt.Fprintf(b, "%s: %s,\n", quote(n.Key), quote(n.Text))
	}
	b.WriteString("\"models\": [")
	for i, m := range reg.All() {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("write %s: %w", m.ID, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]\n}\n")
	return nil
}

func quote(s string) []byte {
	out, _ := json.Marshal(s)
	return out
}
