package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/plimsoll/plimsoll/account"
)

// grouped writes a number with commas.
func grouped[T int | int64](n T) string {
	text := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// counted writes a number of things: 1 request, 2 requests.
func counted(n any, thing string) (string, error) {
	text, err := number(n, grouped[int64])
	if text != "1" {
		thing += "s"
	}
	return text + " " + thing, err
}

// short writes a number in at most five characters: 987, 12.3k, 4.56M.
func short[T int | int64](n T) string {
	size, sign := float64(n), ""
	if n < 0 {
		size, sign = -size, "-"
	}
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if size < unit.of*0.9995 {
			continue
		}
		value := size / unit.of
		digits := 2 - min(2, int(math.Floor(math.Log10(max(1, value*1.0005)))))
		return sign + strconv.FormatFloat(value, 'f', digits, 64) + unit.name
	}
	return sign + strconv.FormatFloat(size, 'f', 0, 64)
}

// percent writes a share.
func percent(share float64) string {
	switch size := math.Abs(share); {
	case math.IsNaN(share) || math.IsInf(share, 0):
		return "–"
	case share == 0 || size >= 0.0995:
		return strconv.FormatFloat(100*share, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}

// signed writes a share with its sign.
func signed(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
	if share > 0 {
		return "+" + text
	}
	return text
}

// sizeOf writes a number of bytes.
func sizeOf(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	case n < 1<<30:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	}
	return strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64) + " GiB"
}

// ago says how long before now something was.
func ago(now, at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	d := now.Sub(at)
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d >= unit.of {
			return fmt.Sprintf("%d %s ago", d/unit.of, unit.name)
		}
	}
	return "just now"
}

// lasted writes a duration.
func lasted(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

func dollars(usd float64) string { return account.Dollars(usd).String() }

// visible makes foreign text fit to be looked at: control characters, and those that
// change the direction of what stands around them, are shown by a picture or a number
// instead of doing what they do. Tabs and line ends stay.
func visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n':
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// rungWords says what a rung does.
func rungWords(rung string) string {
	switch rung {
	case "view":
		return "a long output was shortened"
	case "dedupe":
		return "an output that came again is shown once"
	case "clear":
		return "an old output became a placeholder"
	case "reasoning":
		return "old thinking went"
	case "compact":
		return "old messages became a checkpoint"
	case "slide":
		return "the oldest rounds went"
	case "trim":
		return "the oldest messages went"
	case "offer":
		return "the model got tools to read what was cut"
	case "recall":
		return "what was cut for an earlier request is cut again"
	}
	return rung
}

// decisionWords says what was done about a request.
func decisionWords(decision string) string {
	switch decision {
	case "pass":
		return "passed as it came"
	case "cut":
		return "something was cut that had not been before"
	case "recall":
		return "cut as the request before was"
	case "compact":
		return "old messages became a checkpoint"
	case "refuse":
		return "refused: it cannot be made to fit"
	case "bypass":
		return "left alone"
	case "fail-open":
		return "passed because our own work failed"
	case "dry-run":
		return "only planned"
	}
	return decision
}
