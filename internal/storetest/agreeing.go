package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/summary"
)

// Agree tests that processes that share a store agree about what was decided. Each call
// of open opens the same database once more, as another process would. It records so
// many histories of eight processes with faults, and asks whether each is linearizable.
func Agree(t *testing.T, open func(t *testing.T) store.Backend, histories int, seed uint64) {
	t.Helper()
	var processes []*store.Tenant
	for range 8 {
		b := open(t)
		s, err := store.New(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		processes = append(processes, s.Tenant("anna"))
	}
	t.Run("64 requests at once through two processes make one summary and one body", func(t *testing.T) {
		t.Parallel()
		for n := range histories {
			sharedBoundary(t, processes[:2], fmt.Sprintf("boundary %d of seed %d", n, seed))
		}
	})
	for n := range uint64(histories) {
		t.Run(fmt.Sprintf("a memory is a register, seed %d", seed+n), func(t *testing.T) {
			t.Parallel()
			registers(t, processes, seed+n)
		})
		t.Run(fmt.Sprintf("keepers agree about a checkpoint, seed %d", seed+n), func(t *testing.T) {
			t.Parallel()
			checkpoints(t, processes, seed+n)
		})
	}
}

// writer writes summaries that can be told apart.
type writer struct{ written atomic.Int32 }

func (*writer) Name() string { return "writer" }

func (w *writer) Summarize(context.Context, *summary.Request) (summary.Summary, error) {
	text := fmt.Sprintf("<state_snapshot>\n<overall_goal>\nversion %d\n</overall_goal>\n</state_snapshot>", w.written.Add(1))
	return summary.Summary{Text: text, By: "writer"}, nil
}

var versionOf = regexp.MustCompile(`version (\d+)`)

// newKeeper returns a keeper of a window of 4,000 letters that keeps what it cuts with the tenant.
func newKeeper(t *testing.T, tenant *store.Tenant, w *writer) *fit.Keeper {
	k, err := fit.New(&fit.Options{
		Meter: testkit.ByteMeter{}, Window: 4000, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.8},
		Archive: tenant, Memory: tenant.Memory(), Rungs: []fit.Rung{&rung.Compact{Summarizer: w}, &rung.Slide{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// talk is a conversation over that window.
func talk(about string) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, about)}
	for i := range 14 {
		messages = append(messages,
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("answer %d %s", i, strings.Repeat("x", 300))),
			plimsoll.Say(plimsoll.User, fmt.Sprintf("question %d", i)))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// said is what a plan sends.
func said(p *plimsoll.Plan) string {
	var all strings.Builder
	for _, m := range p.Conversation().Messages.All() {
		fmt.Fprintf(&all, "%s: %s\n", m.Role, m.Text())
	}
	return all.String()
}

func sharedBoundary(t *testing.T, processes []*store.Tenant, about string) {
	w, bodies := &writer{}, sync.Map{}
	var requests sync.WaitGroup
	for _, tenant := range processes {
		k := newKeeper(t, tenant, w)
		for range 64 / len(processes) {
			requests.Go(func() {
				plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(about)})
				if err != nil {
					t.Error(err)
					return
				}
				bodies.Store(said(plan), true)
			})
		}
	}
	requests.Wait()
	different := 0
	for range bodies.Range {
		different++
	}
	if n := w.written.Load(); n != 1 || different != 1 {
		t.Errorf("%s: %d summaries, %d different bodies", about, n, different)
	}
}

// history records operations in one order of time.
type history struct {
	clock atomic.Int64
	mu    sync.Mutex
	all   []porcupine.Operation
}

// add records what do returns. An operation that fails has its effect before it returns, if
// it has any.
func (h *history) add(client int, input any, do func() any) {
	op := porcupine.Operation{ClientId: client, Input: input, Call: h.clock.Add(1)}
	op.Output = do()
	op.Return = h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, op)
}

func (h *history) check(t *testing.T, m porcupine.NondeterministicModel) {
	t.Helper()
	model := m.ToModel()
	result, info := porcupine.CheckOperationsVerbose(model, h.all, time.Minute)
	switch result {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Error("the checker ran out of time")
	default:
		for _, op := range h.all {
			t.Logf("%d: %+v %+v, from %d to %d", op.ClientId, op.Input, op.Output, op.Call, op.Return)
		}
		t.Errorf("no order of these operations explains their results; the longest that does: %v", info.PartialLinearizations())
	}
}

// errFault is an injected failure.
var errFault = fmt.Errorf("injected: %w", store.ErrUnavailable)

// faulty is a memory that fails or delays at random, before an operation or after it.
type faulty struct {
	fit.Memory
	mu     sync.Mutex
	random *rand.Rand
	// failed says that an operation failed.
	failed atomic.Bool
}

