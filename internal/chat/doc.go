// Package chat is a conversation of one person with one or several models: who takes
// part, one history that all of them share, what each of them sees of it, the commands,
// and the sessions on disk. It exists apart from any screen, so that the line mode, the
// full-screen mode and tests run the same conversation.
//
//	engine, err := chat.New(ctx, &chat.Options{Participants: all, Keeper: keepers, Store: store})
//	engine.Attend(chat.Desk{Confirm: askUser, Edit: openEditor})
//	err = engine.Do(ctx, "@all What is a load line?", func(e chat.Event) { show(e) })
//
// A line is a message, possibly to one participant ("@gemini …", "@all …"), or a command
// ("/compress …"). [Engine.Do] returns when everything is over that the line started.
// Meanwhile it tells [Event] values, one at a time. An error of Do means that the line
// was not taken: nothing of it is in the history, and it belongs back into the input.
//
// Requests go through package transport, which makes them fit. The engine asks a keeper
// before, so that the person hears what will go and what cannot be sent.
//
// The package knows no terminal and no flags, and prints nothing.
package chat
