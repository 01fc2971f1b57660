package main

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// family is a group of APIs that share a server.
type family int

const (
	openaiFamily family = iota
	anthropicFamily
	geminiFamily
)

// baseVariable is a variable that clients read their base URL from.
type baseVariable struct {
	name   string
	family family
	// bare says that the client adds the version to what the variable says; the others
	// want it there.
	bare bool
}

// baseVariables are the well-known ones. Of each family the first that is set names the
// server that is asked. docs/demo.md says who reads them.
var baseVariables = []baseVariable{
	{"OPENAI_BASE_URL", openaiFamily, false},
	{"OPENAI_API_BASE", openaiFamily, false},
	{"OPENAI_HOST", openaiFamily, true},
	{"ANTHROPIC_BASE_URL", anthropicFamily, true},
	{"ANTHROPIC_API_URL", anthropicFamily, true},
	{"ANTHROPIC_API_BASE", anthropicFamily, true},
	{"ANTHROPIC_HOST", anthropicFamily, true},
	{"GOOGLE_GEMINI_BASE_URL", geminiFamily, true},
	{"GEMINI_BASE_URL", geminiFamily, true},
}

func variableNames() []string {
	var names []string
	for _, v := range baseVariables {
		names = append(names, v.name)
	}
	return names
}

// route is how the requests of a program get to the proxy, and from there to where they
// would have gone.
type route struct {
	flags serveFlags
	// suffix is the version that clients expect behind the address, by variable; those
	// that are missing are left as they are.
	suffix   map[string]string
	warnings []string
}

// newRoute finds out which servers the environment names.
func newRoute(p *process, flags serveFlags) *route {
	r := &route{flags: flags, suffix: map[string]string{}}
	servers := map[family]*string{openaiFamily: &r.flags.Openai, anthropicFamily: &r.flags.Anthropic, geminiFamily: &r.flags.Gemini}
	chosen := map[family]string{}
	for f, server := range servers {
		if *server != "" || flags.Upstream != "" {
			chosen[f] = "a flag"
		}
	}
	for _, v := range baseVariables {
		set := strings.TrimSpace(p.getenv(v.name))
		r.suffix[v.name] = v.version(set)
		at, err := url.Parse(set)
		server := servers[v.family]
		switch {
		case set == "" || chosen[v.family] == "a flag":
		case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
			r.leave(v, "it is no address")
		case chosen[v.family] == "":
			*server, chosen[v.family] = set, v.name
		case unversioned(set) != unversioned(*server):
			r.leave(v, "it names another server than "+chosen[v.family])
		}
	}
	return r
}

// leave keeps a variable as it is.
func (r *route) leave(v baseVariable, why string) {
	delete(r.suffix, v.name)
	r.warnings = append(r.warnings, fmt.Sprintf("%s is left as it is: %s", v.name, why))
}

var versionAtEnd = regexp.MustCompile(`/v\d+(?:alpha|beta)?\d*$`)

// version returns what clients expect behind the address of the proxy: the version that
// the variable had, or where it was not set the usual one.
func (v baseVariable) version(set string) string {
	if set == "" {
		if v.bare {
			return ""
		}
		return "/v1"
	}
	return versionAtEnd.FindString(strings.TrimRight(set, "/"))
}

// unversioned is an address as it is compared with others: some clients add the version
// by themselves.
func unversioned(address string) string {
	return versionAtEnd.ReplaceAllString(strings.TrimRight(address, "/"), "")
}

// address is where the clients of a family find the proxy.
func (r *route) address(f family, at net.Addr) string {
	for _, v := range baseVariables {
		if suffix, ok := r.suffix[v.name]; ok && v.family == f {
			return "http://" + at.String() + suffix
		}
	}
	return "http://" + at.String()
}

// environ is the environment of the program.
func (r *route) environ(own []string, at net.Addr) []string {
	all := slices.Clone(own)
	for _, v := range baseVariables {
		if suffix, ok := r.suffix[v.name]; ok {
			all = withVariable(all, v.name, "http://"+at.String()+suffix)
		}
	}
	all = withVariable(all, "PLIMSOLL_URL", "http://"+at.String())
	return notByProxies(all)
}

// withVariable sets a variable.
func withVariable(environ []string, name, value string) []string {
	environ = slices.DeleteFunc(environ, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	return append(environ, name+"="+value)
}

// notByProxies keeps clients from asking an HTTP proxy for this machine.
func notByProxies(environ []string) []string {
	get := (&process{environ: environ}).getenv
	behind := false
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		behind = behind || get(name) != ""
	}
	if !behind {
		return environ
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		hosts := strings.FieldsFunc(get(name), func(r rune) bool { return r == ',' || r == ' ' })
		if slices.Contains(hosts, "*") || slices.Contains(hosts, "127.0.0.1") {
			continue
		}
		environ = withVariable(environ, name, strings.Join(append(hosts, "127.0.0.1"), ","))
	}
	return environ
}

// clientArguments adds what a client needs that reads no variable. Codex takes its base
// URL from its settings alone, which an argument can set; one that chooses a provider
// of its own is left alone.
func clientArguments(name string, args []string, openai string) []string {
	own := slices.ContainsFunc(args, func(a string) bool {
		return strings.Contains(a, "openai_base_url") || strings.Contains(a, "model_provider") || a == "--oss"
	})
	if strings.TrimSuffix(name, ".exe") != "codex" || own {
		return args
	}
	return append([]string{"-c", fmt.Sprintf("openai_base_url=%q", openai)}, args...)
}
