package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
)

// maxRounds is how often in one answer a participant may use tools.
const maxRounds = 32

// answerer gets the answer of one participant.
type answerer struct {
	e     *Engine
	p     Participant
	state state
	index int
	tell  func(Event)

	// rounds are what the answer consists of so far, text what it says.
	rounds []plimsoll.Message
	text   strings.Builder
	usage  plimsoll.Usage
	billed bool
	// saved is how much of the text is on the disk, since when it was written.
	saved int
	since time.Time
	// last is what became of the newest request.
	last transport.Exchange
}

// run asks until the participant has answered, and tells how it ended.
func (a *answerer) run(ctx context.Context) {
	a.since = a.e.options.Now()
	stop, err := a.converse(ctx)
	reply := Reply{
		Participant: a.p.Name, Model: a.p.Model, Dialect: a.p.Dialect, Text: a.text.String(), Usage: a.usage,
	}
	if err != nil {
		reply.Failure = err.Error()
	}
	if len(a.rounds) > 1 || len(a.rounds) == 1 && !onlyText(a.rounds[0]) {
		if r, failed := write(a.p, "", nil, a.rounds); failed == nil {
			reply.Rounds = r.Body()
		}
	}
	if failed := a.e.commit(record{Kind: recordReply, Index: a.index, Reply: &reply}); failed != nil {
		err = errors.Join(err, failed)
	}
	if err != nil {
		a.tell(Failed{a.p.Name, err})
		return
	}
	a.tell(Answered{
		Participant: a.p.Name, Text: reply.Text, Usage: a.usage, Billed: a.billed, Load: a.last.After, Line: a.last.Line,
		Cut: stop == wire.StopLength,
	})
}

func onlyText(m plimsoll.Message) bool {
	for _, p := range m.Parts.All() {
		if _, ok := p.(plimsoll.Text); !ok {
			return false
		}
	}
	return true
}

// converse asks, runs the tools that are called, and asks again.
func (a *answerer) converse(ctx context.Context) (wire.Stop, error) {
	for round := 0; ; round++ {
		resp, err := a.ask(ctx)
		if err != nil {
			return "", err
		}
		if calls := callsOf(resp.Message); len(calls) > 0 && a.e.options.Tools != nil && round < maxRounds {
			a.rounds = append(a.rounds, resp.Message)
			for _, call := range calls {
				a.use(ctx, call)
			}
			if ctx.Err() != nil {
				return "", stopped(a.p)
			}
			continue
		} else if len(calls) > 0 {
			return "", &plimsoll.Error{
				Op: "ask " + a.p.Name, Code: plimsoll.CodeUnsupported, Err: fmt.Errorf("it calls the tool %q and cannot have it", calls[0].Name),
				Hint: "start the chat with --tools, or ask for an answer without tools",
			}
		}
		if resp.Message.Parts.Len() > 0 {
			a.rounds = append(a.rounds, resp.Message)
		}
		if a.text.Len() == 0 && resp.Stop != wire.StopLength {
			return "", &plimsoll.Error{
				Op: "ask " + a.p.Name, Code: plimsoll.CodeUnavailable, Err: errors.New("the answer is empty"), Hint: "/retry asks again",
			}
		}
		return resp.Stop, nil
	}
}

