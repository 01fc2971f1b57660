package transport_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

var (
	storms     = flag.Int("storms", 8, "how many storms there are")
	firstStorm = flag.Uint64("storm", 1, "the first of them")
	twins      = flag.Bool("twins", false, "let two processes that share a store take turns")
)

// storm is a conversation in which everything goes wrong that can: the client leaves,
// repeats itself, takes back what it said, and the upstream fails in every way. All of
// it is drawn from a seed.
type storm struct {
	*testing.T
	seed    uint64
	draw    *rand.Rand
	dialect plimsoll.Dialect
	stream  bool
	// window is the upstream's, told whether we are told it.
	window int
	told   bool
	*weather
	bench *bench
	// clients send through processes of their own, which share a store.
	clients []*http.Client

	requests int
	// before is what was sent last for a request that was answered; linear says that the
	// client has only added to it since.
	before plimsoll.Conversation
	linear bool
	// learned says that the upstream has told its window and has then been asked again
	// with success.
	learned bool
}

func newStorm(t *testing.T, seed uint64) *storm {
	s := &storm{T: t, seed: seed, draw: rand.New(rand.NewPCG(seed, 1))}
	all := dialects.All()
	s.dialect, s.stream = all[int(seed)%len(all)], s.draw.IntN(2) == 0
	s.window, s.told = 12_000+s.draw.IntN(30_000), s.draw.IntN(2) == 0
	s.weather = &weather{seed: seed, sent: map[string][]sending{}}
	s.weather.model = scripted.New(&scripted.Options{Script: s.script, Window: s.window, Remember: 100_000})
	odd := oddOverflows[s.dialect]
	s.weather.odd = odd[s.draw.IntN(len(odd))]
	o := transport.Options{Store: newStore(t), Rounds: 1 + s.draw.IntN(3)}
	if s.told {
		o.Window = s.window
	}
	if s.draw.IntN(4) == 0 {
		o.Expand = transport.ExpandAlways
	}
	s.bench = newBench(t, nil, o)
	s.clients = []*http.Client{s.bench.client}
	if *twins && s.told { // what is learned takes its time to get around
		s.clients = append(s.clients, newBench(t, nil, o).client)
	}
	s.bench.server.Close()
	s.bench.server = httptest.NewServer(s.weather)
	t.Cleanup(s.bench.server.Close)
	return s
}

// client is the one whose turn it is.
func (s *storm) client() *http.Client { return s.clients[s.requests%len(s.clients)] }

// script answers by what a request ends with.
func (s *storm) script(c *scripted.Call) (scripted.Step, bool) {
	sum := uint64(len(c.Request.Body()))
	draw := rand.New(rand.NewPCG(s.seed, sum))
	read := func() plimsoll.ToolCall {
		return plimsoll.ToolCall{Name: "read", Arguments: fmt.Sprintf(`{"path":"file%d"}`, draw.IntN(1000))}
	}
	found := refs(c.Conversation)
	look := func() plimsoll.ToolCall {
		ref := "nosuch"
		if len(found) > 0 {
			ref = found[draw.IntN(len(found))]
		}
		return plimsoll.ToolCall{Name: "tool_output_cache", Arguments: fmt.Sprintf(`{"ref_id":%q}`, ref)}
	}
	offered := has(c.Conversation, "tool_output_cache")
	step := scripted.Step{}
	if draw.IntN(2) == 0 {
		step.Text = fmt.Sprintf("I think %d. ", sum)
	}
	switch k := draw.IntN(10); {
	case k < 5:
		for range 1 + draw.IntN(3) {
			step.Calls = append(step.Calls, read())
		}
	case k < 7 && offered:
		step.Calls = append(step.Calls, look())
	case k < 8 && offered:
		step.Calls = append(step.Calls, look(), read())
	default:
		step.Text = fmt.Sprintf("That is all of %d.", sum)
	}
	return step, true
}

