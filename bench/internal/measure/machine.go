package measure

import (
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine is where and when a run was made.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Go    string `json:"go"`
	// Load is the load average at the start and at the end, where the system
	// tells it: other work on the machine is the main source of noise.
	Load   [2]string `json:"load"`
	Pinned bool      `json:"pinned"`
	When   time.Time `json:"when"`
}

func machine(now time.Time, pinned bool) Machine {
	return Machine{
		CPU: cpuModel(), Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Load: [2]string{loadAverage(), ""}, Pinned: pinned, When: now.UTC().Truncate(time.Second),
	}
}

func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
