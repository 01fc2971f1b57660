// Package stat has the few sums that turn times into the figures of the report.
package stat

import (
	"math"
	"time"
)

// Speed returns megabytes (of a million bytes) per second.
func Speed(bytes int, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(bytes) / 1e6 / took.Seconds()
}

// Harmonic returns the harmonic mean, which is the speed over texts of equal
// length one after the other. It is 0 if there are no values or one is not
// positive.
func Harmonic(values ...float64) float64 {
	var sum float64
	for _, v := range values {
		if v <= 0 {
			return 0
		}
		sum += 1 / v
	}
	if sum == 0 {
		return 0
	}
	return float64(len(values)) / sum
}

// Extrapolate returns the time for n bytes from the times for two smaller sizes,
// with the power of the size that they show. The power is kept between one and
// two, so that a disturbed measurement does not make a peer look worse than
// quadratic.
func Extrapolate(n, smallBytes int, small time.Duration, largeBytes int, large time.Duration) time.Duration {
	if small <= 0 || large <= 0 {
		return 0
	}
	power := math.Log(large.Seconds()/small.Seconds()) / math.Log(float64(largeBytes)/float64(smallBytes))
	power = min(max(power, 1), 2)
	return time.Duration(float64(large) * math.Pow(float64(n)/float64(largeBytes), power))
}
