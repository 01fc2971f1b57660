package report

import "github.com/plimsoll/plimsoll/bench/internal/house"

// House shows how much a reader must hold in the head.
func House(figures []house.Figure) string {
	t := &table{head: []string{"measure", "now"}}
	details := ""
	for _, f := range figures {
		t.add(f.Name, f.Value)
		if f.Detail != "" {
			details += "\n" + f.Name + ": " + f.Detail + "\n"
		}
	}
	return t.String() + details
}
