package fit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
)

// inflight are the compactions that are being made, by the prefix that they replace.
// A walk that needs one for the same prefix waits for it (single flight, but for
// prefixes).
type inflight struct {
	mu      sync.Mutex
	flights map[scoped]*flight
	// background counts the walks that no request waits for; stop ends them.
	background sync.WaitGroup
	closed     bool
	stop       context.CancelFunc
	ctx        context.Context
}

// flight is a compaction that is being made. Done is closed when it has been remembered
// or has failed.
type flight struct {
	key     scoped
	done    chan struct{}
	release func()
}

// join returns the flight for a prefix of the chain, or begins one for the key if there
// is none.
func (f *inflight) join(scope string, chain []plimsoll.Digest, key plimsoll.Digest) (other, mine *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other = f.find(scope, chain); other != nil {
		return other, nil
	}
	mine = &flight{key: scoped{scope, key}, done: make(chan struct{}), release: func() {}}
	if f.flights == nil {
		f.flights = map[scoped]*flight{}
	}
	f.flights[mine.key] = mine
	return nil, mine
}

func (f *inflight) find(scope string, chain []plimsoll.Digest) *flight {
	if len(f.flights) == 0 {
		return nil
	}
	for i := len(chain) - 1; i > 0; i-- {
		if other := f.flights[scoped{scope, chain[i]}]; other != nil {
			return other
		}
	}
	return nil
}

func (f *inflight) end(mine *flight) {
	f.mu.Lock()
	delete(f.flights, mine.key)
	f.mu.Unlock()
	mine.release()
	close(mine.done)
}

const (
	// leaseLife is how long other processes wait for one that died over a checkpoint.
	leaseLife = 30 * time.Second
	// leaseWait is how long they wait for one that is at work. If it takes longer, both
	// make a checkpoint, and the last one wins.
	leaseWait = backgroundLife
)

// errElsewhere says that another process makes the checkpoint.
var errElsewhere = errors.New("another process makes the checkpoint")

// claim makes sure that no other walk replaces the same messages now. If one did, its
// checkpoint is replayed, and waited is true.
func (w *Work) claim(ctx context.Context, c Compactor, old plimsoll.Span) (waited bool, err error) {
	if w.flight != nil {
		return false, nil
	}
	k, chain := w.k, w.task.chain()
	for w.flight == nil {
		other, mine := k.inflight.join(w.task.scope(), chain, chain[old.End])
		if mine != nil {
			w.flight = mine
			// Another walk may have ended since this one looked into the memory.
			was := w.replayed
			w.replay(w.recall(ctx))
			waited = waited || w.replayed != was
		} else {
			k.tell(CompressionProgress{Waiting: !w.background})
			select {
			case <-other.done:
			case <-ctx.Done():
				return false, fmt.Errorf("compact: %w", ctx.Err())
			}
			waited = true
			w.replay(w.recall(ctx))
		}
		if waited && w.relieved() {
			return true, nil
		}
	}
	if !c.Slow(w.task) {
		return waited, nil
	}
	elsewhere, err := w.lease(ctx, chain[old.End])
	return waited || elsewhere, err
}

// lease makes sure that no other process makes the same checkpoint.
func (w *Work) lease(ctx context.Context, key plimsoll.Digest) (waited bool, err error) {
	memory := w.task.Memory
	if memory == nil {
		return false, nil
	}
	name := "compact:" + hex.EncodeToString(key[:])
	deadline := time.Now().Add(leaseWait)
	for {
		release, ok, err := memory.Lease(ctx, name, leaseLife)
		if err != nil { // without a memory that works every process is alone
			return waited, nil
		}
		if ok {
			w.flight.release = release
			// Another process may have ended since this one looked into the memory.
			was := w.replayed
			w.replay(w.recall(ctx))
			return waited || w.replayed != was, nil
		}
		if w.background {
			return false, errElsewhere
		}
		w.k.tell(CompressionProgress{Waiting: true})
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return false, fmt.Errorf("compact: %w", ctx.Err())
		}
		waited = true
		if w.replay(w.recall(ctx)); w.relieved() || time.Now().After(deadline) {
			return true, nil
		}
	}
}