func callsOf(m plimsoll.Message) []plimsoll.ToolCall {
	var calls []plimsoll.ToolCall
	for _, p := range m.Parts.All() {
		if call, ok := p.(plimsoll.ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// use runs a tool.
func (a *answerer) use(ctx context.Context, call plimsoll.ToolCall) {
	confirm := func(ctx context.Context, c Confirmation) bool {
		a.e.mu.Lock()
		ask := a.e.desk.Confirm
		a.e.mu.Unlock()
		c.Participant = a.p.Name
		return ask != nil && ask(ctx, c)
	}
	result := a.e.options.Tools.Call(ctx, call, confirm)
	result.CallID, result.Name = call.ID, call.Name
	a.rounds = append(a.rounds, plimsoll.NewMessage(plimsoll.ToolRole, result))
	a.tell(Called{
		Participant: a.p.Name, Tool: call.Name, Arguments: call.Arguments,
		Bytes: len(plimsoll.TextOf(result.Content)), IsError: result.IsError,
	})
}

// ask sends the conversation with the rounds so far and reads what comes.
func (a *answerer) ask(ctx context.Context) (wire.Response, error) {
	v := see(a.p, a.e.Participants(), a.state, a.index)
	r, err := write(a.p, v.system, a.e.tools(), append(v.messages, a.rounds...))
	if err != nil {
		return wire.Response{}, err
	}
	var box exchangeBox
	req, err := a.e.newRequest(context.WithValue(ctx, boxKey{}, &box), a.p, a.state, r.Body())
	if err != nil {
		return wire.Response{}, err
	}
	resp, err := a.e.client.Do(req)
	if err != nil {
		return wire.Response{}, a.unreachable(ctx, err)
	}
	answer, err := a.read(ctx, resp)
	_ = resp.Body.Close()
	x := box.get()
	a.settle(x, answer, err)
	if err != nil && x.Decision == transport.Refused && x.Err != nil {
		return answer, refuse(a.p, x.Err)
	}
	return answer, err
}

// settle takes from an exchange what the person should know.
func (a *answerer) settle(x transport.Exchange, answer wire.Response, err error) {
	a.last = x
	if answer.HasUsage {
		u := answer.Usage
		if x.Billed {
			u = x.Usage
		}
		a.usage, a.billed = a.usage.Add(u), true
	}
	switch {
	case x.Decision == transport.Compacted:
		a.tell(Notice{
			Kind: NoticeCompressed, Participant: a.p.Name,
			Text: fmt.Sprintf("old turns became a summary: %s → %s tokens", count(x.Before), count(x.After)),
		})
	case x.Rescued:
		a.tell(Notice{
			Kind: NoticeWarning, Participant: a.p.Name,
			Text: fmt.Sprintf("%s said that its context is full, so more was cut: %s → %s tokens", a.p.Name, count(x.Before), count(x.After)),
		})
	}
	if x.Summary.Model != "" {
		a.tell(Notice{Kind: NoticeCompressed, Participant: a.p.Name, Text: "a summary was written by " + x.Summary.String()})
	}
	if x.Warning != "" && err == nil {
		a.tell(Notice{Kind: NoticeWarning, Participant: a.p.Name, Text: x.Warning})
	}
}

// say tells a piece of the answer, and writes it down now and then, so that a crash
// loses little of it.
func (a *answerer) say(piece string) error {
	a.text.WriteString(piece)
	a.tell(Said{a.p.Name, piece})
	const every, most = time.Second, 4096
	if a.text.Len()-a.saved < most && a.e.options.Now().Sub(a.since) < every {
		return nil
	}
	part := Reply{
		Participant: a.p.Name, Model: a.p.Model, Dialect: a.p.Dialect, Text: a.text.String()[a.saved:],
		Failure: "interrupted",
	}
	kind := recordPiece
	if a.saved == 0 {
		kind = recordReply // takes the place of what an earlier attempt left
	}
	a.saved, a.since = a.text.Len(), a.e.options.Now()
	return a.e.commit(record{Kind: kind, Index: a.index, Reply: &part})
}

// boxKey finds the box of a request in its context.
type boxKey struct{}

// exchangeBox takes what the transport tells of a request.
type exchangeBox struct {
	mu sync.Mutex
	x  transport.Exchange
}

func (b *exchangeBox) get() transport.Exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x
}

// observe hands what became of a request to its sender.
func observe(ctx context.Context, x transport.Exchange) {
	if b, ok := ctx.Value(boxKey{}).(*exchangeBox); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.x = x
	}
}