// text is what a tool answers or a user says: unlike anything else, and of any size.
func (s *storm) text(words int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ", s.draw.Uint64())
	for i := range words {
		b.WriteString([]string{"alpha", "beta\n", "gamma", "δ", "\"quoted\"", "x1y2", "{}", "ship"}[s.draw.IntN(8)])
		if i%7 == 0 {
			b.WriteString(strconv.Itoa(s.draw.IntN(10_000)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func (s *storm) output(plimsoll.ToolCall) string {
	if s.draw.IntN(3) == 0 {
		return s.text(1500 + s.draw.IntN(1500))
	}
	return s.text(s.draw.IntN(300))
}

// send sends the client's request and checks what must be true of it.
func (s *storm) send(a *agent) (got answer, ok bool) {
	s.Helper()
	s.requests++
	id := strconv.Itoa(s.requests)
	body := a.body()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.bench.server.URL+path(s.dialect, s.stream), bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("X-Storm", id)
	req.Header.Set("Accept-Encoding", "zstd")
	resp, err := s.client().Do(req)
	if err != nil {
		return got, false
	}
	defer resp.Body.Close()
	got = answer{status: resp.StatusCode, header: resp.Header}
	got.body, err = io.ReadAll(resp.Body)
	broken := err != nil
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !broken {
		got.body = unzstd(s.T, got.body)
	}
	return got, s.check(id, a, body, &got, broken)
}

// check holds one answered request against what is promised. It reports whether the
// client can go on from it.
func (s *storm) check(id string, a *agent, body []byte, got *answer, broken bool) bool {
	s.Helper()
	sent := s.of(id)
	decision := got.header.Get(transport.HeaderDecision)
	where := fmt.Sprintf("storm %d (%s, stream %v, window %d, told %v), request %s, %s", s.seed, s.dialect, s.stream, s.window, s.told, id, decision)
	if decision == "refuse" {
		if _, full := wire.FindOverflow(got.status, got.body); got.status != http.StatusBadRequest || !full || len(sent) > 0 {
			s.Errorf("%s: refused by %d %.200s after %d requests", where, got.status, got.body, len(sent))
		}
		return false
	}
	if len(sent) == 0 {
		s.Errorf("%s: nothing was sent", where)
		return false
	}
	first, last := sent[0], sent[len(sent)-1]
	if decision == "pass" && !bytes.Contains(first.body, []byte(`tool_output_cache`)) && !bytes.Equal(first.body, body) {
		s.Errorf("%s: under the line the body changed", where)
	}
	s.checkRetries(where, sent, got.header.Get(transport.HeaderWarning))
	switch {
	case s.stream && len(sent) > 1 && got.status == http.StatusOK && last.status != http.StatusOK:
		if !broken && s.dialect != plimsoll.Responses { // which has events for errors
			s.Errorf("%s: a stream that cannot go on looks whole: %.300s", where, got.body)
		}
		return false
	case got.status != last.status:
		s.Errorf("%s: the client sees %d, the upstream said %d in mood %s", where, got.status, last.status, last.mood)
	}
	if bytes.Contains(got.body, []byte("tool_output_cache")) {
		s.Errorf("%s: the client sees a call of ours: %.500s", where, got.body)
	}
	whole := last.mood == "fine" || last.mood == "slow" || last.mood == "coded"
	if broken || got.status != http.StatusOK || !whole {
		if whole && broken {
			s.Errorf("%s: an answer that is whole is broken off", where)
		}
		if last.mood == "cut" && !broken && got.status == http.StatusOK {
			s.Errorf("%s: an answer that was cut looks whole: %.300s", where, got.body)
		}
		return false
	}
	got.read(s.T, s.dialect, s.stream)
	if !got.done || got.said.Error != nil {
		s.Errorf("%s: the answer is not whole: %+v %.500s", where, got.said.Error, got.body)
		return false
	}
	s.checkPrefix(where, decision, first.body, last.body)
	return true
}

// checkRetries bounds how often one request of the client's is sent.
func (s *storm) checkRetries(where string, sent []sending, warning string) {
	s.Helper()
	overflows := 0
	for _, x := range sent {
		overflows += count(x.overflow)
	}
	if overflows > 2 {
		s.Errorf("%s: %d overflows in one request", where, overflows)
	}
	if (s.told || s.learned) && overflows > 0 {
		s.Errorf("%s: over a window that is known", where)
	}
	last := sent[len(sent)-1]
	if last.overflow && overflows < 2 && warning == "" && last.mood != "cut" { // half an error says nothing
		s.Errorf("%s: an overflow reaches the client, and nothing was done about it", where)
	}
	if overflows > 0 && !last.overflow && last.status == http.StatusOK && s.odd == "" && s.dialect != plimsoll.Responses {
		s.learned = true
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// checkPrefix holds what was sent against what was sent before.
func (s *storm) checkPrefix(where, decision string, first, last []byte) {
	s.Helper()
	codec := dialects.Codec(s.dialect)
	r, err := codec.Decode(first)
	if err != nil {
		s.Fatal(err)
	}
	now := r.Conversation()
	if n := s.before.Messages.Len(); s.linear && (decision == "pass" || decision == "recall") && sharedMessages(s.before, now) < n {
		s.Errorf("%s: %d of %d messages are those that were sent before", where, sharedMessages(s.before, now), n)
	}
	if r, err = codec.Decode(last); err != nil {
		s.Fatal(err)
	}
	s.before, s.linear = r.Conversation(), true
}

// blow lets the storm blow for some turns.
func (s *storm) blow(turns int) {
	a := s.bench.agent(s.dialect, s.stream)
	a.say(s.text(20))
	failures := 0
	for range turns {
		switch s.draw.IntN(12) {
		case 0: // leaves, and comes again
			s.leaves(a)
		case 1: // asks the same twice at once
			s.twice(a)
		case 2:
			s.takeBack(a)
		}
		got, ok := s.send(a)
		if !ok {
			s.linear = false
			if failures++; got.header.Get(transport.HeaderDecision) == "refuse" {
				s.takeBack(a)
			}
			continue
		}
		a.history = append(a.history, got.said.Message)
		if got.said.Message.Parts.Len() == 0 { // some APIs refuse a message that says nothing
			a.history = a.history[:len(a.history)-1]
			s.linear = false
			a.say(s.text(10))
			continue
		}
		if a.answerCalls(s.output) == 0 {
			a.say(s.text(20))
		}
	}
	for _, x := range s.model.Log() {
		for _, v := range x.Violations {
			s.Errorf("storm %d (%s): a request that the API refuses: %v", s.seed, s.dialect, v)
		}
	}
}

// leaves sends a request and leaves: when it has arrived, or in the middle of its answer.
func (s *storm) leaves(a *agent) {
	ctx, leave := context.WithCancel(s.Context())
	defer leave()
	s.linear = false
	arrives := s.draw.IntN(2) == 0
	if arrives {
		s.mu.Lock()
		s.leave = leave
		s.mu.Unlock()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.bench.server.URL+path(s.dialect, s.stream), bytes.NewReader(a.body()))
	if err != nil {
		s.Fatal(err)
	}
	resp, err := s.client().Do(req)
	if err == nil {
		_, _ = io.CopyN(io.Discard, resp.Body, int64(s.draw.IntN(500)))
		leave()
		_ = resp.Body.Close()
	}
	s.mu.Lock()
	s.leave = nil
	s.mu.Unlock()
}

// twice sends one request two times at once. Nothing is known of the order.
func (s *storm) twice(a *agent) {
	body := a.body()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.bench.server.URL+path(s.dialect, s.stream), bytes.NewReader(body))
			if err != nil {
				return
			}
			if resp, err := s.client().Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	both.Wait()
	s.linear = false
}

// takeBack lets the client go on from an earlier message of the user's, or edit it.
func (s *storm) takeBack(a *agent) {
	var users []int
	for i, m := range a.history {
		if m.Role == plimsoll.User && plimsoll.CountOf[plimsoll.ToolResult](m) == 0 {
			users = append(users, i)
		}
	}
	at := users[s.draw.IntN(len(users))]
	said := plimsoll.Say(plimsoll.User, s.text(15))
	if s.draw.IntN(2) == 0 {
		a.history = append(a.history[:at:at], said)
	} else {
		a.history = append(append(a.history[:at:at], said), a.history[at+1:]...)
	}
	s.linear = false
}

// Not parallel: it counts goroutines.
func TestNoPromiseIsBrokenInAStorm(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("storms", func(t *testing.T) {
		for i := range uint64(*storms) {
			t.Run(strconv.FormatUint(*firstStorm+i, 10), func(t *testing.T) {
				t.Parallel()
				newStorm(t, *firstStorm+i).blow(30)
			})
		}
	})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for end := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
