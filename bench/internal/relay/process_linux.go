package relay

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cpu returns the CPU time that a process has used. The kernel has a clock for each
// process, which counts threads that have ended, too.
func cpu(pid int) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|2), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// forgetPeak makes the peak of the resident set begin anew.
func forgetPeak(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200) // without it the peak is that of the whole life
}
