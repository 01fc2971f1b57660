package relay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// gauges are values without labels of a page for Prometheus.
type gauges map[string]float64

func readGauges(r io.Reader) (gauges, error) {
	all := gauges{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, text, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" || strings.Contains(name, "{") {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", name, err)
		}
		all[name] = value
	}
	return all, lines.Err()
}

func (s *server) gauges() (gauges, error) {
	resp, err := http.Get(s.base + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics: %s", resp.Status)
	}
	return readGauges(resp.Body)
}

// settled asks for metrics until the garbage collector has run three times: asking
// makes garbage. Pools are empty then. What the heap has is the least that was seen
// from the second time on, because garbage is swept only little by little.
func (s *server) settled(patience time.Duration) (gauges, error) {
	const lastGC = "go_memstats_last_gc_time_seconds"
	before, err := s.gauges()
	if err != nil {
		return nil, err
	}
	runs, least := 0, math.Inf(1)
	for end := time.Now().Add(patience); time.Now().Before(end); {
		now, err := s.gauges()
		if err != nil {
			return nil, err
		}
		if now[lastGC] != before[lastGC] {
			runs++
		}
		if runs >= 2 {
			least = min(least, now[heapInUse])
		}
		if runs == 3 {
			now[heapInUse] = least
			return now, nil
		}
		before = now
	}
	return nil, errors.New("the garbage collector does not run")
}
