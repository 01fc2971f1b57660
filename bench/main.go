// Command bench compares Plimsoll's counter with the tokenizers of other
// projects, its keeper with what others cut conversations down with, its store with
// compressed files, its proxy with other proxies, and its checkpoints with a model's
// summaries, on the same machine, in the same minutes and on the same texts.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/report"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

type options struct {
	json       string
	cache      string
	shared     string
	only       string
	locomo     string
	recordings string
	extract    string
	bytes      int
	rounds     int
	updateDocs bool
	short      bool
}

func main() {
	var o options
	flag.StringVar(&o.json, "json", "", "also write everything that was measured to this `file`")
	flag.StringVar(&o.cache, "cache", os.Getenv("PLIMSOLL_BENCH_CACHE"), "`folder` for what is built and installed (default .cache/bench in the repository)")
	flag.StringVar(&o.shared, "shared", os.Getenv("PLIMSOLL_SHARED"), "`folder` that holds corpora/ (default ../shared beside the repository, if it exists)")
	flag.StringVar(&o.only, "only", "", "measure only the peers whose names contain one of these `words`, separated by commas; fit means how conversations are made to fit, store how what was cut is kept, proxy what serving adds to requests, proxy-leak what they leave behind, survival what compactions keep; only if asked for: house how much of the source one request runs through and how much is public, quality what is left of long chats, bills how near counts are to bills")
	flag.StringVar(&o.locomo, "locomo", os.Getenv("PLIMSOLL_LOCOMO"), "`folder` that holds the files of LoCoMo, for quality")
	flag.StringVar(&o.recordings, "recordings", os.Getenv("PLIMSOLL_RECORDINGS"), "`folder` that holds recorded requests and their bills, for bills")
	flag.StringVar(&o.extract, "extract", "", "folders or git directories, separated by `commas`, whose recordings are put into that folder first")
	flag.IntVar(&o.bytes, "bytes", 1_000_000, "length of a text; slow peers get a fifth")
	flag.IntVar(&o.rounds, "rounds", 8, "rounds of the main measurement, the best of which counts")
	flag.BoolVar(&o.updateDocs, "update-docs", false, "rewrite the tables of docs/benchmarks.md")
	flag.BoolVar(&o.short, "short", false, "measure proxies for a tenth of the time, to see whether everything works")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "peers", "plimsoll")); err != nil {
		return errors.New("run it as bench/run, or from the folder bench")
	}
	if err := o.setDefaults(dir); err != nil {
		return err
	}
	var kept *stored
	if o.wantsStore() {
		if kept, err = o.store(dir); err != nil {
			return err
		}
	}
	var passed *relayed
	if o.wantsProxy() || o.wantsProxyLeak() {
		if passed, err = o.proxy(dir); err != nil {
			return err
		}
	}
	if err := o.compare(dir); err != nil {
		return err
	}
	if passed != nil {
		if err := o.publishProxy(dir, passed); err != nil {
			return err
		}
	}
	if kept != nil {
		if err := o.publishStore(dir, kept); err != nil {
			return err
		}
	}
	if o.wantsSurvival() {
		if err := o.survival(dir); err != nil {
			return err
		}
	}
	if o.wantsHouse() {
		if err := o.house(dir); err != nil {
			return err
		}
	}
	if o.wantsQuality() {
		if err := o.quality(dir); err != nil {
			return err
		}
	}
	if o.wantsBills() {
		return o.bills()
	}
	return nil
}

// compare runs the parts that measure on texts.
func (o *options) compare(dir string) error {
	if !o.wantsTokenizers() && !o.wantsFit() {
		return nil
	}
	all, err := o.texts()
	if err != nil {
		return err
	}
	var waits []fit.Waiting
	if o.wantsFit() { // before everything is held to one core
		if waits, err = o.waits(dir, all); err != nil {
			return err
		}
	}
	if o.wantsTokenizers() {
		if err := o.tokenizers(dir, all); err != nil {
			return err
		}
	}
	if o.wantsFit() {
		return o.fit(dir, all, waits)
	}
	return nil
}

// tokenizers compares how texts are counted.
func (o *options) tokenizers(dir string, all []texts.Text) error {
	found := o.choose(peers.Setup(peers.Options{Dir: dir, Cache: o.cache, Log: os.Stderr}))
	result, err := measure.Run(measure.Options{
		Peers: found, Texts: all, Rounds: o.rounds, Short: o.bytes / 5, Large: o.bytes, Pinned: pin(), Log: os.Stderr,
	})
	if err != nil {
		return err
	}
	return o.publish(dir, result)
}

func (o *options) setDefaults(dir string) error {
	root := filepath.Dir(dir)
	if o.cache == "" {
		o.cache = filepath.Join(root, ".cache", "bench")
	}
	if o.shared == "" {
		o.shared = filepath.Join(filepath.Dir(root), "shared")
	}
	var err error
	o.cache, err = filepath.Abs(o.cache)
	return err
}

func (o *options) texts() ([]texts.Text, error) {
	root, err := goRoot()
	if err != nil {
		return nil, err
	}
	return texts.All(texts.Options{GoRoot: root, Shared: o.shared, Bytes: o.bytes})
}

func goRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// choose keeps ourselves, the reference and what was asked for.
func (o *options) choose(all []peers.Peer) []peers.Peer {
	if o.only == "" {
		return all
	}
	words := strings.Split(o.only, ",")
	return slices.DeleteFunc(all, func(p peers.Peer) bool {
		return p.Name != peers.Us && p.Name != peers.Reference &&
			!slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p.Name, w) })
	})
}

func (o *options) publish(dir string, result *measure.Result) error {
	markdown := report.Markdown(result)
	fmt.Print(markdown)
	for _, p := range result.Peers {
		if p.Missing != "" {
			fmt.Printf("\nnot installed: %s: %s\n", p.Name, p.Missing)
		}
	}
	if o.json != "" {
		data, err := json.MarshalIndent(struct {
			*measure.Result
			Goals []report.Goal `json:"goals"`
		}{result, report.Goals(result)}, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.json, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.updateDocs {
		return report.UpdateDocs(filepath.Join(dir, "..", "docs", "benchmarks.md"), markdown)
	}
	return nil
}
