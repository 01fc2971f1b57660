package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/relay"
	"github.com/plimsoll/plimsoll/bench/internal/report"
)

// These words ask for the figures of the proxy: what it adds to requests beside others,
// and what many requests leave behind in it.
const (
	proxyWord     = "proxy"
	proxyLeakWord = "proxy-leak"
)

func (o *options) wantsProxy() bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), proxyWord)
}

func (o *options) wantsProxyLeak() bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), proxyLeakWord)
}

// relayed is what proxies were found to do.
type relayed struct {
	machine measure.Machine
	result  *relay.Result
}

// proxy measures proxies. It comes before what holds its programs to one core.
func (o *options) proxy(dir string) (*relayed, error) {
	setup := peers.Options{Dir: dir, Cache: o.cache, Log: os.Stderr}
	model, err := peers.Relay(setup)
	if err != nil {
		return nil, err
	}
	root, err := goRoot()
	if err != nil {
		return nil, err
	}
	all := peers.Proxies(setup, model)
	machine := measure.Here(false)
	result, err := relay.Measure(relay.Options{
		Peers: all, Model: model, Source: filepath.Join(root, "src"), Scratch: filepath.Join(o.cache, "relay"),
		Compare: o.wantsProxy(), Leak: o.wantsProxyLeak(), Short: o.short, Log: os.Stderr,
	})
	machine.Done()
	return &relayed{machine, result}, err
}

func (o *options) publishProxy(dir string, r *relayed) error {
	page := filepath.Join(dir, "..", "docs", "benchmarks.md")
	if o.wantsProxy() {
		markdown := report.Proxy(r.result, r.machine)
		fmt.Print(markdown)
		if o.updateDocs {
			if err := report.UpdateProxy(page, markdown); err != nil {
				return err
			}
		}
	}
	if o.wantsProxyLeak() {
		markdown := report.ProxyLeak(r.result.Leak, r.machine)
		fmt.Print(markdown)
		if o.updateDocs {
			if err := report.UpdateProxyLeak(page, markdown); err != nil {
				return err
			}
		}
	}
	if o.json == "" {
		return nil
	}
	return addJSON(o.json, o.wantsTokenizers() || o.wantsFit() || o.wantsStore(), proxyWord, struct {
		Machine measure.Machine `json:"machine"`
		*relay.Result
		Goals []report.Goal `json:"goals"`
	}{r.machine, r.result, append(report.ProxyGoals(r.result), report.LeakGoals(r.result.Leak)...)})
}
