package faults

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// plainVariable makes the test binary a plain reverse proxy, to compare with.
const plainVariable = "PLIMSOLL_FAULTS_PLAIN"

func TestMain(m *testing.M) {
	if to := os.Getenv(plainVariable); to != "" {
		plainProxy(to)
		return
	}
	os.Exit(m.Run())
}

// plainProxy serves what the standard library has, on the address in the variable.
func plainProxy(pair string) {
	address, to, _ := strings.Cut(pair, " ")
	target, err := url.Parse(to)
	if err != nil {
		log.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(target)
	p.FlushInterval = -1
	p.Transport = &http.Transport{MaxIdleConnsPerHost: 4000}
	p.ErrorLog = log.New(io.Discard, "", 0)
	server := &http.Server{Addr: address, Handler: p, ReadHeaderTimeout: time.Minute}
	log.Fatal(server.ListenAndServe())
}

// startPlain starts the plain proxy in a process of its own.
func startPlain(t *testing.T, to string) string {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), plainVariable+"="+address+" "+to)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	until(t, "the plain proxy listens", func() bool {
		resp, err := http.Get("http://" + address + "/v1/models")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// stamped streams so many events at a pace, each with the time at which it was written.
func stamped(events int, pace time.Duration) hook {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for range events {
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return true
			}
			_, _ = io.WriteString(w, chunk("at "+strconv.FormatInt(time.Now().UnixNano(), 10)))
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, done)
		return true
	}
}

// streams opens so many streams at once, and returns how long each event was under way, in
// order, and how many streams were whole.
func streams(t *testing.T, to string, n int, request []byte) (late []time.Duration, whole int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond / 2) // they do not all come in one instant
			resp, err := client.Post(to+chat, "application/json", bytes.NewReader(request))
			if err != nil {
				return
			}
			defer resp.Body.Close()
			lines, own, end := bufio.NewScanner(resp.Body), []time.Duration{}, false
			for lines.Scan() {
				if _, text, ok := strings.Cut(lines.Text(), `"at `); ok {
					sent, _ := strconv.ParseInt(strings.TrimRight(text, `"}]`), 10, 64)
					own = append(own, time.Duration(time.Now().UnixNano()-sent))
				}
				end = end || strings.Contains(lines.Text(), "[DONE]")
			}
			mu.Lock()
			defer mu.Unlock()
			late = append(late, own...)
			if end {
				whole++
			}
		})
	}
	clients.Wait()
	slices.Sort(late)
	return late, whole
}

func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return math.MaxInt64
	}
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// TestTwoThousandStreamsCostLittleMoreThanAPlainProxy compares how long events are under way
// with a plain reverse proxy, in the same run, and bounds the memory.
func TestTwoThousandStreamsCostLittleMoreThanAPlainProxy(t *testing.T) {
	if !*all {
		t.Skip("SKIPPED: measures; make test-load runs this")
	}
	const n, mostMemory, mostRatio = 2000, 600, 5
	u := newUpstream(t, nil)
	u.act(stamped(12, 500*time.Millisecond))
	plain := startPlain(t, u.URL)
	p := serve(t, u.URL, setup{})
	request := body(t, plimsoll.OpenAI, talk("streams", 5), `"stream":true,`)
	var ratios []float64
	more := 0.0
	for range 3 { // in turn, so that the load of the machine is the same for both
		base, baseWhole := streams(t, plain, n, request)
		var own []time.Duration
		whole := 0
		more = max(more, p.grown(func() { own, whole = streams(t, p.url, n, request) }))
		ratio := float64(percentile(own, 0.99)) / float64(percentile(base, 0.99))
		ratios = append(ratios, ratio)
		t.Logf("plain: %d of %d whole, p50 %v, p99 %v; plimsoll: %d whole, p50 %v, p99 %v; ratio of p99 %.2f", baseWhole, n, percentile(base, 0.5), percentile(base, 0.99), whole, percentile(own, 0.5), percentile(own, 0.99), ratio)
		if whole != n {
			t.Errorf("%d of %d streams are whole", whole, n)
		}
	}
	slices.Sort(ratios)
	fmt.Printf("load: %d streams at once: +%.0f MB (%.0f KB each), p99 of an event is %.2f times the plain proxy's (median of %.2f)\n", n, more, more*1024/n, ratios[1], ratios)
	if more > mostMemory || ratios[1] > mostRatio {
		t.Errorf("%.0f MB more, ratio %.2f; want at most %d and %d", more, ratios[1], mostMemory, mostRatio)
	}
}

