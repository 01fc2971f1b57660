package main

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/terminal"
)

// takesScreen reports whether the chat can have the whole screen, and may.
func (c *chatCmd) takesScreen(p *process) bool {
	return !c.Plain && len(c.Message) == 0 && isTerminal(p.stdin) && isTerminal(p.stdout) && p.getenv("TERM") != "dumb"
}

// fullScreen runs the chat on the whole screen and says how to go on with it.
func (p *process) fullScreen(ctx context.Context, engine *chat.Engine, sessions string) error {
	err := terminal.Run(ctx, engine, p.stdin, p.stdout, &terminal.Options{
		Edit: p.editor(), Lang: p.lang, Environment: p.environ, Sessions: func() []string { return sessionNames(sessions) },
	})
	if len(engine.Turns()) > 0 {
		p.say("plimsoll chat --session %s goes on with this conversation.", engine.Session())
	}
	return err
}

func sessionNames(dir string) []string {
	all, err := chat.Sessions(dir)
	if err != nil {
		return nil // completion offers what there is
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.ID
	}
	return names
}