func (f *faulty) meet(do func() error) error {
	f.mu.Lock()
	fate := f.random.IntN(20)
	pause := time.Duration(f.random.IntN(3)) * time.Millisecond
	f.mu.Unlock()
	time.Sleep(pause)
	if fate == 0 {
		f.failed.Store(true)
		return errFault
	}
	err := do()
	if fate == 1 {
		err = errFault
	}
	if err != nil && !errors.Is(err, plimsoll.ErrNotFound) {
		f.failed.Store(true)
	}
	return err
}

func (f *faulty) Recall(ctx context.Context, keys []plimsoll.Digest) (d fit.Decision, err error) {
	err = f.meet(func() error {
		d, err = f.Memory.Recall(ctx, keys)
		return err
	})
	return d, err
}

func (f *faulty) Remember(ctx context.Context, d fit.Decision) error {
	return f.meet(func() error { return f.Memory.Remember(ctx, d) })
}

func (f *faulty) Forget(ctx context.Context, keys ...plimsoll.Digest) error {
	return f.meet(func() error { return f.Memory.Forget(ctx, keys...) })
}

func (*faulty) AddAccount(context.Context, account.Account) error { return nil }

func newFaulty(m fit.Memory, seed, stream uint64) *faulty {
	return &faulty{Memory: m, random: rand.New(rand.NewPCG(seed, stream))}
}

// access is an operation on a register: it puts a value, or takes it out if that is
// negative, or reads it if that is 0.
type access struct{ register, value int }

// outcome is what came of an access.
type outcome struct {
	value string
	err   error
}

// registers lets eight processes write, read and delete decisions.
func registers(t *testing.T, processes []*store.Tenant, seed uint64) {
	h := &history{}
	var clients sync.WaitGroup
	for client, tenant := range processes {
		clients.Go(func() {
			memory := newFaulty(tenant.Memory(), seed, uint64(client))
			random := rand.New(rand.NewPCG(seed, 1000+uint64(client)))
			for i := range 24 {
				at := random.IntN(3)
				key := plimsoll.Digest(fmt.Appendf(nil, "%014x %d", seed, at))
				switch random.IntN(4) {
				case 0:
					value := client*1000 + i + 1
					h.add(client, access{at, value}, func() any {
						return outcome{err: memory.Remember(t.Context(), fit.Decision{Key: key, Body: fmt.Append(nil, value)})}
					})
				case 1:
					h.add(client, access{at, -1}, func() any { return outcome{err: memory.Forget(t.Context(), key)} })
				default:
					h.add(client, access{at, 0}, func() any {
						d, err := memory.Recall(t.Context(), []plimsoll.Digest{key})
						if errors.Is(err, plimsoll.ErrNotFound) {
							err = nil
						}
						return outcome{string(d.Body), err}
					})
				}
			}
		})
	}
	clients.Wait()
	h.check(t, porcupine.NondeterministicModel{
		Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, 3)
			for _, op := range all {
				at := op.Input.(access).register
				parts[at] = append(parts[at], op)
			}
			return parts
		},
		Init: func() []any { return []any{""} },
		Step: func(state, input, output any) []any {
			value, got, after := input.(access).value, output.(outcome), state
			switch {
			case value > 0:
				after = fmt.Sprint(value)
			case value < 0:
				after = ""
			case got.err == nil && got.value != state:
				return nil
			}
			if got.err != nil {
				return []any{state, after}
			}
			return []any{after}
		},
	})
}

// fitted is what a request got: the version of the checkpoint, and whether the memory
// failed meanwhile.
type fitted struct {
	version string
	failed  bool
}

// checkpoints lets eight processes fit one conversation. A request whose memory works gets the
// checkpoint that is stored, and makes one only if there is none.
func checkpoints(t *testing.T, processes []*store.Tenant, seed uint64) {
	h, w := &history{}, &writer{}
	about := fmt.Sprintf("seed %d", seed)
	var clients sync.WaitGroup
	for client, tenant := range processes {
		k := newKeeper(t, tenant, w)
		for stream := range uint64(2) {
			clients.Go(func() {
				for i := range uint64(4) {
					memory := newFaulty(tenant.Memory(), seed, uint64(client)<<16|stream<<8|i)
					h.add(client, nil, func() any {
						plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(about), Memory: memory})
						if err != nil {
							t.Error(err)
							return fitted{failed: true}
						}
						found := versionOf.FindStringSubmatch(said(plan))
						if found == nil {
							t.Errorf("a request has no checkpoint: %s", said(plan))
							return fitted{failed: true}
						}
						return fitted{found[1], memory.failed.Load()}
					})
				}
			})
		}
	}
	clients.Wait()
	h.check(t, porcupine.NondeterministicModel{
		Init: func() []any { return []any{""} },
		Step: func(state, _, output any) []any {
			got := output.(fitted)
			switch {
			case got.failed: // it may have stored what it made, or not
				return []any{state, got.version}
			case state == "" || state == got.version:
				return []any{got.version}
			}
			return nil
		},
	})
}
