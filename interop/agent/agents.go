package agent

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// object is a JSON object.
type object = map[string]any

// window is what every agent is told, or believes, that its model has.
const window = 200_000

// All returns every agent in every dialect that it speaks.
func All() []*Agent {
	all := []*Agent{claude(), codex(), gemini(), qwen()}
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini} {
		all = append(all, opencode(d), pi(d))
	}
	slices.SortStableFunc(all, func(a, b *Agent) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	return all
}

var order = []string{"claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "pi"}

// models are what the agents that have to be told are told to ask for.
var models = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "gpt-4.1", plimsoll.Responses: "gpt-5", plimsoll.Anthropic: "claude-sonnet-4-5", plimsoll.Gemini: "gemini-2.5-flash",
}

func claude() *Agent {
	return &Agent{
		Name: "claude-code", Dialect: plimsoll.Anthropic, Set: "claude",
		command: func(dir, _ string) []string {
			return []string{
				filepath.Join(dir, "@anthropic-ai", "claude-code-"+platform(), "claude"),
				"--model", "claude-sonnet-4-5", "--dangerously-skip-permissions", "-p",
			}
		},
		env: func(home, url string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + Key, "IS_SANDBOX=1", "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"),
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
			}
		},
	}
}

func codex() *Agent {
	return &Agent{
		Name: "codex", Dialect: plimsoll.Responses, Set: "codex",
		command: func(dir, node string) []string {
			return []string{
				node, filepath.Join(dir, "@openai", "codex", "bin", "codex.js"),
				"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
			}
		},
		files: func(url string) map[string]any {
			return map[string]any{".codex/config.toml": fmt.Sprintf(`model = "gpt-5.1-codex"
model_provider = "interop"
model_context_window = %d
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.interop]
name = "interop"
base_url = "%s/v1"
env_key = "INTEROP_KEY"
wire_api = "responses"
`, window, url)}
		},
		env: func(home, _ string) []string {
			return []string{"CODEX_HOME=" + filepath.Join(home, ".codex"), "INTEROP_KEY=" + Key}
		},
	}
}

func gemini() *Agent {
	return &Agent{
		Name: "gemini-cli", Dialect: plimsoll.Gemini, Set: "gemini",
		command: func(dir, node string) []string {
			return []string{
				node, filepath.Join(dir, "@google", "gemini-cli", "bundle", "gemini.js"),
				"--skip-trust", "--approval-mode", "yolo", "-m", models[plimsoll.Gemini], "-p",
			}
		},
		files: func(string) map[string]any {
			return map[string]any{".gemini/settings.json": object{
				"security": object{"auth": object{"selectedType": "gemini-api-key"}},
				"privacy":  object{"usageStatisticsEnabled": false},
				"general":  object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true},
			}}
		},
		env: func(_, url string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + Key}
		},
	}
}

func qwen() *Agent {
	return &Agent{
		Name: "qwen-code", Dialect: plimsoll.OpenAI, Set: "qwen",
		command: func(dir, node string) []string {
			return []string{node, filepath.Join(dir, "@qwen-code", "qwen-code", "cli-entry.js"), "--auth-type", "openai", "--approval-mode", "yolo", "-p"}
		},
		files: func(string) map[string]any {
			return map[string]any{".qwen/settings.json": object{
				"privacy": object{"usageStatisticsEnabled": false},
				"general": object{"enableAutoUpdate": false, "disableAutoUpdate": true},
			}}
		},
		env: func(_, url string) []string {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + Key, "OPENAI_MODEL=qwen3-coder-plus"}
		},
	}
}

func opencode(d plimsoll.Dialect) *Agent {
	adapter := map[plimsoll.Dialect]string{
		plimsoll.OpenAI: "@ai-sdk/openai-compatible", plimsoll.Responses: "@ai-sdk/openai",
		plimsoll.Anthropic: "@ai-sdk/anthropic", plimsoll.Gemini: "@ai-sdk/google",
	}[d]
	return &Agent{
		Name: "opencode", Dialect: d, Set: "opencode",
		command: func(dir, _ string) []string {
			return []string{filepath.Join(dir, "opencode-"+platform(), "bin", "opencode"), "run", "--auto"}
		},
		files: func(url string) map[string]any {
			return map[string]any{".config/opencode/opencode.json": object{
				"model": "interop/" + models[d], "small_model": "interop/" + models[d], "autoupdate": false, "share": "disabled",
				"permission": object{"*": "allow"},
				"provider": object{"interop": object{
					"npm": adapter, "name": "interop", "options": object{"baseURL": url + base(d), "apiKey": Key},
					"models": object{models[d]: object{"name": "interop", "limit": object{"context": window, "output": 8192}}},
				}},
			}}
		},
		env: func(string, string) []string {
			return []string{
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			}
		},
	}
}

func pi(d plimsoll.Dialect) *Agent {
	api := map[plimsoll.Dialect]string{
		plimsoll.OpenAI: "openai-completions", plimsoll.Responses: "openai-responses",
		plimsoll.Anthropic: "anthropic-messages", plimsoll.Gemini: "google-generative-ai",
	}[d]
	return &Agent{
		Name: "pi", Dialect: d, Set: "pi",
		command: func(dir, node string) []string {
			return []string{
				node, filepath.Join(dir, "@mariozechner", "pi-coding-agent", "dist", "cli.js"),
				"--offline", "--no-session", "--provider", "interop", "--model", models[d], "-p",
			}
		},
		files: func(url string) map[string]any {
			at := base(d)
			if d == plimsoll.Anthropic {
				at = ""
			}
			return map[string]any{".pi/agent/models.json": object{"providers": object{"interop": object{
				"baseUrl": url + at, "api": api, "apiKey": Key,
				"models": []object{{"id": models[d], "contextWindow": window, "maxTokens": 8192}},
			}}}}
		},
		env: func(string, string) []string { return []string{"PI_OFFLINE=1"} },
	}
}

// base is the path of an API that clients take for a part of its address.
func base(d plimsoll.Dialect) string {
	if d == plimsoll.Gemini {
		return "/v1beta"
	}
	return "/v1"
}
