package dashboard

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// maxStreams is how many readers may wait for news at once.
	maxStreams = 64
	// pause is the least time between two pieces of news, alive the time after which a
	// stream without any says that it is still there, streamLife how long one lasts.
	pause      = 400 * time.Millisecond
	alive      = 15 * time.Second
	streamLife = time.Hour
	// slow is how long a reader may take nothing.
	slow = 10 * time.Second
)

// events tells a reader, as server-sent events, that there is something new. What it is
// the page asks for itself.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request) {
	if d.streams.Add(1) > maxStreams {
		d.streams.Add(-1)
		w.Header().Set("Retry-After", "30")
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	defer d.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	tell := func(format string, values ...any) bool {
		_ = out.SetWriteDeadline(time.Now().Add(slow)) // one that cannot be set is not needed
		_, err := fmt.Fprintf(w, format, values...)
		return err == nil && out.Flush() == nil
	}
	defer func() { _ = out.SetWriteDeadline(time.Time{}) }() // the connection goes on
	version, changed := d.live.news()
	if !tell("retry: 2000\nevent: change\ndata: %d\n\n", version) {
		return
	}
	end := time.NewTimer(streamLife)
	defer end.Stop()
	idle := time.NewTicker(alive)
	defer idle.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-d.closed:
			return
		case <-end.C:
			return
		case <-idle.C:
			if !tell(": still there\n\n") {
				return
			}
		case <-changed:
			select {
			case <-time.After(pause):
			case <-d.closed:
				return
			case <-r.Context().Done():
				return
			}
			version, changed = d.live.news()
			if !tell("event: change\ndata: %d\n\n", version) {
				return
			}
		}
	}
}
