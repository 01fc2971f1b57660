package chat

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

const (
	// maxAnswer bounds an answer that is not streamed, and an error.
	maxAnswer = 64 << 20
	// pace is how often pieces of an answer are handed on. An answer is put together
	// again for each, so it must not be done for every token.
	pace = 40 * time.Millisecond
)

// read reads an answer, streamed or whole.
func (a *answerer) read(ctx context.Context, resp *http.Response) (wire.Response, error) {
	codec := dialects.Codec(a.p.Dialect)
	if resp.StatusCode >= 400 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		return wire.Response{}, a.refused(ctx, resp, body)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return wire.Response{}, a.unreachable(ctx, err)
		}
		answer, err := codec.ReadResponse(body)
		if err != nil {
			return answer, a.strange(err)
		}
		if err := a.say(plimsoll.TextOf(answer.Message.Parts)); err != nil {
			return answer, err
		}
		return answer, a.check(answer)
	}
	return a.stream(ctx, codec.NewAssembler(), resp.Body)
}

// stream hands on an answer while it comes.
func (a *answerer) stream(ctx context.Context, assembler wire.Assembler, body io.Reader) (wire.Response, error) {
	pumping, stop := context.WithCancel(ctx)
	defer stop()
	events, failed := pump(pumping, body)
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	given, fresh := 0, false
	flush := func() error {
		if !fresh {
			return nil
		}
		fresh = false
		text := plimsoll.TextOf(assembler.Response().Message.Parts)
		if len(text) <= given {
			return nil
		}
		piece := text[given:]
		if given == 0 && a.text.Len() > 0 {
			piece = "\n\n" + piece // behind what it said before it used a tool
		}
		given = len(text)
		return a.say(piece)
	}
	for {
		select {
		case e, ok := <-events:
			if ok {
				assembler.Event(e.Name, e.Data)
				fresh = true
				continue
			}
			if err := flush(); err != nil {
				return assembler.Response(), err
			}
			answer := assembler.Response()
			if err := a.check(answer); err != nil {
				return answer, err
			}
			if err := <-failed; err != nil {
				return answer, a.unreachable(ctx, err)
			}
			if !assembler.Done() && answer.Stop == wire.StopUnknown {
				return answer, a.unreachable(ctx, io.ErrUnexpectedEOF)
			}
			return answer, nil
		case <-ticker.C:
			if err := flush(); err != nil {
				return assembler.Response(), err
			}
		}
	}
}

// pump reads events until the stream ends, and then says how it did.
func pump(ctx context.Context, body io.Reader) (<-chan sse.Event, <-chan error) {
	events, failed := make(chan sse.Event), make(chan error, 1)
	go func() {
		defer close(events)
		in := sse.NewReader(body, nil)
		for {
			e, err := in.Next()
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				failed <- err
				return
			}
			if !e.HasData() {
				continue
			}
			e.Data = append([]byte(nil), e.Data...)
			select {
			case events <- e:
			case <-ctx.Done():
				failed <- ctx.Err()
				return
			}
		}
	}()
	return events, failed
}

// check finds an error in an answer that began well.
func (a *answerer) check(answer wire.Response) error {
	switch {
	case answer.Error != nil:
		return a.explain(answer.Error)
	case answer.Stop == wire.StopContext:
		return a.full("it stopped because its context is full")
	case answer.Stop == wire.StopFiltered:
		return a.filtered()
	}
	return nil
}
