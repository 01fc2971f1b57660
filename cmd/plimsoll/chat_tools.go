package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

// toolFlags say what models in a chat may do.
type toolFlags struct {
	Tools  bool     `help:"Let models read, list and search files below the working directory, and run commands there once you have allowed each."`
	Server []string `sep:"none" placeholder:"NAME=COMMAND|URL" help:"With --tools, offer the tools of this MCP server, too, as NAME_TOOL. May be repeated."`
	Yes    bool     `help:"With --tools, allow every command and every tool without being asked."`
}

// serverName is what a server may be called: its name begins those of its tools.
var serverName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,31}$`)

// checkTools refuses flags that would have no effect, or that cannot be meant.
func (f *toolFlags) checkTools() error {
	switch {
	case f.Tools:
		_, err := serverList(f.Server)
		return err
	case f.Yes:
		return errors.New("--yes: only with --tools")
	case len(f.Server) > 0:
		return errors.New("--server: only with --tools")
	}
	return nil
}

// serverList returns MCP servers by name.
func serverList(specs []string) (map[string]string, error) {
	servers := map[string]string{}
	for _, spec := range specs {
		name, where, _ := strings.Cut(spec, "=")
		if !serverName.MatchString(name) || strings.TrimSpace(where) == "" {
			return nil, fmt.Errorf("--server %s: want NAME=COMMAND or NAME=URL", spec)
		}
		if _, twice := servers[name]; twice {
			return nil, fmt.Errorf("--server %s: there are two of that name", name)
		}
		servers[name] = where
	}
	return servers, nil
}

// openTools returns the tools and what is wrong with servers. Interactive says that a
// user can be asked. Servers of the flags win over those of the settings. Warn hears
// what becomes of them later.
func (f *toolFlags) openTools(ctx context.Context, p *process, settings []string, interactive bool, warn func(string)) (*toolbox.Box, []error, error) {
	servers, err := serverList(settings)
	if err != nil {
		return nil, nil, err
	}
	named, err := serverList(f.Server)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(servers, named)
	info, _ := debug.ReadBuildInfo()
	o := &toolbox.Options{
		Environ: withoutKeys(p.environ), Servers: servers, ServerEnviron: p.environ, Version: buildOf(info).Version, Warn: warn,
	}
	switch {
	case f.Yes:
		o.Consent = toolbox.Allow
	case !interactive:
		o.Consent = toolbox.Refuse
	}
	return toolbox.New(ctx, ".", o)
}

// withoutKeys leaves the keys of the models out of an environment: what a command
// prints goes to all of them.
func withoutKeys(environ []string) []string {
	keys := []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}
	return slices.DeleteFunc(slices.Clone(environ), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(keys, name)
	})
}
