// Package toolbox is what models in a chat may use: tools that read, list and search
// files below one directory, a tool that runs commands there, and the tools of MCP
// servers. It exists so that a model can look for itself instead of being shown.
//
//	box, problems, err := toolbox.New(ctx, dir, &toolbox.Options{Servers: servers})
//	engine, err := chat.New(ctx, &chat.Options{Tools: box, Problems: problems})
//
// Nothing that is read lies outside of the directory, whatever links point to. A command
// can reach everything that its user can, so the person is asked before each one. The
// same goes for tools of servers that do not call themselves read-only.
//
// What tools answer is bounded, but not made to fit a conversation: that is the
// transport's work. The package knows no terminal and no settings.
package toolbox
