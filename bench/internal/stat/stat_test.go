package stat

import (
	"math"
	"testing"
	"time"
)

func TestSpeedIsInMillionsOfBytesPerSecond(t *testing.T) {
	t.Parallel()
	if got := Speed(3_000_000, 10*time.Millisecond); math.Abs(got-300) > 1e-9 {
		t.Errorf("got %v, want 300", got)
	}
	if got := Speed(1, 0); got != 0 {
		t.Errorf("no time: got %v, want 0", got)
	}
}

func TestHarmonicIsTheSpeedOfTextsInARow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"equal values stay", []float64{7, 7}, 7},
		{"the slow text dominates", []float64{100, 25}, 40},
		{"a missing value spoils the mean", []float64{100, 0}, 0},
		{"nothing gives nothing", nil, 0},
	}
	for _, test := range tests {
		if got := Harmonic(test.values...); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestExtrapolateFollowsThePowerOfTheSize(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := []struct {
		name         string
		small, large time.Duration
		want         time.Duration
	}{
		{"linear", 1 * ms, 4 * ms, 400 * ms},
		{"quadratic", 1 * ms, 16 * ms, 160_000 * ms},
		{"less than linear is taken for linear", 4 * ms, 4 * ms, 400 * ms},
		{"more than quadratic is taken for quadratic", 1 * ms, 64 * ms, 640_000 * ms},
		{"unmeasurable", 0, 4 * ms, 0},
	}
	for _, test := range tests {
		got := Extrapolate(400_000, 1000, test.small, 4000, test.large)
		if math.Abs(got.Seconds()-test.want.Seconds()) > 1e-3*test.want.Seconds() {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
