package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
)

// cutter stands between a client and the server, and cuts a connection when so many
// more bytes have passed.
type cutter struct {
	address string
	// toServer and toClient are how many bytes may pass; negative means any number.
	toServer, toClient atomic.Int64
}

// newCutter returns one before the server of a URL, and the URL through it.
func newCutter(t *testing.T, to string) (*cutter, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	through, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{address: through.Host}
	c.toServer.Store(-1)
	c.toClient.Store(-1)
	through.Host = listener.Addr().String()
	go c.serve(listener)
	return c, through.String()
}

func (c *cutter) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.address)
		if err != nil {
			client.Close()
			continue
		}
		go pass(server, client, &c.toServer)
		go pass(client, server, &c.toClient)
	}
}

// pass copies until the budget is used up, then closes both ends.
func pass(to, from net.Conn, budget *atomic.Int64) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1024)
	for {
		n, err := from.Read(buffer)
		left := budget.Load()
		if left >= 0 && int64(n) >= left {
			to.Write(buffer[:left])
			budget.Store(-1)
			return
		}
		if left >= 0 {
			budget.Store(left - int64(n))
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}

func TestAConnectionCutAnywhereIsNotNoticed(t *testing.T) {
	t.Parallel()
	c, through := newCutter(t, pgtest.Database(t))
	db := open(t, through, nil)
	for i, at := 0, int64(0); at < 12_000; i, at = i+1, at+at/4+1 {
		for side, budget := range map[string]*atomic.Int64{"to the server": &c.toServer, "to the client": &c.toClient} {
			id := fmt.Sprint("cut ", at, " bytes ", side)
			budget.Store(at)
			if err := write(t.Context(), db, id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			if err := whole(t.Context(), db, id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			budget.Store(-1)
		}
	}
	broken, err := db.Check(t.Context())
	if err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}

func TestARequestIsNeverCountedTwice(t *testing.T) {
	t.Parallel()
	c, through := newCutter(t, pgtest.Database(t))
	db := open(t, through, nil)
	sent, acknowledged := 0, 0
	for at := int64(0); at < 600; at += 7 {
		budget := &c.toServer
		if at%2 == 0 {
			budget = &c.toClient
		}
		budget.Store(at)
		sent++
		now := time.Now()
		err := db.AddAccount(t.Context(), tenant, account.Account{Conversation: "c", Requests: 1, First: now, Last: now})
		switch {
		case err == nil:
			acknowledged++
		case !errors.Is(err, store.ErrUnavailable):
			t.Errorf("cut after %d bytes: %v", at, err)
		}
		budget.Store(-1)
	}
	if n := accounts(t, db); n < int64(acknowledged) || n > int64(sent) {
		t.Errorf("%d were sent and %d acknowledged, but %d counted", sent, acknowledged, n)
	}
	t.Logf("%d sent, %d acknowledged, %d counted", sent, acknowledged, accounts(t, db))
}
