package main

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// completionCmd prints a script that completes the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the long help text.
func (*completionCmd) Help() string {
	return `Prints a script that completes commands, flags, models and files.

    bash  source <(plimsoll completion bash)                in ~/.bashrc
    zsh   source <(plimsoll completion zsh)                 in ~/.zshrc, after compinit
    fish  plimsoll completion fish | source                 in config.fish`
}

var (
	//go:embed completion.bash.tmpl
	bashTemplate string
	//go:embed completion.zsh.tmpl
	zshTemplate string
	//go:embed completion.fish.tmpl
	fishTemplate string
)

// Run writes the script. It is made from the parser's own model, so that it can
// never offer what the parser would not take.
func (c *completionCmd) Run(p *process, ctx *kong.Context) error {
	text := map[string]string{"bash": bashTemplate, "zsh": zshTemplate, "fish": fishTemplate}[c.Shell]
	t, err := template.New(c.Shell).Funcs(template.FuncMap{
		"join": strings.Join, "zsh": quoteZsh, "fish": quoteFish,
	}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(p.out, grammarOf(ctx.Model.Node))
}

// grammar is a command as the scripts see it.
type grammar struct {
	Name, Help string
	Flags      []word
	// Args says what follows the command.
	Args     word
	Commands []grammar
}

// word is a flag or an argument.
type word struct {
	// Long and Short are a flag's names, without dashes; Short may be empty.
	Long, Short, Help string
	// Takes says that a value follows.
	Takes bool
	// Values are what may follow; File and Dir ask for names of such.
	Values    []string
	File, Dir bool
}

func grammarOf(n *kong.Node) grammar {
	g := grammar{Name: n.Name, Help: n.Help}
	for _, f := range n.Flags {
		w := wordOf(f.Value)
		w.Long, w.Takes = f.Name, !f.IsBool()
		if f.Short != 0 {
			w.Short = string(f.Short)
		}
		g.Flags = append(g.Flags, w)
	}
	for _, a := range n.Positional {
		g.Args = wordOf(a)
	}
	for _, child := range n.Children {
		g.Commands = append(g.Commands, grammarOf(child))
	}
	return g
}

func wordOf(v *kong.Value) word {
	w := word{Help: strings.TrimSuffix(v.Help, ".")}
	if v.Enum != "" {
		w.Values = v.EnumSlice()
	}
	switch v.Tag.Get("complete") {
	case "file":
		w.File = true
	case "dir":
		w.Dir = true
	case "model":
		w.Values = modelNames()
	case "encoding":
		w.Values = token.Names()
	}
	return w
}

// modelNames lists the ids of the built-in registry. A shell takes ":" and blanks
// in words for separators, so names with them are left out.
func modelNames() []string {
	var names []string
	for _, m := range model.Default().All() {
		if !strings.ContainsAny(m.ID, ": \t'\"$`\\") {
			names = append(names, m.ID)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// quoteZsh makes help fit for a specification of _arguments in single quotes.
func quoteZsh(s string) string {
	return strings.NewReplacer(`[`, `\[`, `]`, `\]`, `:`, `\:`, `'`, `'\''`).Replace(s)
}

// quoteFish makes text fit for single quotes.
func quoteFish(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
}
