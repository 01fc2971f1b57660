package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTicksStandAtRoundValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		low, high float64
		want      []float64
	}{
		{"thousands", 0, 160_000, []float64{0, 50_000, 100_000, 150_000}},
		{"fractions", 0.72, 1.68, []float64{0.8, 1, 1.2, 1.4, 1.6}},
		{"one value", 3, 3, []float64{3}},
	} {
		a := axis{low: tt.low, high: tt.high, from: tt.low, till: tt.high}
		var got []float64
		for _, at := range a.ticks(5, func(float64) string { return "" }) {
			got = append(got, at.At)
		}
		if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestNamesOfLinesDoNotStandOnEachOther(t *testing.T) {
	t.Parallel()
	lines := []curve{{Name: "a", TextY: 50}, {Name: "b", TextY: 10}, {Name: "c", TextY: 52}, {Name: "d", TextY: 55}}
	spread(lines, 70)
	got := map[string]float64{}
	for _, l := range lines {
		got[l.Name] = l.TextY
	}
	if diff := cmp.Diff(map[string]float64{"b": 10, "a": 46, "c": 58, "d": 70}, got); diff != "" {
		t.Errorf("heights (-want +got):\n%s", diff)
	}
}

// TestWhatCouldNotBeSentDoesNotHideTheRest plots a request of ten windows beside others.
func TestWhatCouldNotBeSentDoesNotHideTheRest(t *testing.T) {
	t.Parallel()
	r := &Report{Order: []string{"sliding"}}
	c := r.course(&Played{ID: "a", window: 200_000, outcomes: []*Outcome{{loads: []int{100_000, 2_000_000, 100_000}, cutAt: []int{1}}}})
	if last := c.Y[len(c.Y)-1]; last.Text != "200k" || last.At != c.Top {
		t.Errorf("the highest tick is %+v, the top at %v", last, c.Top)
	}
	if cut := c.Lines[0].Cuts[0]; cut.Y != c.Top {
		t.Errorf("the cut stands at %v, the top is at %v", cut.Y, c.Top)
	}
}

func TestNumbersAreGroupedByThreeDigits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 3394915: "3,394,915", -1000: "-1,000", -999: "-999"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestAPolicyThatNeverCutsHasNoDotAmongThoseThatDo(t *testing.T) {
	t.Parallel()
	half := 0.5
	r := &Report{Order: []string{"none", "auto"}, Policies: map[string]PolicyResult{
		"none": {CostVsNone: 1, Reach: 1}, "auto": {CostVsNone: 0.7, Reach: 0.9, SurvivalWords: &half},
	}}
	got := map[string]int{}
	for _, s := range r.scatters() {
		got[s.Title] = len(s.Dots)
	}
	if diff := cmp.Diff(map[string]int{"Cost against reach": 2, "Cost against words that survive a cut": 1}, got); diff != "" {
		t.Errorf("dots (-want +got):\n%s", diff)
	}
}
