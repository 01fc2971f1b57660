package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/model"
)

//go:embed curated.txt
var curatedText string

//go:embed hand.json
var handJSON []byte

// The files of the two sources and the days their facts are from.
const (
	liteLLMFile   = "litellm-model_prices_and_context_window.json"
	liteLLMDay    = "2026-08-05"
	modelsDevFile = "models-dev-compact.json"
	modelsDevDay  = "2026-07-02"
)

var notes = []note{
	{Key: "about", Text: "Written by model/internal/genregistry; do not edit. Prices in USD per million tokens, limits in tokens."},
	{Key: "litellm", Text: "github.com/BerriAI/litellm b0fd3e1e3070ed5068837ffa4efb0e1afc0517e6, model_prices_and_context_window.json of " + liteLLMDay + ", MIT, see LICENSE.data"},
	{Key: "models_dev", Text: "github.com/anomalyco/models.dev f3fc692299671838c7c65fd8126bf84d81a2e817 of " + modelsDevDay + ", MIT, see LICENSE.data"},
}

// lists are the sources, parsed.
type lists struct {
	liteLLM, modelsDev, hand *model.Registry
}

func readLists(dir string) (*lists, error) {
	l := &lists{}
	for _, source := range []struct {
		file string
		into **model.Registry
	}{{liteLLMFile, &l.liteLLM}, {modelsDevFile, &l.modelsDev}} {
		data, err := os.ReadFile(filepath.Join(dir, source.file))
		if err != nil {
			return nil, err
		}
		if *source.into, _, err = model.Load(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", source.file, err)
		}
	}
	hand, problems, err := model.Load(bytes.NewReader(handJSON))
	if err != nil || len(problems) > 0 {
		return nil, fmt.Errorf("hand.json: %v %v", err, problems)
	}
	l.hand = hand
	return l, nil
}

// curate gives the registry and remarks on where the lists disagree.
func (l *lists) curate() (*model.Registry, []string, error) {
	picks, err := parsePicks(curatedText)
	if err != nil {
		return nil, nil, err
	}
	var models []model.Model
	var remarks []string
	for _, p := range picks {
		m, remark, err := l.facts(p)
		if err != nil {
			return nil, nil, err
		}
		models = append(models, m)
		remarks = append(remarks, remark...)
	}
	reg := model.NewRegistry(models...)
	if len(reg.All()) != len(picks) {
		return nil, nil, fmt.Errorf("curated.txt names a model twice")
	}
	return reg, remarks, l.handOnlyPicked(picks)
}

// handOnlyPicked keeps facts set by hand from being lost to a typing error.
func (l *lists) handOnlyPicked(picks []pick) error {
	for _, m := range l.hand.All() {
		if !slices.ContainsFunc(picks, func(p pick) bool { return p.provider == m.Provider && p.id == m.ID }) {
			return fmt.Errorf("hand.json has %s/%s, curated.txt has not", m.Provider, m.ID)
		}
	}
	return nil
}

// pick is one line of curated.txt.
type pick struct {
	provider, id string
	aliases      []string
	// sources are "provider/id" in the lists.
	sources []string
}

func parsePicks(text string) ([]pick, error) {
	var picks []pick
	provider := ""
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			provider = strings.Trim(line, "[]")
		case provider == "":
			return nil, fmt.Errorf("curated.txt:%d: want a [provider] first", n+1)
		default:
			picks = append(picks, parsePick(provider, line))
		}
	}
	return picks, nil
}

func parsePick(provider, line string) pick {
	line, sources, _ := strings.Cut(line, "<-")
	id, aliases, _ := strings.Cut(line, " : ")
	p := pick{
		provider: provider,
		id:       strings.TrimSpace(id),
		aliases:  strings.Fields(aliases),
		sources:  strings.Fields(sources),
	}
	if len(p.sources) == 0 {
		p.sources = []string{provider + "/" + p.id}
	}
	return p
}
