package peers

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/relay"
)

// Windows of the proxies that are measured: one under which everything fits, and one
// under which nothing large does.
const (
	wideWindow   = "4000000"
	narrowWindow = "40000"
)

// Relay returns the program that is the model and the floor, and why it is not there.
func Relay(o Options) (string, error) {
	s := setup{o}
	binary := filepath.Join(s.Cache, "bin", "relay")
	return binary, s.run(s.Dir, "go", "build", "-o", binary, "./peers/relay")
}

// Proxies returns the proxies that are compared.
func Proxies(o Options, model string) []relay.Peer {
	s := setup{o}
	floor := relay.Peer{Name: relay.Floor, Version: "Go's standard library", Command: relay.Command{
		Args: []string{model, "floor", "ADDRESS", "UPSTREAM"}, Health: "/healthz",
	}}
	return append([]relay.Peer{floor}, append(s.ownProxies(), bifrost(), s.litellm())...)
}

func (s setup) ownProxies() []relay.Peer {
	binary := filepath.Join(s.Cache, "bin", "plimsoll-serve")
	err := s.run(filepath.Dir(s.Dir), "go", "build", "-o", binary, "./cmd/plimsoll")
	// By default a conversation under its line is cut too, when that pays.
	own := func(name, window, policy string) relay.Peer {
		p := relay.Peer{Name: name, Version: "this tree, --window " + window + ", policy " + policy, Own: true, Cuts: window == narrowWindow, Command: relay.Command{
			Args: []string{binary, "serve", "--listen", "ADDRESS", "--upstream", "UPSTREAM", "--window", window, "--store", "DIR/store.db"},
			Env:  []string{"PLIMSOLL_POLICY=" + policy}, Health: "/healthz",
		}}
		if err != nil {
			p.Missing = err.Error()
		}
		return p
	}
	return []relay.Peer{own(relay.Us, wideWindow, "threshold"), own(relay.UsCut, narrowWindow, "rent")}
}

// litellm is LiteLLM's proxy with one worker and without a database.
func (s setup) litellm() relay.Peer {
	const version = "1.106.2"
	dir := filepath.Join(s.Cache, "litellm")
	python, list := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "requirements.txt")
	err := writeIfChanged(list, []byte("litellm[proxy]=="+version+"\n"))
	if err == nil {
		err = s.once(dir, list, func() error { return s.venv(dir, python, list) })
	}
	p := relay.Peer{Name: "LiteLLM", Version: version + ", Python", Command: relay.Command{
		Args: []string{filepath.Join(dir, "bin", "litellm"), "--config", "DIR/config.yaml", "--host", "127.0.0.1", "--port", "PORT", "--num_workers", "1"},
		Env: []string{
			"LITELLM_LOCAL_MODEL_COST_MAP=True", // else it asks the network at its start
			"LITELLM_MASTER_KEY=" + relay.Key, "LITELLM_LOG=ERROR",
		},
		Files: map[string]string{"config.yaml": strings.Join([]string{
			"model_list:", "  - model_name: gpt-4.1", "    litellm_params:", "      model: openai/gpt-4.1", "      api_base: UPSTREAM/v1", "      api_key: " + relay.Key,
			"litellm_settings:", "  telemetry: false", "",
		}, "\n")},
		Health: "/health/liveliness", Patience: 2 * time.Minute,
	}}
	if err != nil {
		p.Missing = err.Error()
	}
	return p
}

// bifrost is named because it is asked for. Nothing here can start it.
func bifrost() relay.Peer {
	return relay.Peer{
		Name: "Bifrost", Version: "1.6.3, Go",
		Missing: "its package on npm has no program in it and fetches one from its maker's host, which could not be reached; the module proxy does not hand out its module",
	}
}
