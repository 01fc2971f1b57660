package plimsoll_test

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestUsageAdds(t *testing.T) {
	t.Parallel()
	a := plimsoll.Usage{Input: 1, Output: 2, CacheCreation: 3, CacheRead: 4, Reasoning: 5}
	want := plimsoll.Usage{Input: 2, Output: 4, CacheCreation: 6, CacheRead: 8, Reasoning: 10}
	if got := a.Add(a); got != want || got.Total() != 20 || got.Prompt() != 16 {
		t.Errorf("sum %+v, total %d, prompt %d", got, got.Total(), got.Prompt())
	}
}

// TestC02_R05_AUsageHasTheNamesOfTheText has the keys of the text's TokenUsage.
func TestC02_R05_AUsageHasTheNamesOfTheText(t *testing.T) {
	t.Parallel()
	u := plimsoll.Usage{Input: 10, Output: 200, CacheCreation: 3000, CacheRead: 40000, Reasoning: 150}
	got, err := json.Marshal(u)
	want := `{"input_tokens":10,"output_tokens":200,"cache_creation_tokens":3000,"cache_read_tokens":40000,"reasoning_tokens":150,"total_tokens":43210}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	var back plimsoll.Usage
	if err := json.Unmarshal(got, &back); err != nil || back != u {
		t.Errorf("read again: %+v, %v", back, err)
	}
}