// relieved reports whether another walk's checkpoint is in the draft and is enough.
func (w *Work) relieved() bool {
	most := w.high
	switch {
	case w.due:
		return w.replayed != w.dueAfter
	case w.background:
		most = w.soft()
	}
	return w.checkpoint != nil && w.Load() <= most
}

// release lets the walks go on that wait for this one.
func (w *Work) release() {
	if w != nil && w.flight != nil {
		w.k.inflight.end(w.flight)
		w.flight = nil
	}
}

// backgroundLife bounds a checkpoint that no request waits for.
const backgroundLife = 5 * time.Minute

// beginCheckpoint begins a checkpoint by a model in the background, if the load or the policy
// calls for one. A cut that fills the limit for a request that may be the only one calls
// for none.
func (k *Keeper) beginCheckpoint(t *Task, w *Work) {
	if !k.prepares(t) || !w.goesOn && w.plan.Changed() {
		return
	}
	if !w.due && w.plan.After.Total <= w.soft() || k.tripped(t, w.plan.After.Total) {
		return
	}
	k.inflight.mu.Lock()
	defer k.inflight.mu.Unlock()
	if k.inflight.closed || k.inflight.find(t.scope(), t.chain()) != nil {
		return
	}
	if k.inflight.ctx == nil {
		k.inflight.ctx, k.inflight.stop = context.WithCancel(context.Background())
	}
	ctx, task, due, was := k.inflight.ctx, t.later(), w.due, w.dueAfter
	k.inflight.background.Go(func() { k.compactInBackground(ctx, &task, due, was) })
}

// prepares reports whether checkpoints of a task are made in the background.
func (k *Keeper) prepares(t *Task) bool {
	if k.compactor == nil || k.options.Marks.Soft == 0 {
		return false
	}
	later := t.later()
	return k.compactor.Slow(&later)
}

// later returns the task for work that no request waits for. It cannot ask the client's
// server: the client's credentials are for the client's own requests.
func (t *Task) later() Task {
	later := *t
	later.Ask, later.Recount = nil, nil
	return later
}

// soft is the load from which on a checkpoint is made in the background.
func (w *Work) soft() int { return int(w.k.options.Marks.Soft * float64(w.plan.Line.Limit())) }

// compactInBackground makes a checkpoint for later requests: because the policy found it
// due for a conversation with the cut was, or because of the load.
func (k *Keeper) compactInBackground(ctx context.Context, t *Task, due bool, was *cutList) {
	defer func() {
		if r := recover(); r != nil { // no request may end by a walk that it does not wait for
			k.tell(ChatCompressed{Trigger: Automatic, Status: CompressionNoop, Reason: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())})
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, backgroundLife)
	defer cancel()
	later := *t // the checkpoint is for later requests
	later.GoesOn = true
	w, err := k.weigh(ctx, &later, walkOptions{})
	if err != nil {
		return // the request itself got the error
	}
	w.background, w.due, w.dueAfter = true, due, was
	defer w.release()
	if w.protect(ctx) != nil {
		return
	}
	w.replay(w.recall(ctx))
	if w.findFloor(false) != nil {
		return
	}
	if !due && w.Load() <= w.soft() || due && w.replayed != was { // another request has had it made meanwhile
		return
	}
	target := w.target()
	target.Decided = due
	if err := w.compact(ctx, k.compactor, target, CompactOptions{}); err != nil {
		return
	}
	w.offerNew()
	w.reweigh()
	if err := w.commit(ctx); err != nil {
		k.tell(ChatCompressed{Trigger: Automatic, Status: CompressionNoop, Reason: err.Error(), Before: w.plan.Before.Total, After: w.plan.Before.Total})
	}
}

// Close stops the checkpoints that are being made for later requests, and waits for
// them to end.
func (k *Keeper) Close() error {
	k.inflight.mu.Lock()
	k.inflight.closed = true
	if k.inflight.stop != nil {
		k.inflight.stop()
	}
	k.inflight.mu.Unlock()
	k.inflight.background.Wait()
	return nil
}
