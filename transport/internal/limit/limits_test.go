package limit

import (
	"fmt"
	"testing"
	"time"
)

func TestALimitInUseOutlivesManyOthers(t *testing.T) {
	t.Parallel()
	l := New(nil, time.Now)
	used := ModelKey{Tenant: "t", Upstream: "u", Model: "used"}
	if err := l.Put(t.Context(), used, Learned{Limit: 1000, Ratio: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxKnown {
		l.Find(t.Context(), ModelKey{Tenant: "t", Upstream: "u", Model: fmt.Sprint(i)})
		if got, ok := l.Find(t.Context(), used); !ok || got.Limit != 1000 {
			t.Fatalf("after %d others it is %+v, %v", i+1, got, ok)
		}
	}
}

func TestALimitIsTheTenantsAndALargerPromptRaisesIt(t *testing.T) {
	t.Parallel()
	l := New(nil, time.Now)
	one, other := ModelKey{Tenant: "one", Upstream: "u", Model: "m"}, ModelKey{Tenant: "other", Upstream: "u", Model: "m"}
	if err := l.Put(t.Context(), one, Learned{Limit: 1000, Ratio: 1}); err != nil {
		t.Fatal(err)
	}
	if got, ok := l.Find(t.Context(), other); ok {
		t.Errorf("another tenant has the limit %+v", got)
	}
	l.Answered(t.Context(), one, Prompt{Billed: 1500, Weighed: 1500})
	if got, ok := l.Find(t.Context(), one); !ok || got.Limit != 1500 {
		t.Errorf("%+v, %v: want the 1,500 tokens that were answered", got, ok)
	}
}
