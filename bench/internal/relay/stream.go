package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A stream has so many events, one each gap.
const (
	streamEvents = 20
	streamGap    = 3 * time.Millisecond
)

// streams asks for event streams in turn.
func (r *run) streams() error {
	if err := r.mode(fmt.Sprintf("events=%d&gap=%s", streamEvents, streamGap)); err != nil {
		return err
	}
	targets := r.comparable(false)
	measured, failed := make([]Streams, len(targets)), make([]bool, len(targets))
	for range r.times(9) {
		for i, t := range targets {
			measured[i].Target = t.Name
			if failed[i] {
				continue
			}
			if err := measured[i].round(r.maker, t); err != nil {
				r.fail(t, "streams", err)
				failed[i] = true
			}
		}
	}
	for i, m := range measured {
		if !failed[i] {
			r.Streams = append(r.Streams, m)
		}
	}
	return r.mode("")
}

// round takes a series of streams from one target.
func (m *Streams) round(maker *maker, t *target) error {
	const streams = 12
	quiet()
	before := t.cpu()
	var firsts, delays []time.Duration
	for range streams {
		s, err := t.stream(maker.short(4<<10, true))
		if err != nil {
			return err
		}
		firsts, delays = append(firsts, s.first), append(delays, s.delays...)
		m.Events += len(s.delays)
		m.Coalesced += s.coalesced
		m.Streams++
		if !s.intact() {
			m.Changed++
		}
	}
	m.Rounds = append(m.Rounds, StreamRound{
		First: quantile(firsts, 0.5), Delay: quantile(delays, 0.5), DelayP99: quantile(delays, 0.99), CPU: (t.cpu() - before) / streams,
	})
	return nil
}

// events is a stream as it came.
type events struct {
	all       []byte
	first     time.Duration
	delays    []time.Duration
	coalesced int
}

// stream takes one stream.
func (t *target) stream(c *conversation) (*events, error) {
	began := time.Now()
	resp, err := t.send(context.Background(), c, 0)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s := &events{}
	for piece := make([]byte, 64<<10); ; {
		n, err := resp.Body.Read(piece)
		now := time.Now()
		if n > 0 {
			if s.first == 0 {
				s.first = now.Sub(began)
			}
			s.take(piece[:n], now)
		}
		switch {
		case errors.Is(err, io.EOF) && len(s.delays) != streamEvents:
			return nil, fmt.Errorf("%d events, want %d", len(s.delays), streamEvents)
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, err
		}
	}
}

// sent stands before the time at which an event was sent.
var sent = []byte("sent-")

// take notes the events of a piece by the times in them.
func (s *events) take(piece []byte, now time.Time) {
	s.all = append(s.all, piece...)
	found := 0
	for {
		_, after, ok := bytes.Cut(piece, sent)
		if !ok {
			break
		}
		digits := after[:max(0, bytes.IndexByte(after, ' '))]
		if at, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
			s.delays = append(s.delays, now.Sub(time.Unix(0, at)))
			found++
		}
		piece = after
	}
	s.coalesced += max(0, found-1)
}

// intact reports whether the sum at the end is that of all bytes before it.
func (s *events) intact() bool {
	before, after, ok := bytes.Cut(s.all, []byte(": sum "))
	if !ok {
		return false
	}
	sum := sha256.Sum256(before)
	return bytes.Equal(after, []byte(hex.EncodeToString(sum[:])+"\n\ndata: [DONE]\n\n"))
}
