package report

import (
	"fmt"
	"time"
)

// speed shows megabytes per second with as many digits as mean something.
func speed(mbs float64) string {
	switch {
	case mbs <= 0:
		return "–"
	case mbs < 10:
		return fmt.Sprintf("%.1f", mbs)
	}
	return fmt.Sprintf("%.0f", mbs)
}

// times shows how many times faster we are than a peer.
func times(us, peer float64) string {
	if us <= 0 || peer <= 0 {
		return "–"
	}
	if us/peer < 10 {
		return fmt.Sprintf("%.1f×", us/peer)
	}
	return fmt.Sprintf("%.0f×", us/peer)
}

// duration shows a time with two or three digits.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", d.Seconds()*1e6)
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", d.Seconds()*1e6)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}
