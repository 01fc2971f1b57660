package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/hook"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/summary/remote"
)

// compactionOf is what the settings say about compaction. A caller is there if requests of
// clients are served.
func (p *process) compactionOf(s config.Settings, registry *model.Registry, caller bool) (preset.CompactionOptions, error) {
	set, limit := s.Compaction, time.Duration(s.Compaction.TimeoutSeconds)*time.Second
	c := preset.CompactionOptions{
		Off: !set.Enabled, Manual: !set.Auto, Ratio: set.ThresholdRatio, Threshold: set.CompressionThreshold,
		KeepTurns:     cmp.Or(set.RetainLastTurns, -1), // none
		SummaryPrompt: set.SummaryPrompt, RetainPrompt: set.RetainPrompt, Timeout: limit,
		SummaryDirectives: set.SummaryDirectives, RetainDirectives: set.RetainDirectives,
	}
	who := set.Summarizer
	if who == "" && set.Model != "" {
		who = asksCaller
	}
	if who == asksCaller && !caller && set.Model != "" && set.Model != remote.Cheaper {
		var err error
		if who, err = apiOf(registry, set.Model); err != nil {
			return c, err
		}
	}
	switch {
	case c.Off || who == "": // the preset's own
		return c, nil
	case who == asksCaller:
		c.Summarizer = preset.AskCaller(s.Preset, set.Model, registry, limit)
		return c, nil
	case who == (summary.Extract{}).Name():
		c.Summarizer = summary.Extract{}
		return c, nil
	}
	o, err := remote.Parse(who, p.getenv)
	if err != nil {
		return c, err
	}
	o.Models, o.Timeout = registry, limit
	if set.Model != "" {
		o.Model = set.Model
	}
	if s.Preset == preset.NameGemini {
		o.MapModel = remote.CompressionModel
	}
	asked, err := remote.New(o)
	if err != nil {
		return c, err
	}
	c.Summarizer = &summary.Chain{Model: asked, Fallback: summary.Extract{}, Timeout: limit}
	return c, nil
}

// asksCaller is the summarizer that asks the provider of the client with the client's key.
const asksCaller = "auto"

// apiOf returns the API of the provider that makes a model.
func apiOf(registry *model.Registry, name string) (string, error) {
	m, err := registry.Lookup(name)
	api, ok := map[string]string{"openai": "openai", "anthropic": "anthropic", "google": "gemini"}[m.Provider]
	if err != nil || !ok {
		return "", &plimsoll.Error{
			Op: "read compaction.model", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("no API is known for the model %q", name),
			Hint: "name the API too: compaction.summarizer: openai:" + name + "@URL",
		}
	}
	return api + ":", nil
}

// sender sends to the provider of a request in a file, with the user's own key. It is nil
// if the settings do not ask for that, or there is no key.
func (p *process) sender(s config.Settings, d plimsoll.Dialect) summary.Sender {
	if s.Compaction.Summarizer != asksCaller && s.Compaction.Model != remote.Cheaper {
		return nil
	}
	o, err := remote.Parse(string(d)+":", p.getenv)
	if err != nil {
		return nil
	}
	server, err := remote.New(o)
	if err != nil {
		return nil
	}
	return server.Send
}

// recounter counts a request in a file by the server of the summarizer; nil if that is no
// server of the file's API.
func (p *process) recounter(s config.Settings, t fit.Task) func(context.Context, []byte) (int, error) {
	who := s.Compaction.Summarizer
	if who == asksCaller {
		who = string(t.Conversation.Dialect) + ":"
	}
	o, err := remote.Parse(who, p.getenv)
	if err != nil || o.Dialect != t.Conversation.Dialect {
		return nil
	}
	server, err := remote.New(o)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, body []byte) (int, error) {
		return server.Count(ctx, t.Conversation.Model, body)
	}
}

// ineffective lists the settings about compaction that are set and change nothing, with what
// to do about it.
func ineffective(c *config.Config) (problems []error) {
	set, s := c.Settings.Compaction, c.Settings
	note := func(key, why string) {
		if from := c.Origin(key); from.Chosen() {
			problems = append(problems, fmt.Errorf("%s: %s has no effect: %s", from, key, why))
		}
	}
	if s.Preset != preset.NameGemini {
		note("compaction.compression_threshold", "only preset gemini has this threshold, and the preset is "+s.Preset+": set preset: gemini")
	}
	if s.Preset != preset.NameAgent {
		note("compaction.threshold_ratio", "only preset agent has this threshold, and the preset is "+s.Preset+": set preset: agent")
		note("compaction.retain_last_turns", "only preset agent keeps a number of turns, and the preset is "+s.Preset+": set preset: agent")
	}
	asks := set.Model != "" || s.Preset == preset.NameAgent || s.Preset == preset.NameGemini || s.Method == preset.MethodSummary || s.Method == preset.MethodHybrid
	if set.Summarizer == (summary.Extract{}).Name() || set.Summarizer == "" && !asks {
		for _, key := range []string{"model", "summary_prompt", "summary_directives", "retain_prompt", "retain_directives"} {
			note("compaction."+key, "no model writes summaries: set compaction.summarizer to auto, or to API:MODEL")
		}
	} else if s.Preset != preset.NameAgent {
		for _, key := range []string{"retain_prompt", "retain_directives"} {
			note("compaction."+key, "only preset agent retains texts beside a summary, and the preset is "+s.Preset)
		}
	}
	return problems
}

// hooks are the commands and addresses of the settings. What goes wrong with one is
// said, and stops nothing.
func (p *process) hooks(s config.Hooks) (fit.Hooks, error) {
	var all fit.Hooks
	for _, text := range s.Pre {
		h, err := newHook(text, s)
		if err != nil {
			return all, err
		}
		all.PreCompress = append(all.PreCompress, func(ctx context.Context, about fit.PreCompress) (fit.Verdict, error) {
			verdict, err := h.PreCompress(ctx, about)
			p.warnHook(err)
			return verdict, err
		})
	}
	for _, text := range s.Post {
		h, err := newHook(text, s)
		if err != nil {
			return all, err
		}
		all.PostCompress = append(all.PostCompress, func(ctx context.Context, told fit.ChatCompressed) error {
			err := h.PostCompress(ctx, told)
			p.warnHook(err)
			return err
		})
	}
	return all, nil
}

func (p *process) warnHook(err error) {
	if err != nil {
		p.warn(err)
	}
}

// newHook makes a hook of an address, or of a command that the shell reads.
func newHook(text string, s config.Hooks) (*hook.Hook, error) {
	o := &hook.Options{Content: s.Content}
	switch {
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return hook.Webhook(text, o)
	case runtime.GOOS == "windows":
		return hook.Command([]string{"cmd", "/C", text}, o)
	}
	return hook.Command([]string{"sh", "-c", text}, o)
}
