package faults

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite" // a reader that stays

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// storeCases are about what was cut, when processes, disks, databases and clocks fail.
var storeCases = []fault{
	{id: "32", sentence: "kill -9 at random moments loses no reference that a model was shown", seeded: kills, long: true, held: []string{"store/sqlite TestKilledWritersLoseNothingThatWasAcknowledged"}},
	{id: "33", sentence: "content is synced before it is shown; torn logs give the bytes or an error, never other bytes", seeded: powerLoss, long: true, held: []string{"store/sqlite TestDamagedFilesGiveErrorsOrWhatWasStored"}},
	{id: "34a", sentence: "on a full disk requests go on without references, nothing stored is lost, and it recovers", run: fullDisk, long: true, held: []string{"store/sqlite TestAFullDiskIsUnavailableAndLosesNothing"}},
	{id: "34b", sentence: "where sync, write or read fail, requests are served and nothing acknowledged is lost", run: failingDisk, long: true},
	{id: "34c", sentence: "flipped bits, a shortened file and a deleted log give the bytes or an error, and requests are served", seeded: damage, long: true, held: []string{"store TestDamageIsNeverReadAsContent"}},
	{id: "35", sentence: "four processes and a collector on one file: every request is served with references, and no lock is seen", run: fourProcesses, long: true, held: []string{"store/sqlite TestTwoProcessesShareAStore"}},
	{id: "36", sentence: "after a reader that stays, the log is at most 80 MB; collecting holds no request up", run: churn, long: true},
	{id: "37a", sentence: "PostgreSQL away at the start, in mid-flight or out of connections: requests are served, references come back", run: databaseAway, long: true, held: []string{"store/postgres TestTroubleOfTheServer", "store/postgres TestAServerFullOfClientsIsUnavailable"}},
	{id: "37b", sentence: "PostgreSQL demoted and promoted: references come back without a restart", run: failover, long: true, held: []string{"store/postgres TestFailoverFindsTheNewPrimary"}},
	{id: "37c", sentence: "two and eight proxies on one store cut one conversation byte for byte alike", run: manyProxies, long: true, held: []string{"cmd/plimsoll TestTwoProxiesOnOneDatabaseServeOneConversation"}},
	{id: "38", sentence: "PostgreSQL: NUL, lone surrogates, invalid UTF-8 and 48 MB of output are stored or refused alone", run: badValues, long: true},
	{id: "39", sentence: "a clock that jumps back an hour and on a year expires nothing, and requests go on", run: clockJumps},
}

// shown returns the references that the upstream saw, each with the name of the
// conversation that it is of.
func (u *upstream) shown() map[string]string {
	all := map[string]string{}
	for _, x := range u.posts() {
		name := regexp.MustCompile(`([a-z]+[0-9-]+): find out`).FindSubmatch(x.body)
		for _, id := range refs(x.body) {
			if name != nil {
				all[id] = string(name[1])
			}
		}
	}
	return all
}

// lost counts the references that cannot be read or are something else. A reference of a
// placeholder is an output of its conversation, and so is one of a checkpoint.
func (p *proxy) lost(shown map[string]string) (lost, wrong int) {
	p.t.Helper()
	for id, name := range shown {
		a := p.content(id)
		if a.status != 200 {
			p.t.Logf("%s of %s: %v", id, name, a)
			lost++
		} else if !bytes.Contains(a.body, []byte(name)) {
			p.t.Logf("%s of %s is something else: %v", id, name, a)
			wrong++
		}
	}
	return lost, wrong
}

// limited is the setup of most of these cases.
func limited(store string) setup {
	return setup{store: store, flags: []string{"--limit", "6000"}}
}

// busy lets clients send conversations of their own until the context ends.
func (p *proxy) busy(ctx context.Context, clients int, name string, served *atomic.Int64) *sync.WaitGroup {
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				request := body(p.t, plimsoll.OpenAI, work(fmt.Sprintf("%s%d-%d", name, c, i), 10, 60))
				if a := p.do(ctx, http.MethodPost, chat, request); a.status == 200 {
					served.Add(1)
				} else if a.status != 0 {
					p.t.Errorf("%v", a)
				}
			}
		})
	}
	return &all
}

