package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
)

// The defaults of a [Chain].
const (
	defaultTimeout = 60 * time.Second
	defaultMaxWait = 10 * time.Second
)

// Chain asks a model and checks what it wrote. If that is useless it asks once more, and
// then the fallback writes the summary. So Chain fails only if the fallback fails or the
// caller cancels.
type Chain struct {
	// Model is asked first; nil means that the fallback writes all summaries.
	Model Summarizer
	// Fallback writes the summary if the model cannot; nil means none. Timeout does not
	// apply to it.
	Fallback Summarizer
	// Timeout is the time limit of the model for all its requests together; 0 means
	// 60 seconds.
	Timeout time.Duration
	// Retries is how often Chain asks the model again; 0 means once, negative never.
	Retries int
	// MaxWait is the longest wait that Chain accepts from a provider; 0 means 10
	// seconds.
	MaxWait time.Duration
}

var _ Summarizer = (*Chain)(nil)

// Name returns the names of the model and the fallback.
func (c *Chain) Name() string {
	switch {
	case c.Model == nil && c.Fallback == nil:
		return "none"
	case c.Model == nil:
		return c.Fallback.Name()
	case c.Fallback == nil:
		return c.Model.Name()
	}
	return c.Model.Name() + ", " + c.Fallback.Name()
}

// Summarize returns a summary that has been checked and repaired.
func (c *Chain) Summarize(ctx context.Context, r *Request) (Summary, error) {
	l := &link{chain: c, request: *r}
	s, err := l.model(ctx)
	if ctx.Err() != nil {
		return Summary{}, ctx.Err()
	}
	if err != nil && c.Fallback != nil {
		s, err = l.fallback(ctx)
	}
	if ctx.Err() != nil {
		return Summary{}, ctx.Err()
	}
	if err != nil {
		return Summary{}, c.failure(err)
	}
	l.bill(s.Model, s.Usage)
	s.Usage, s.Model = l.usage, l.billed
	s.Notes = append(l.notes, s.Notes...)
	return s, nil
}

func (c *Chain) failure(err error) error {
	code := plimsoll.CodeOf(err)
	if code == plimsoll.CodeInternal {
		code = plimsoll.CodeUnavailable
	}
	hint := cmp.Or(plimsoll.HintOf(err), "use the summarizer extract, which needs no model")
	return &plimsoll.Error{Op: "summarise by " + c.Name(), Code: code, Hint: hint, Err: err}
}

// link is one run of a chain.
type link struct {
	chain   *Chain
	request Request
	notes   []string
	// usage is what billed has billed, for useless summaries too.
	usage  plimsoll.Usage
	billed string
}

func (l *link) bill(model string, u plimsoll.Usage) {
	l.usage, l.billed = l.usage.Add(u), cmp.Or(model, l.billed)
}

func (l *link) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

var errNoModel = errors.New("there is no model to ask")

// model asks the model, and asks again while that may help.
func (l *link) model(ctx context.Context) (Summary, error) {
	m := l.chain.Model
	if m == nil {
		return Summary{}, errNoModel
	}
	limit := cmp.Or(l.chain.Timeout, defaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for again := max(0, cmp.Or(l.chain.Retries, 1)); ; again-- {
		s, err := l.ask(ctx, m)
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("no summary within %v: %w", limit, err)
			again = 0
		}
		l.note("%s: %v", m.Name(), err)
		if again == 0 || !l.prepare(ctx, err) {
			return Summary{}, err
		}
	}
}

// ask asks once, and checks and repairs the answer.
func (l *link) ask(ctx context.Context, m Summarizer) (Summary, error) {
	s, err := m.Summarize(ctx, &l.request)
	if err != nil {
		var f *Failure
		if errors.As(err, &f) {
			l.bill(f.Model, f.Usage)
		}
		return Summary{}, err
	}
	if err := validate(&l.request, s); err != nil {
		l.bill(s.Model, s.Usage)
		return Summary{}, err
	}
	return repair(&l.request, s)
}

// prepare prepares a retry and reports whether one may help. After a temporary failure
// the request stays the same; after any other it becomes bare.
func (l *link) prepare(ctx context.Context, err error) bool {
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{}
	}
	switch {
	case f.Final:
		return false
	case f.Busy:
		return l.wait(ctx, f.After)
	}
	l.request.Bare = true
	return true
}

// wait waits as long as the provider asks, unless that is too long.
func (l *link) wait(ctx context.Context, after time.Duration) bool {
	if most := cmp.Or(l.chain.MaxWait, defaultMaxWait); after > most {
		l.note("not asked again: it would be %v, and %v are the most", after, most)
		return false
	}
	timer := time.NewTimer(max(after, minWait))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// minWait is the wait if the provider does not say how long.
const minWait = time.Second

// fallback asks the fallback.
func (l *link) fallback(ctx context.Context) (Summary, error) {
	f := l.chain.Fallback
	s, err := f.Summarize(ctx, &l.request)
	if err != nil {
		return Summary{}, err
	}
	if l.chain.Model != nil {
		l.note("written by %s", f.Name())
	}
	return repair(&l.request, s)
}
