package store

import (
	"context"
	"math"
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

// GC collects what the policy says, and then what no object names. A dry run changes
// nothing; what it says of sizes is an estimate, because objects share chunks.
func (s *Store) GC(ctx context.Context, p Policy, dryRun bool) (GCReport, error) {
	s = s.now()
	c := collector{store: s, ctx: ctx, policy: p, now: s.options.Now(), report: GCReport{DryRun: dryRun}}
	err := c.run()
	return c.report, fault("collect", err)
}

// Sweep deletes at once and for good what no object names, such as the content of
// objects that were deleted. A writer that streams from something that cannot be
// read twice may have to begin again; see [Tenant.PutReader].
func (s *Store) Sweep(ctx context.Context) (Swept, error) {
	// Clocks differ between machines; later than all of them means everything.
	swept, err := s.now().backend.Sweep(ctx, s.options.Now().AddDate(1, 0, 0))
	return swept, fault("sweep", err)
}

// collector is one run of GC.
type collector struct {
	store  *Store
	ctx    context.Context
	policy Policy
	now    time.Time
	report GCReport
	// gone are the objects that a dry run has counted.
	gone map[ownedID]bool
}

type ownedID struct {
	tenant TenantID
	id     string
}

// listing lists objects that may go, the first to go first.
type listing func(limit int) ([]Owned, error)

// pageObjects is how many objects are listed or collected at once.
const pageObjects = 512

func (c *collector) run() error {
	var err error
	if c.report.Before, err = c.store.backend.Stats(c.ctx, nil); err != nil {
		return err
	}
	if err := c.byAge(); err != nil {
		return err
	}
	if c.policy.Unreferenced {
		list := func(limit int) ([]Owned, error) { return c.store.backend.Unreferenced(c.ctx, c.cutoff(), limit) }
		if err := c.collect(&c.report.Unreferenced, list); err != nil {
			return err
		}
	}
	if err := c.sweep(); err != nil {
		return err
	}
	if err := c.bySize(); err != nil || c.report.DryRun {
		return err
	}
	after, err := c.store.backend.Stats(c.ctx, nil)
	c.report.After = &after
	return err
}

// cutoff is since when nothing may have been used that goes.
func (c *collector) cutoff() time.Time {
	switch grace := c.policy.Grace; {
	case grace > 0:
		return c.now.Add(-grace)
	case grace < 0:
		return c.now
	default:
		return c.now.Add(-time.Hour)
	}
}

func (c *collector) byAge() error {
	if c.policy.MaxAge <= 0 {
		return nil
	}
	before := c.now.Add(-c.policy.MaxAge)
	if cutoff := c.cutoff(); cutoff.Before(before) {
		before = cutoff
	}
	decisions := c.store.backend.ExpireDecisions
	if c.report.DryRun {
		decisions = c.store.backend.ExpiredDecisions
	}
	var err error
	if c.report.Decisions, err = decisions(c.ctx, before); err != nil {
		return err
	}
	return c.collect(&c.report.Expired, func(limit int) ([]Owned, error) {
		return c.store.backend.Expired(c.ctx, before, limit)
	})
}

// collect evicts everything that is listed. An object that is used after it was
// listed stays, and is not listed again.
func (c *collector) collect(to *Collected, list listing) error {
	if c.report.DryRun {
		all, err := list(math.MaxInt32)
		c.count(to, all)
		return err
	}
	for {
		page, err := list(pageObjects)
		if err != nil || len(page) == 0 {
			return err
		}
		if n, err := c.evict(to, page); err != nil || n == 0 {
			return err
		}
	}
}

// evict returns how many of the objects are gone.
func (c *collector) evict(to *Collected, page []Owned) (int, error) {
	if c.report.DryRun {
		c.count(to, page)
		return len(page), nil
	}
	n, err := c.store.backend.Evict(c.ctx, page)
	to.Objects += int64(n)
	if n == len(page) {
		to.Bytes += stored(page)
	} else {
		// Which ones stayed is not known; it happens when they were just used.
		to.Bytes += stored(page) / int64(len(page)) * int64(n)
	}
	return n, err
}

func stored(page []Owned) int64 {
	var sum int64
	for _, o := range page {
		sum += o.Object.Stored
	}
	return sum
}

// count notes what a dry run would evict, each object once.
func (c *collector) count(to *Collected, page []Owned) {
	if c.gone == nil {
		c.gone = map[ownedID]bool{}
	}
	for _, o := range page {
		if key := (ownedID{o.Tenant, o.Object.ID}); !c.gone[key] {
			c.gone[key] = true
			to.Objects++
			to.Bytes += o.Object.Stored
		}
	}
}

func (c *collector) sweep() error {
	if c.report.DryRun {
		return nil
	}
	swept, err := c.store.backend.Sweep(c.ctx, c.cutoff())
	c.report.Swept.Chunks += swept.Chunks
	c.report.Swept.Bytes += swept.Bytes
	return err
}

// bySize evicts the longest unused objects until what is left fits. How much an
// object takes is not known, because objects share chunks; so it takes out what
// should be enough, looks, and goes on.
func (c *collector) bySize() error {
	if c.policy.MaxBytes <= 0 {
		return nil
	}
	for {
		excess, ratio, err := c.excess()
		if err != nil || excess <= 0 {
			return err
		}
		page, err := c.oldest()
		if err != nil || len(page) == 0 {
			return err
		}
		n, sum := 0, 0.0
		for n < len(page) && sum < float64(excess) {
			sum += float64(page[n].Object.Stored) * ratio
			n++
		}
		if n, err = c.evict(&c.report.Evicted, page[:n]); err != nil || n == 0 {
			return err
		}
		if err := c.sweep(); err != nil {
			return err
		}
	}
}

// excess returns how much too much is stored, and how much a byte of an object takes.
func (c *collector) excess() (int64, float64, error) {
	stats := c.report.Before
	if !c.report.DryRun {
		var err error
		if stats, err = c.store.backend.Stats(c.ctx, nil); err != nil {
			return 0, 0, err
		}
	}
	ratio := float64(stats.Compressed) / float64(max(1, stats.Bytes))
	excess := stats.Compressed - c.policy.MaxBytes
	if c.report.DryRun {
		gone := c.report.Expired.Bytes + c.report.Unreferenced.Bytes + c.report.Evicted.Bytes
		excess -= int64(float64(gone) * ratio)
	}
	return excess, ratio, nil
}

// oldest returns the first objects to go that were not used within the grace.
func (c *collector) oldest() ([]Owned, error) {
	for limit := pageObjects; ; limit *= 4 {
		page, err := c.store.backend.Oldest(c.ctx, limit)
		if err != nil {
			return nil, err
		}
		var idle []Owned
		for _, o := range page {
			if o.Object.Used.Before(c.cutoff()) && !c.gone[ownedID{o.Tenant, o.Object.ID}] {
				idle = append(idle, o)
			}
		}
		if len(idle) > 0 || len(page) < limit {
			return idle, nil
		}
	}
}