func kills(t *testing.T, r *rand.Rand) string {
	u := newUpstream(t, nil)
	store := filepath.Join(t.TempDir(), "store.db")
	const rounds = 20
	var served atomic.Int64
	for i := range rounds {
		p := serve(t, u.URL, limited(store))
		ctx, stop := context.WithCancel(t.Context())
		before := served.Load()
		working := p.busy(ctx, 4, fmt.Sprintf("kill%d-", i), &served)
		if i%2 == 0 { // the others are killed while they start
			until(t, "a request is served", func() bool { return served.Load() > before })
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		p.kill()
		stop()
		working.Wait()
	}
	p := serve(t, u.URL, limited(store))
	shown := u.shown()
	lost, wrong := p.lost(shown)
	if lost+wrong > 0 || len(shown) == 0 {
		t.Errorf("%d of %d references are lost, %d are something else", lost, len(shown), wrong)
	}
	if out, err := p.run("cache", "check", "--store", store); err != nil {
		t.Errorf("check: %v %s", err, out)
	}
	return fmt.Sprintf("%d kills, %d requests, %d references shown, %d lost", rounds, served.Load(), len(shown), lost)
}

func powerLoss(t *testing.T, r *rand.Rand) string {
	u := newUpstream(t, nil)
	store := filepath.Join(t.TempDir(), "store.db")
	p := serve(t, u.URL, limited(store))
	for i := range 10 {
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("torn", i, "-"), 10, 60))))
	}
	shown := u.shown()
	p.kill()
	exact, gone := 0, 0
	for range 5 {
		dir := t.TempDir()
		for _, suffix := range []string{"", "-wal"} { // the log is shortened, and part of it is nothing
			data, err := os.ReadFile(store + suffix)
			if err != nil {
				t.Fatal(err)
			}
			if suffix == "-wal" && len(data) > 0 {
				data = data[:r.IntN(len(data))]
				if len(data) > 4096 {
					clear(data[len(data)-r.IntN(4096):])
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "store.db"+suffix), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		q := serve(t, u.URL, limited(filepath.Join(dir, "store.db")))
		q.must(q.post(chat, body(t, plimsoll.OpenAI, work("after0-", 10, 60))))
		for id, name := range shown {
			switch a := q.content(id); {
			case a.status == 200 && !bytes.Contains(a.body, []byte(name)):
				t.Errorf("%s is something else: %v", id, a)
			case a.status == 200:
				exact++
			default:
				gone++
			}
		}
		q.kill()
	}
	before := syncedBefore(t, u)
	return fmt.Sprintf("5 torn logs: %d read exactly, %d said to be gone, 0 wrong; %s", exact, gone, before)
}

// syncedBefore looks at the order of system calls: before a request with new references goes
// up, the log was written and synced.
func syncedBefore(t *testing.T, u *upstream) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "no strace, so the order of calls is NOT CHECKED"
	}
	p := serve(t, u.URL, limited(""))
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-y", "-s", "40", "-e", "trace=fsync,fdatasync,pwrite64,write,writev", "-o", trace, "-p", fmt.Sprint(p.command.Process.Pid))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for i := 0; ; i++ { // until it is attached
		p.must(p.post(chat, hello("attached?")))
		if text, _ := os.ReadFile(trace); bytes.Contains(text, []byte("POST /v1/chat")) {
			break
		}
		if i > 1000 {
			return "strace cannot attach, so the order of calls is NOT CHECKED"
		}
	}
	const n = 20
	for i := range n {
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("sync", i, "-"), 10, 60))))
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	text, _ := os.ReadFile(trace)
	written, synced, early, posts := false, false, 0, 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, "sync(") && strings.Contains(line, "store.db-wal"):
			synced = synced || written
		case strings.Contains(line, "pwrite64(") && strings.Contains(line, "store.db-wal"):
			written = true
		case strings.Contains(line, `"POST /v1/chat`):
			if posts++; written && !synced {
				early++
			}
			written, synced = false, false
		}
	}
	if early > 0 || posts < n {
		t.Errorf("%d of %d requests went up before the log was synced", early, posts)
	}
	return fmt.Sprintf("%d requests went up, %d before the sync", posts, early)
}

