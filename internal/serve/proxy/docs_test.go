package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheDocumentsHaveTheBoundsInForce compares docs/proxy.md and docs/configuration.md
// with the defaults of the server.
func TestTheDocumentsHaveTheBoundsInForce(t *testing.T) {
	t.Parallel()
	var o Options
	o.setDefaults()
	for file, rows := range map[string][]string{
		"proxy.md": {
			fmt.Sprintf("| header of a request | %s, %s | ", size(maxHeader), short(o.HeaderTimeout)),
			fmt.Sprintf("| body that is managed | %s (`serve.max_body_bytes`) | ", size(o.MaxBody)),
			fmt.Sprintf("| pause in a body | %s, and %s a second on average | ", short(o.BodyIdle), size(leastRate)),
			fmt.Sprintf("| memory for bodies | %s, and at most half of `GOMEMLIMIT` | the request waits up to %s, then 503 |", size(bodyMemory), short(o.Queue)),
			fmt.Sprintf("| wait for an answer to begin | %s | ", short(o.AnswerTimeout)),
			fmt.Sprintf("| pause in an answer | %s; ", short(o.IdleTimeout)),
			fmt.Sprintf("| pause in an answer while the model reads what was cut | %s | ", short(o.AnswerTimeout)),
			fmt.Sprintf("| client that does not read its answer | %s | ", short(o.WriteTimeout)),
			fmt.Sprintf("| connections | %d,%03d | ", o.Connections/1000, o.Connections%1000),
			fmt.Sprintf("| idle connection | %s | ", short(keepAlive)),
			fmt.Sprintf("drains for up to %.0f seconds.", o.Drain.Seconds()),
		},
		"configuration.md": {
			fmt.Sprintf("| `serve.memory_bytes` | requests in flight take at most %s, ", size(bodyMemory)),
			fmt.Sprintf("| `serve.idle_seconds` | an answer may pause for %.0f minutes |", o.IdleTimeout.Minutes()),
			fmt.Sprintf("| `serve.drain_seconds` | answers have %.0f seconds ", o.Drain.Seconds()),
			fmt.Sprintf("| `serve.max_body_bytes` | `PLIMSOLL_SERVE_MAX_BODY_BYTES` | null: %s |", size(o.MaxBody)),
		},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if !strings.Contains(string(text), row) {
				t.Errorf("docs/%s does not say: %s", file, row)
			}
		}
	}
}

// size writes bytes with the largest unit that divides them.
func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	at := 0
	for ; n%1024 == 0 && at < len(units)-1; at++ {
		n /= 1024
	}
	return fmt.Sprintf("%d %s", n, units[at])
}

// short writes a time in minutes, or in seconds if it is under two minutes.
func short(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}
