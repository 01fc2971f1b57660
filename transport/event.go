package transport

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Event is one managed request for a dashboard: what became of it, and what was cut.
// Unlike an [Exchange] it leads to content, so only those may get it who may see that.
type Event struct {
	Exchange
	// Account is the name that the conversation has in the accounts of the store.
	Account string
	// Owner is the part of the store that belongs to the sender; nil without a store.
	Owner *store.Tenant
	// Plan by which the request was sent; nil if there was none. It holds the whole
	// conversation and is read by others at the same time: only its figures, its edits,
	// and Original, Part and Inserted of its draft may be looked at, and nothing of it
	// may be kept.
	Plan *plimsoll.Plan
}

// LearnedLimit is what an upstream has said about the context of a model.
type LearnedLimit struct {
	Upstream, Model string
	// Tokens is the limit as the upstream counts. Ratio is how many of its tokens one
	// token of the meter is.
	Tokens int
	Ratio  float64
	// At is when it was said.
	At time.Time
}

// Learned returns the limits that upstreams have told and that are still believed, by
// upstream and model. If several tenants got one, the newest counts.
func (t *Transport) Learned() []LearnedLimit {
	var all []LearnedLimit
	for key, is := range t.limits.Known() {
		all = append(all, LearnedLimit{key.Upstream, key.Model, is.Limit, is.Ratio, is.At})
	}
	slices.SortFunc(all, func(a, b LearnedLimit) int {
		return cmp.Or(strings.Compare(a.Upstream, b.Upstream), strings.Compare(a.Model, b.Model))
	})
	return all
}