func fullDisk(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: this user may not mount a small disk: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	u := newUpstream(t, nil)
	p := serve(t, u.URL, limited(filepath.Join(dir, "store.db")))
	for i := range 5 {
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("before", i, "-"), 10, 60))))
	}
	shown := u.shown()
	filler := filepath.Join(dir, "filler")
	_ = os.WriteFile(filler, bytes.Repeat([]byte("x"), 12<<20), 0o600) // as much as there is room for
	warned := 0
	for i := range 10 {
		a := p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("full", i, "-"), 10, 200))))
		if a.header.Get("X-Plimsoll-Warning") != "" {
			warned++
		}
	}
	if lost, wrong := p.lost(shown); lost+wrong > 0 {
		t.Errorf("%d of %d references are lost while the disk is full", lost+wrong, len(shown))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	until(t, "references are there again", func() bool {
		u.forget()
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("room", time.Now().UnixNano(), "-"), 10, 60))))
		return len(u.shown()) > 0
	})
	if lost, wrong := p.lost(shown); lost+wrong > 0 {
		t.Errorf("%d of %d references are lost", lost+wrong, len(shown))
	}
	return fmt.Sprintf("16 of 16 served, %d warned while full, %d references kept", warned, len(shown))
}

func failingDisk(t *testing.T) string {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT CHECKED: no strace here (apt-get install strace)")
	}
	var figures []string
	for _, c := range []struct{ name, inject string }{
		{"fsync EIO", "fsync,fdatasync:error=EIO"}, {"write EIO", "pwrite64:error=EIO"}, {"write ENOSPC", "pwrite64:error=ENOSPC"}, {"read EIO", "pread64:error=EIO"},
	} {
		u := newUpstream(t, nil)
		p := serve(t, u.URL, limited(""))
		for i := range 4 {
			p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("sound", i, "-"), 10, 60))))
		}
		shown := u.shown()
		calls, _, _ := strings.Cut(c.inject, ":")
		cmd := exec.Command(strace, "-f", "-e", "trace="+calls, "-e", "inject="+c.inject, "-o", os.DevNull, "-p", fmt.Sprint(p.command.Process.Pid))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		warned, served := 0, 0
		for i := range 10 {
			a := p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("sick", i, "-"), 10, 60)))
			if a.status == 200 {
				served++
			} else {
				t.Errorf("%s: %v", c.name, a)
			}
			if a.header.Get("X-Plimsoll-Warning") != "" {
				warned++
			}
			time.Sleep(50 * time.Millisecond)
		}
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		until(t, "references are there again", func() bool {
			u.forget()
			p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("again", time.Now().UnixNano(), "-"), 10, 60))))
			return len(u.shown()) > 0
		})
		if lost, wrong := p.lost(shown); lost+wrong > 0 {
			t.Errorf("%s: %d of %d references are lost", c.name, lost+wrong, len(shown))
		}
		figures = append(figures, fmt.Sprintf("%s: %d of 10 served, %d warned, %d kept", c.name, served, warned, len(shown)))
		p.kill()
	}
	return strings.Join(figures, "; ")
}

