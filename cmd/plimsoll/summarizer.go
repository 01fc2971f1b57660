package main

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/hook"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/summary/remote"
)

// compactionOf is what the settings say about compaction.
func (p *process) compactionOf(s config.Settings, registry *model.Registry) (preset.CompactionOptions, error) {
	set := s.Compaction
	c := preset.CompactionOptions{
		Off: !set.Enabled, Manual: !set.Auto, Ratio: set.ThresholdRatio, Threshold: set.CompressionThreshold,
		KeepTurns:     cmp.Or(set.RetainLastTurns, -1), // none
		SummaryPrompt: set.SummaryPrompt, RetainPrompt: set.RetainPrompt, NoRetain: set.RetainPrompt == "",
		SummaryDirectives: set.SummaryDirectives, RetainDirectives: set.RetainDirectives,
	}
	if c.Off || set.Summarizer == (summary.Extract{}).Name() {
		return c, nil
	}
	o, err := remote.Parse(set.Summarizer, p.getenv)
	if err != nil {
		return c, err
	}
	limit := time.Duration(set.TimeoutSeconds) * time.Second
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
	c.Summarizer, c.Model = &summary.Chain{Model: asked, Fallback: summary.Extract{}, Timeout: limit}, o.Model
	return c, nil
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
