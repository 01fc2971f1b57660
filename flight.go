package plimsoll

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// flights are the compactions that are being made, by the prefix that they replace.
type flights struct {
	mu     sync.Mutex
	aloft  map[scoped]*flight
	ground sync.WaitGroup
	closed bool
	stop   context.CancelFunc
	ctx    context.Context
}

// flight is one of them. Done is closed when it has been remembered or has failed.
type flight struct {
	key     scoped
	done    chan struct{}
	release func()
}

// join returns the flight that is made for a prefix of the chain, or begins one for
// the key if there is none.
func (f *flights) join(scope string, chain []Digest, key Digest) (other, mine *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other = f.find(scope, chain); other != nil {
		return other, nil
	}
	mine = &flight{key: scoped{scope, key}, done: make(chan struct{}), release: func() {}}
	if f.aloft == nil {
		f.aloft = map[scoped]*flight{}
	}
	f.aloft[mine.key] = mine
	return nil, mine
}

func (f *flights) find(scope string, chain []Digest) *flight {
	if len(f.aloft) == 0 {
		return nil
	}
	for i := len(chain) - 1; i > 0; i-- {
		if other := f.aloft[scoped{scope, chain[i]}]; other != nil {
			return other
		}
	}
	return nil
}

func (f *flights) land(mine *flight) {
	f.mu.Lock()
	delete(f.aloft, mine.key)
	f.mu.Unlock()
	mine.release()
	close(mine.done)
}

const (
	// leaseLife is how long others wait for a process that has died over a checkpoint.
	leaseLife = 30 * time.Second
	// leaseWait is how long they wait for one that is at work. If it takes longer
	// still, both make one, and the last one stands.
	leaseWait = backgroundLife
)

// errElsewhere says that another process makes the checkpoint.
var errElsewhere = errors.New("another process makes the checkpoint")

// takeOff makes sure that nobody else replaces the same messages now. If somebody
// did, their checkpoint is laid, and waited is true.
func (l *ladder) takeOff(ctx context.Context, c Compactor, old Span) (waited bool, err error) {
	if l.flight != nil {
		return false, nil
	}
	k, chain := l.k, l.task.chain()
	for {
		other, mine := k.flights.join(l.task.scope(), chain, chain[old.End])
		if mine != nil {
			l.flight = mine
			// Somebody may have landed since this walk looked into the memory.
			was := l.work.sent
			if l.replay(l.recall(ctx)); l.work.sent != was {
				waited = true
			}
			if waited && l.relieved() {
				return true, nil
			}
			break
		}
		k.tell(CompressionProgress{Waiting: !l.background})
		select {
		case <-other.done:
		case <-ctx.Done():
			return false, fmt.Errorf("compact: %w", ctx.Err())
		}
		waited = true
		l.replay(l.recall(ctx))
		if l.relieved() {
			return true, nil
		}
	}
	if !c.Slow() {
		return waited, nil
	}
	elsewhere, err := l.lease(ctx, chain[old.End])
	return waited || elsewhere, err
}

// lease makes sure that no other process makes the same checkpoint.
func (l *ladder) lease(ctx context.Context, key Digest) (waited bool, err error) {
	memory := l.k.memoryOf(l.task)
	if memory == nil {
		return false, nil
	}
	name := "compact:" + hex.EncodeToString(key[:])
	deadline := time.Now().Add(leaseWait)
	for {
		release, ok, err := memory.Lease(ctx, name, leaseLife)
		if err != nil || ok { // without a memory that works everybody is alone
			if ok {
				l.flight.release = release
			}
			return waited, nil
		}
		if l.background {
			return false, errElsewhere
		}
		l.k.tell(CompressionProgress{Waiting: true})
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return false, fmt.Errorf("compact: %w", ctx.Err())
		}
		waited = true
		if l.replay(l.recall(ctx)); l.relieved() || time.Now().After(deadline) {
			return true, nil
		}
	}
}

// relieved reports whether another's checkpoint has been laid that is enough.
func (l *ladder) relieved() bool {
	mark := l.high
	switch {
	case l.due:
		return l.work.sent != l.was
	case l.background:
		mark = l.soft()
	}
	return l.work.checkpoint != nil && l.work.Load() <= mark
}

// land lets those go on who wait for this walk.
func (l *ladder) land() {
	if l != nil && l.flight != nil {
		l.k.flights.land(l.flight)
		l.flight = nil
	}
}

// backgroundLife bounds a checkpoint that no request waits for.
const backgroundLife = 5 * time.Minute

// prepare begins a checkpoint that must wait for a model, if the load or the policy
// calls for one, while requests go on.
func (k *Keeper) prepare(t *Task, l *ladder) {
	if k.compactor == nil || !k.compactor.Slow() || k.options.Marks.Soft == 0 {
		return
	}
	if !l.due && l.plan.After.Total <= l.soft() || k.tripped(t, l.plan.After.Total) {
		return
	}
	k.flights.mu.Lock()
	defer k.flights.mu.Unlock()
	if k.flights.closed || k.flights.find(t.scope(), t.chain()) != nil {
		return
	}
	if k.flights.ctx == nil {
		k.flights.ctx, k.flights.stop = context.WithCancel(context.Background())
	}
	ctx, task, due, was := k.flights.ctx, *t, l.due, l.was
	k.flights.ground.Go(func() { k.compactAside(ctx, &task, due, was) })
}

// soft is the load from which on a checkpoint is prepared.
func (l *ladder) soft() int { return int(l.k.options.Marks.Soft * float64(l.plan.Line.Limit())) }

// compactAside makes a checkpoint for later requests: because a policy found it due for
// a conversation that was cut as was says, or because of the load.
func (k *Keeper) compactAside(ctx context.Context, t *Task, due bool, was *sticky) {
	defer func() {
		if r := recover(); r != nil { // no request waits for it, so no request is to end by it
			k.tell(ChatCompressed{Trigger: Automatic, Status: CompressionNoop, Reason: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())})
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, backgroundLife)
	defer cancel()
	l, err := k.ladder(t, walkOptions{archive: k.archiveOf(t)})
	if err != nil {
		return // the request itself was told
	}
	l.background, l.due, l.was = true, due, was
	if l.start(false) != nil {
		return
	}
	defer l.land()
	l.replay(l.recall(ctx))
	if !due && l.work.Load() <= l.soft() || due && l.work.sent != was { // another request has had it made meanwhile
		return
	}
	l.makeRoom()
	if err := l.compact(ctx, k.compactor, CompactOptions{}); err != nil {
		return
	}
	l.offerNew()
	l.weigh()
	if err := l.commit(ctx); err != nil {
		k.tell(ChatCompressed{Trigger: Automatic, Status: CompressionNoop, Reason: err.Error(), Before: l.plan.Before.Total, After: l.plan.Before.Total})
	}
}

// Close stops the checkpoints that are being made for later requests, and waits for
// them to end.
func (k *Keeper) Close() error {
	k.flights.mu.Lock()
	k.flights.closed = true
	if k.flights.stop != nil {
		k.flights.stop()
	}
	k.flights.mu.Unlock()
	k.flights.ground.Wait()
	return nil
}