func damage(t *testing.T, r *rand.Rand) string {
	u := newUpstream(t, nil)
	whole := filepath.Join(t.TempDir(), "store.db")
	p := serve(t, u.URL, limited(whole))
	for i := range 6 {
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("flip", i, "-"), 10, 60))))
	}
	shown := u.shown()
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func() []byte{
		"shortened": func() []byte { return data[:len(data)/2] },
		"middle destroyed": func() []byte {
			return slices.Concat(data[:len(data)/3], make([]byte, len(data)/3), data[len(data)/3*2:])
		},
		"header destroyed":     func() []byte { return slices.Concat(make([]byte, 100), data[100:]) },
		"no file any more":     func() []byte { return nil },
		"an empty file":        func() []byte { return []byte{} },
		"another kind of file": func() []byte { return []byte("%PDF-1.7 is no store") },
	}
	for i := range 6 {
		kinds[fmt.Sprint("flip ", i)] = func() []byte {
			flipped := bytes.Clone(data)
			for range 1 + r.IntN(8) {
				flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
			}
			return flipped
		}
	}
	exact, failed, refusedToStart := 0, 0, 0
	for name, make := range kinds {
		file := filepath.Join(t.TempDir(), "store.db")
		if text := make(); text != nil {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := limited(file)
		s.waits = true
		q := serve(t, u.URL, s)
		if q.url == "" { // it says what is wrong with the file, and touches nothing
			if refusedToStart++; !strings.Contains(q.log.String(), "store") {
				t.Errorf("%s: it ends with %s", name, q.log)
			}
			continue
		}
		if a := q.post(chat, body(t, plimsoll.OpenAI, work("after0-", 10, 60))); a.status != 200 {
			t.Errorf("%s: %v", name, a)
		}
		for id, of := range shown {
			switch a := q.content(id); {
			case a.status == 200 && !bytes.Contains(a.body, []byte(of)):
				t.Errorf("%s: %s is something else: %v", name, id, a)
			case a.status == 200:
				exact++
			default:
				failed++
			}
		}
		q.kill()
	}
	return fmt.Sprintf("%d damaged files: %d reads exact, %d errors, 0 wrong, %d refused at the start", len(kinds), exact, failed, refusedToStart)
}

func fourProcesses(t *testing.T) string {
	u := newUpstream(t, nil)
	store := filepath.Join(t.TempDir(), "store.db")
	var served atomic.Int64
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	var all []*proxy
	var working []*sync.WaitGroup
	for i := range 4 {
		p := serve(t, u.URL, limited(store))
		all = append(all, p)
		working = append(working, p.busy(ctx, 2, fmt.Sprintf("four%d-", i), &served))
	}
	commands := 0
	for ; ctx.Err() == nil; commands++ {
		for _, args := range [][]string{{"cache", "gc", "--max-age", "30d", "--store", store}, {"cache", "stats", "--store", store}} {
			if out, err := all[0].run(args...); err != nil {
				t.Errorf("%v: %v %s", args, err, out)
			}
		}
	}
	for _, w := range working {
		w.Wait()
	}
	shown := u.shown()
	lost, wrong := all[0].lost(shown)
	if lost+wrong > 0 || len(shown) == 0 {
		t.Errorf("%d of %d references are lost", lost+wrong, len(shown))
	}
	for _, p := range all {
		if text := p.log.String(); strings.Contains(text, "locked") || strings.Contains(text, "busy") {
			t.Errorf("a lock was seen: %.500s", text)
		}
	}
	return fmt.Sprintf("%d requests, %d references, %d commands, 0 locks", served.Load(), len(shown), 2*commands)
}

func churn(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, limited(""))
	p.must(p.post(chat, body(t, plimsoll.OpenAI, work("first0-", 10, 60))))
	db, err := sql.Open("sqlite", p.store)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reader, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM objects").Scan(&n); err != nil {
		t.Fatal(err)
	}
	log := func() int64 {
		info, err := os.Stat(p.store + "-wal")
		if err != nil {
			return 0
		}
		return info.Size() >> 20
	}
	write := func(name string, n int) {
		for i := range n {
			p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint(name, i, "-"), 10, 800))))
		}
	}
	write("under", 60)
	under := log()
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	write("later", 30)
	after := log()
	collected := make(chan time.Duration)
	go func() {
		begun := time.Now()
		if out, err := p.run("cache", "gc", "--max-age", "0s", "--store", p.store); err != nil {
			t.Logf("gc: %v %s", err, out)
		}
		collected <- time.Since(begun)
	}()
	write("during", 20)
	took := <-collected
	if after > 80 {
		t.Errorf("the log has %d MB after the reader", after)
	}
	return fmt.Sprintf("log %d MB under a reader, %d MB after; collected in %.1f s beside 20 requests", under, after, took.Seconds())
}