// TestASoakLeavesNothingBehind sends what a day brings as fast as it goes: requests that pass,
// are cut, read back, fail, break off and leave.
func TestASoakLeavesNothingBehind(t *testing.T) {
	if !*all {
		t.Skip("SKIPPED: measures; make test-load runs this")
	}
	length := max(*during, 45*time.Second)
	u := newUpstream(t, &scripted.Options{Script: reader, Remember: 10})
	p := serve(t, u.URL, setup{flags: []string{"--limit", "8000"}})
	u.act(func(w http.ResponseWriter, r *http.Request, b []byte) bool {
		u.forget()
		switch {
		case bytes.Contains(b, []byte("soak-fail")):
			return say(500, `{"error":{"message":"no"}}`)(w, r, b)
		case bytes.Contains(b, []byte("soak-cut")):
			panic(http.ErrAbortHandler)
		}
		return false
	})
	var requests [][]byte
	for i := range 20 { // the same conversations again, so that caches fill once
		for _, name := range []string{"soak", "soak-fail", "soak-cut"} {
			requests = append(requests, body(t, plimsoll.OpenAI, work(fmt.Sprint(name, i, "-"), 10, 60), fmt.Sprintf(`"stream":%t,`, i%2 == 0)), body(t, plimsoll.OpenAI, talk(fmt.Sprint(name, i), 3)))
		}
	}
	var sent atomic.Int64
	run := func(length time.Duration) {
		ctx, stop := context.WithTimeout(t.Context(), length)
		defer stop()
		var clients sync.WaitGroup
		for c := range 8 {
			clients.Go(func() {
				for i := c; ctx.Err() == nil; i++ {
					one, leave := ctx, context.CancelFunc(func() {})
					if i%7 == 0 {
						one, leave = context.WithTimeout(ctx, time.Duration(i%20)*time.Millisecond)
					}
					p.do(one, http.MethodPost, chat, requests[i%len(requests)])
					leave()
					sent.Add(1)
				}
			})
		}
		clients.Wait()
		p.client.CloseIdleConnections()
		u.CloseClientConnections()
	}
	type state struct{ goroutines, files, heap float64 }
	rest := func() state {
		s := state{math.Inf(1), math.Inf(1), math.Inf(1)}
		for i := range 60 { // the least of many looks is what is left after a collection
			p.post(chat, hello(strings.Repeat("collect ", 20_000)), "X-Plimsoll-Bypass", "1")
			if i > 20 {
				s.goroutines = min(s.goroutines, p.metric("go_goroutines"))
				s.files = min(s.files, p.metric("process_open_fds"))
				s.heap = min(s.heap, p.metric("go_memstats_heap_alloc_bytes")/(1<<20))
			}
		}
		return s
	}
	run(length / 3)
	before := rest()
	run(length)
	after := rest()
	fmt.Printf("soak: %d requests in %v: goroutines %.0f -> %.0f, descriptors %.0f -> %.0f, heap %.1f -> %.1f MB (%+.1f %%)\n",
		sent.Load(), length, before.goroutines, after.goroutines, before.files, after.files, before.heap, after.heap, 100*(after.heap/before.heap-1))
	if after.goroutines > before.goroutines+2 || after.files > before.files+2 || after.heap > before.heap*1.05+2 {
		t.Error("something grew: want goroutines and descriptors within 2, the heap within 5 % and 2 MB")
	}
}
