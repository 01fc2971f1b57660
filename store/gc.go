package store

import (
	"context"
	"errors"
	"time"
)

// Policy says what may be collected. The zero Policy collects only what nothing
// names any more.
type Policy struct {
	// MaxAge is how long ago the last use of an object or a decision may be; 0 means
	// any time. What a decision refers to is used when the decision is.
	MaxAge time.Duration
	// MaxBytes is how much the chunks of all tenants may take together; 0 means any
	// amount. What was unused for longest goes first, what decisions refer to last.
	MaxBytes int64
	// Unreferenced collects objects that no decision refers to.
	Unreferenced bool
	// Grace is how long ago the last use must be of whatever is collected, so that
	// nothing goes that is being written or was just handed out; 0 means an hour,
	// negative none.
	Grace time.Duration
}

// GCReport says what was collected, or would be.
type GCReport struct {
	DryRun bool `json:"dry_run,omitempty"`
	// Expired went by age, Unreferenced by reachability, Evicted by size.
	Expired      Collected `json:"expired"`
	Unreferenced Collected `json:"unreferenced"`
	Evicted      Collected `json:"evicted"`
	// Decisions is how many decisions went by age.
	Decisions int `json:"decisions"`
	// Swept is what the chunks took that were deleted; of a dry run it is zero.
	Swept Swept `json:"swept"`
	// Before and After count the store; After is not known of a dry run.
	Before Stats  `json:"before"`
	After  *Stats `json:"after,omitempty"`
}

// Collected counts objects and the bytes that were stored in them.
type Collected struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// GC collects what the policy says. A dry run changes nothing.
func (s *Store) GC(ctx context.Context, p Policy, dryRun bool) (GCReport, error) {
	return GCReport{}, errors.ErrUnsupported
}

// Sweep deletes at once and for good what no object names, such as the content of
// objects that were deleted. A writer that streams from something that cannot be
// read twice may have to begin again; see [ErrUnavailable].
func (s *Store) Sweep(ctx context.Context) (Swept, error) {
	swept, err := s.backend.Sweep(ctx, s.options.Now())
	return swept, fault("sweep", err)
}

// Check reads everything and returns what is broken, one finding each.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	return nil, errors.ErrUnsupported
}