func databaseAway(t *testing.T) string {
	c := pgtest.Own(t)
	url := c.Database(t)
	u := newUpstream(t, nil)
	p := serve(t, u.URL, limited(url))
	for i := range 4 {
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("there", i, "-"), 10, 60))))
	}
	shown := u.shown()
	var served atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	working := p.busy(ctx, 2, "away", &served)
	for range 2 {
		if err := c.Stop("immediate"); err != nil {
			t.Fatal(err)
		}
		before := served.Load()
		until(t, "requests are served without it", func() bool { return served.Load() > before+20 })
		if err := c.Resume(); err != nil {
			t.Fatal(err)
		}
		until(t, "references are there again", func() bool {
			u.forget()
			p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("back", time.Now().UnixNano(), "-"), 10, 60))))
			return len(u.shown()) > 0
		})
	}
	stop()
	working.Wait()
	if lost, wrong := p.lost(shown); lost+wrong > 0 {
		t.Errorf("%d of %d references are lost", lost+wrong, len(shown))
	}
	// A proxy that starts while the server is away serves, and says so.
	if err := c.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	s := limited(url)
	s.waits = true
	q := serve(t, u.URL, s)
	if q.url == "" {
		t.Fatalf("it does not start without the database: %s", q.log)
	}
	q.must(q.post(chat, body(t, plimsoll.OpenAI, work("start0-", 10, 60))))
	if a := q.get("/readyz"); a.status != http.StatusServiceUnavailable {
		t.Errorf("without its store it says that it is ready: %v", a)
	}
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	until(t, "references are there", func() bool {
		u.forget()
		q.must(q.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("late", time.Now().UnixNano(), "-"), 10, 60))))
		return len(u.shown()) > 0
	})
	until(t, "it is ready", func() bool { return q.get("/readyz").status == 200 })
	return fmt.Sprintf("%d requests, all 200, %d references kept, started without the server", served.Load(), len(shown))
}

func failover(t *testing.T) string {
	first := pgtest.Own(t)
	url := first.Database(t)
	second, err := first.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Close)
	old := fmt.Sprintf("127.0.0.1:%d", first.Port)
	u := newUpstream(t, nil)
	p := serve(t, u.URL, limited(strings.Replace(url, old, fmt.Sprintf("%s,127.0.0.1:%d", old, second.Port), 1)))
	p.must(p.post(chat, body(t, plimsoll.OpenAI, work("before0-", 10, 60))))
	var served atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	working := p.busy(ctx, 2, "over", &served)
	if err := first.Exec("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	if err := second.Promote(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	until(t, "references are written to the new primary", func() bool {
		u.forget()
		p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("new", time.Now().UnixNano(), "-"), 10, 60))))
		return len(u.shown()) > 0
	})
	took := time.Since(begun)
	stop()
	working.Wait()
	return fmt.Sprintf("%d requests, all 200; references %.1f s after the promotion", served.Load(), took.Seconds())
}

func manyProxies(t *testing.T) string {
	var figures []string
	for name, store := range map[string]string{"PostgreSQL": pgtest.Database(t), "SQLite": filepath.Join(t.TempDir(), "shared.db")} {
		u := newUpstream(t, nil)
		var all []*proxy
		for range 8 {
			all = append(all, serve(t, u.URL, limited(store)))
		}
		turns, apart := 0, 0
		for _, d := range four {
			for turn := range 8 { // at each turn another proxy is the first to be asked
				request := body(t, d, work(fmt.Sprintf("many-%s", d), 10+2*turn, 60))
				u.forget()
				for i := range all {
					p := all[(turn+i)%len(all)]
					p.must(p.post(path(d, false), request))
				}
				bodies := map[string]bool{}
				for _, x := range u.posts() {
					bodies[string(x.body)] = true
				}
				if turns++; len(bodies) > 1 {
					apart++
				}
			}
		}
		if apart > 0 {
			t.Errorf("%s: %d of %d turns were cut differently", name, apart, turns)
		}
		figures = append(figures, fmt.Sprintf("%s, 8 proxies: %d of %d turns cut differently", name, apart, turns))
	}
	slices.Sort(figures)
	return strings.Join(figures, "; ")
}

