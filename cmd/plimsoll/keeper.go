package main

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// keeper makes the keeper that the settings describe. The archive may be nil.
func (p *process) keeper(c *config.Config, archive plimsoll.Archive) (*plimsoll.Keeper, error) {
	s := c.Settings
	registry, err := loadRegistry(p, texts(s.Models))
	if err != nil {
		return nil, err
	}
	tokenizers, err := p.tokenizers(string(s.Tokenizers))
	if err != nil {
		return nil, err
	}
	limits := &model.Limits{Registry: registry, Env: p.getenv}
	options, err := preset.Named(s.Preset, &preset.Options{
		Model: s.Model, Reserve: orNone(s.Reserve),
		Marks: plimsoll.Marks{High: s.Marks.High, Low: s.Marks.Low},
		Pins:  s.Pins, Method: s.Method, Rungs: s.Rungs, Outputs: outputsOf(s),
		Token: token.Options{Registry: registry, Tokenizers: tokenizers},
		Limit: func(name string) model.Limit { return limitFor(c, limits, name) },
	})
	if err != nil {
		return nil, err
	}
	options.Archive = archive
	return plimsoll.New(options)
}

// limitFor returns the limit of a model. The variables of limits say what may be
// sent, but PLIMSOLL_WINDOW is a window like that of a flag, of which a part is kept
// free for the answer.
func limitFor(c *config.Config, limits *model.Limits, name string) model.Limit {
	l := c.Limit(limits, name)
	if l.Source == model.SourceEnv && l.From == c.Origin("window").Name {
		l.Source = model.Source(config.FromFlag)
	}
	return l
}

// orNone writes a number as options do: 0 where it is left open, negative where it
// is nothing.
func orNone(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return *n
}

func outputsOf(s config.Settings) preset.Outputs {
	out := preset.Outputs{
		Off: !s.ToolOutputCache.Enabled, MaxBytes: s.ToolOutputCache.MaxMessageBytes, MaxLine: s.ToolOutputCache.MaxLineLength,
		KeepNewest: orNone(&s.Clear.KeepNewest), MinReclaim: orNone(s.Clear.MinReclaim),
		Paths: rung.DefaultPaths(),
	}
	if budget := s.ToolOutputCache.ContextBudgetTokens; budget != nil {
		out.Budget = max(1, *budget) // 0 would leave it open
	}
	if s.Dedupe.PathArguments != nil {
		out.Paths.Args = s.Dedupe.PathArguments
	}
	if s.Dedupe.ReadTools != nil {
		out.Paths.Read = s.Dedupe.ReadTools
	}
	if s.Dedupe.WriteTools != nil {
		out.Paths.Write = s.Dedupe.WriteTools
	}
	return out
}
