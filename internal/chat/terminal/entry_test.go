package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/charmbracelet/x/ansi"
)

func TestTablesFitTheirWidth(t *testing.T) {
	t.Parallel()
	const table = "/prune [TURNS]      Drop the oldest turns.\n/undo               Take it back."
	for _, tc := range []struct {
		name  string
		width int
		want  string
	}{
		{"side by side where there is room", 60, table},
		{"below the column where there is some", 34, "/prune [TURNS]      Drop the\n                    oldest turns.\n/undo               Take it back."},
		{"one below the other where there is none", 24, "/prune [TURNS]\n    Drop the oldest\n    turns.\n/undo\n    Take it back."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := ansi.Strip(strings.Join(columns(table, tc.width, newTheme(true).plain), "\n"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestALongMessageIsShownWithItsBeginningAndItsEnd(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	lines := newEntry(question, "you", b.String()).draw(40, newTheme(true), 0)
	text := ansi.Strip(strings.Join(lines, "\n"))
	if len(lines) > 40 || !strings.Contains(text, "line 0\n") || !strings.Contains(text, "… 1,982 more lines …") || !strings.Contains(text, "line 1999") {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
}
