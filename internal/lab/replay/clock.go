package replay

import "time"

// pause is what is assumed between calls without a recorded time:
// short enough that no cache forgets.
const pause = 10 * time.Second

// clock follows the recorded times. It never goes back: sessions that were resumed
// may have been written down out of order.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{now: time.Unix(0, 0).UTC()} }

// at returns the time of the next call.
func (c *clock) at(recorded time.Time) time.Time {
	next := c.now.Add(pause)
	if !recorded.IsZero() {
		next = c.now
		if recorded.After(next) {
			next = recorded
		}
	}
	c.now = next
	return next
}
