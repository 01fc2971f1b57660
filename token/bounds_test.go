package token

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/model"
)

func hello(model string) plimsoll.Conversation {
	return plimsoll.Conversation{Model: model, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "hello"))}
}

func TestAMeterKeepsNoMoreThanItsLimitOfModels(t *testing.T) {
	t.Parallel()
	m := NewMeter(nil)
	want := m.Weigh(hello("gpt-4o"))
	for i := range scaleLimit + 10 {
		m.Weigh(hello(fmt.Sprintf("invented-%d", i)))
	}
	if n := m.scales.Len(); n > scaleLimit {
		t.Errorf("%d scales are kept, want at most %d", n, scaleLimit)
	}
	if diff := cmp.Diff(want, m.Weigh(hello("gpt-4o"))); diff != "" {
		t.Errorf("after it was forgotten a load differs:\n%s", diff)
	}
}

func TestAMeterKeepsNoViewOfARequest(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 1<<12) + strings.Repeat("y", 1<<12)
	start := uintptr(unsafe.Pointer(unsafe.StringData(body)))
	inBody := func(s string) bool {
		at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
		return len(s) > 0 && at >= start && at < start+uintptr(len(body))
	}
	calibration := NewCalibration(nil)
	anchors := 0
	calibration.anchors = lru.New(anchorLimit, func(key string, a anchor) int {
		if anchors++; inBody(key) || inBody(a.model) {
			t.Errorf("the anchor %q holds on to the request", key)
		}
		return 1
	})
	m := NewMeter(&MeterOptions{Calibration: calibration})
	for _, name := range []string{body[:10], body} {
		m.Observe(body[20:30], hello(name), plimsoll.Usage{Input: 10})
	}
	if anchors != 2 {
		t.Errorf("%d anchors were kept, want 2", anchors)
	}
	for id, s := range m.scales.All() {
		if inBody(id.model) || inBody(s.model) || inBody(s.counter.Info().Model) {
			t.Errorf("the scale of %.20q holds on to the request", id.model)
		}
		if n := len(id.model); n > nameLimit {
			t.Errorf("a name of %d bytes is kept", n)
		}
	}
	for name := range calibration.models {
		if inBody(name) {
			t.Errorf("the model %.20q holds on to the request", name)
		}
	}
}

func TestAllSpellingsOfAModelAreCountedAndCalibratedAlike(t *testing.T) {
	t.Parallel()
	m := NewMeter(nil)
	want := m.scale(hello("gpt-4o"))
	for _, name := range []string{"openai/gpt-4o", "azure/gpt-4o", "GPT-4o", "gpt-4o"} {
		if s := m.scale(hello(name)); s.model != want.model || s.counter != want.counter {
			t.Errorf("%s is calibrated as %s and counted by %+v", name, s.model, s.counter.Info())
		}
	}
}

func TestAResolvedNameIsCountedLikeItsSpelling(t *testing.T) {
	t.Parallel()
	registry := model.Default()
	for _, m := range registry.All() {
		for _, name := range []string{m.ID, "gateway/" + m.ID, m.ID + "-2025-01-01", strings.ToUpper(m.ID)} {
			spelled, err := For(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			resolved, err := For(registry.Resolve(name), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(spelled.Info(), resolved.Info()); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
	}
}

func TestACalibrationKeepsTheModelsWithTheMostBills(t *testing.T) {
	t.Parallel()
	c := NewCalibration(nil)
	m := NewMeter(&MeterOptions{Calibration: c})
	for range 3 {
		m.Observe("c", hello("claude-opus-4-5"), plimsoll.Usage{Input: 10})
	}
	for i := range modelLimit + 10 {
		m.Observe("c", hello(fmt.Sprintf("invented-%d", i)), plimsoll.Usage{Input: 10})
	}
	if len(c.models) != modelLimit {
		t.Errorf("%d models are kept, want %d", len(c.models), modelLimit)
	}
	if !c.factorsOf("claude-opus-4-5").seen {
		t.Error("the model with the most bills was forgotten")
	}
}

func TestRestoredFiguresAreBroughtIntoBounds(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	c := NewCalibration(nil)
	c.Restore([]Drift{
		{Model: "a", Factor: nan, Error: nan, Bias: nan, Observations: 3},
		{Model: "b", Factor: inf, Error: inf, Bias: -inf, Observations: -3, Estimated: -1, Actual: -1},
		{Model: "c", Factor: -1, Error: -1, Bias: inf, Observations: 1},
	})
	want := []Drift{
		{Model: "a", Factor: 1, Observations: 3},
		{Model: "b", Factor: factorMax, Error: errorMax, Bias: -1},
		{Model: "c", Factor: factorMin, Bias: errorMax, Observations: 1},
	}
	if diff := cmp.Diff(want, c.Drift()); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
}

func TestTheMemoChargesForParts(t *testing.T) {
	t.Parallel()
	const entries = 4096
	m := newMemo(entries)
	for i := range 2 * entries {
		key := memoKey{content: messageDigest(plimsoll.Say(plimsoll.User, fmt.Sprint(i)))}
		m.Put(key, plimsoll.MessageLoad{Parts: make([]int, 10*partsPerEntry)})
	}
	if n := m.Len(); n != entries/11 {
		t.Errorf("%d messages of %d parts are kept, want %d", n, 10*partsPerEntry, entries/11)
	}
}

func TestAConversationWithoutMessagesHasAListOfNone(t *testing.T) {
	t.Parallel()
	if load := NewMeter(nil).Weigh(plimsoll.Conversation{Model: "gpt-4o"}); load.Messages == nil {
		t.Error("it has no list, which is null in reports")
	}
}
