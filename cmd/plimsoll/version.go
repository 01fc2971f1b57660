package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd shows what this binary was built from.
type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is the long help text.
func (*versionCmd) Help() string {
	return `Shows the version, the commit and the Go release that this binary was built from, as the Go toolchain recorded them.`
}

// build says what a binary was built from; what is unknown is empty.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints the version.
func (c *versionCmd) Run(p *process) error {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	if c.JSON {
		return json.NewEncoder(p.out).Encode(b)
	}
	fmt.Fprintf(p.out, "plimsoll %s%s, %s %s\n", b.Version, b.commit(), b.Go, b.Platform)
	return nil
}

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// commit is the commit for people: short, with a mark for local changes.
func (b build) commit() string {
	if b.Commit == "" {
		return ""
	}
	out := ", commit " + b.Commit[:min(12, len(b.Commit))]
	if b.Date != "" {
		out += " of " + b.Date
	}
	if b.Modified {
		out += " with local changes"
	}
	return out
}
