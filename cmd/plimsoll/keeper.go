package main

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// keeping is where a keeper puts what it takes out and looks up what it decided, and
// who hears of it. The zero value keeps nothing and tells nothing.
type keeping struct {
	archive fit.Archive
	memory  fit.Memory
	events  func(fit.Event)
	// dry means that nothing outside may notice: no model and no hook is asked.
	dry bool
	// serves means that unknown models have no limit until one is learned, and that
	// requests go on while something is prepared for later ones. The latter holds for
	// chats too.
	serves, chats bool
	// rungs, if not nil, replace those of the preset.
	rungs []string
	// counting, if not nil, is that of the settings: their lists need not be read again.
	counting *token.Options
	// meter, if not nil, is the best count.
	meter plimsoll.Meter
}

// keepingOf keeps everything in the tenant's part of a store; nil means nowhere.
func keepingOf(t *store.Tenant) keeping {
	if t == nil {
		return keeping{}
	}
	return keeping{archive: t, memory: t.Memory()}
}

// keeper makes the keeper that the settings describe.
func (p *process) keeper(c *config.Config, where keeping) (*fit.Keeper, error) {
	options, err := p.keeperOptions(c, where)
	if err != nil {
		return nil, err
	}
	return fit.New(options)
}

func (p *process) keeperOptions(c *config.Config, where keeping) (*fit.Options, error) {
	s := c.Settings
	counting := where.counting
	if counting == nil {
		read, err := p.counting(s)
		if err != nil {
			return nil, err
		}
		counting = &read
	}
	registry := counting.Registry
	compaction, err := p.compactionOf(s, registry, where.serves || where.chats)
	if err != nil {
		return nil, err
	}
	var hooks fit.Hooks
	if where.dry {
		compaction.Summarizer = summary.Extract{}
	} else if hooks, err = p.hooks(s.Compaction.Hooks); err != nil {
		return nil, err
	}
	limits := &model.Limits{Registry: registry, Env: p.getenv, Gemini: s.Preset == preset.NameGemini}
	find := func(name string) model.Limit { return c.Limit(limits, name) }
	if where.serves && s.Preset != preset.NameAgent { // whose text is strict about unknown models
		find = transport.KnownLimit(find)
	}
	options, err := preset.Named(s.Preset, &preset.Options{
		Model: s.Model, Reserve: s.Reserve,
		Marks:  fit.Watermarks{High: s.Marks.High, Low: s.Marks.Low},
		Policy: s.Policy,
		Pins:   s.Pins, Method: s.Method, Rungs: where.rungs, Outputs: outputsOf(s), Compaction: compaction,
		Token: *counting, BufferFactor: s.BufferFactor,
		Limit:          find,
		NoRecollection: s.Recollect == "off",
		Archive:        where.archive, Memory: where.memory,
	})
	if err != nil {
		return nil, err
	}
	switch {
	case where.meter == nil:
	case options.Best != nil: // the preset counts by an estimate of its own
		options.Best = where.meter
	default:
		options.Meter = where.meter
	}
	options.Hooks, options.Events = hooks, where.events
	if !where.serves && !where.chats {
		// A command ends when its work is done, so nothing can be prepared for later.
		options.Marks.Soft = 0
	}
	return options, nil
}

// taskOf is the task of a body: for the model of the settings, else for its own, else
// for a usual one of its API.
func taskOf(s config.Settings, b *conversationFile) fit.Task {
	return preset.Task(b.request, preset.Client{Model: s.Model})
}

func outputsOf(s config.Settings) preset.Outputs {
	out := preset.Outputs{
		Off: !s.ToolOutputCache.Enabled, MaxBytes: s.ToolOutputCache.MaxMessageBytes, MaxLine: s.ToolOutputCache.MaxLineLength,
		Paths: rung.DefaultPaths(),
	}
	if budget := s.ToolOutputCache.ContextBudgetTokens; budget != nil {
		out.Budget = max(1, *budget) // 0 would leave it open
	}
	return out
}