func badValues(t *testing.T) string {
	u := newUpstream(t, nil)
	u.act(hooked(say200))
	p := serve(t, u.URL, setup{store: pgtest.Database(t), settings: tenants, flags: []string{"--limit", "20000"}})
	for name, text := range map[string]string{
		"NUL": strings.Repeat(`zero \u0000 byte `, 20_000), "lone surrogate": strings.Repeat(`half \ud83d pair `, 20_000), "invalid UTF-8": strings.Repeat("bad \xff\xfe byte ", 20_000), "48 MB": strings.Repeat("large ", 8<<20),
	} {
		for _, place := range []string{
			`{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"r","parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"r","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"%s"},{"role":"user","content":"on"}]}`,
			`{"model":"gpt-4o","user":"u","messages":[{"role":"user","content":"%s"},{"role":"assistant","content":"yes"},{"role":"user","content":"on"}]}`,
		} {
			a := p.post(chat, fmt.Appendf(nil, place, text), "Authorization", "Bearer odd", "X-Plimsoll-Conversation", "odd ' name")
			if a.status != 200 && a.status != 400 && a.status != 413 {
				t.Errorf("%s: %v", name, a)
			}
			u.forget()
			b := p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprintf("next%d-%d", len(text), len(place)), 8, 400)), "Authorization", "Bearer victim"))
			if len(u.shown()) == 0 {
				t.Errorf("%s: the next request of another tenant has no references: %q", name, b.header.Get("X-Plimsoll-Warning"))
			}
		}
	}
	_, peak := p.memory()
	return fmt.Sprintf("8 odd requests, the store serves after each; peak %.0f MB", peak)
}

// clockJumps runs the proxy's transport over a store in this process: the binary has the
// clock of the machine.
func clockJumps(t *testing.T) string {
	var mu sync.Mutex
	now := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "jumps.db")
	backend, err := sqlite.Open(ctx, file, &sqlite.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.New(ctx, backend, &store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	managed, err := transport.New(&transport.Options{Store: kept, Window: 6000, Now: clock, Tenant: func(*http.Request) string { return "one" }})
	if err != nil {
		t.Fatal(err)
	}
	defer managed.Close()
	u := newUpstream(t, nil)
	client := http.Client{Transport: managed}
	requests := 0
	for i, jump := range []time.Duration{0, -time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour, 2 * time.Hour, 0} {
		mu.Lock()
		now = time.Now().Add(jump)
		mu.Unlock()
		for n := range 4 {
			resp, err := client.Post(u.URL+chat, "application/json", bytes.NewReader(body(t, plimsoll.OpenAI, work(fmt.Sprint("clock", i, "-", n, "-"), 10, 60))))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body) // only its headers count
			_ = resp.Body.Close()
			requests++
			if resp.StatusCode != http.StatusOK || resp.Header.Get(transport.HeaderWarning) != "" || resp.Header.Get(transport.HeaderDecision) == string(transport.Passed) {
				t.Errorf("%s away: %s, %v", jump, resp.Status, resp.Header)
			}
		}
		if _, err := kept.Sweep(ctx); err != nil {
			t.Error(err)
		}
	}
	tenant, lost := kept.Tenant("one"), 0
	shown := u.shown()
	for id, name := range shown {
		if content, err := tenant.Content(ctx, id); err != nil || !strings.Contains(plimsoll.TextOf(content), name) {
			t.Logf("%s of %s: %v", id, name, err)
			lost++
		}
	}
	if lost > 0 || len(shown) == 0 {
		t.Errorf("%d of %d references are lost", lost, len(shown))
	}
	return fmt.Sprintf("%d requests through 5 jumps, %d references, %d lost", requests, len(shown), lost)
}
