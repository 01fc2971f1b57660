package chat

// Command is something that a line beginning with a slash does.
type Command struct {
	// Name without the slash.
	Name string
	// Arguments as help shows them, such as "[FOCUS]"; empty if there are none.
	Arguments string
	// Help says in a sentence what it does.
	Help string
	// Completes says what its argument is, for completion.
	Completes Completes
}

// Completes says what may follow a command.
type Completes string

// The kinds of arguments.
const (
	CompletesNothing     Completes = ""
	CompletesFile        Completes = "file"
	CompletesMethod      Completes = "method"
	CompletesParticipant Completes = "participant"
	CompletesSession     Completes = "session"
	CompletesRef         Completes = "ref"
	CompletesCommand     Completes = "command"
	CompletesOff         Completes = "off"
)

// Methods are the words that /method takes: the three ways, and that of the settings.
var Methods = []string{"auto", "window", "summary", "hybrid"}

// Commands returns all commands, by name.
func Commands() []Command {
	return []Command{
		{"attach", "FILE|-", "Send a file, or lines that you paste, with the next message.", CompletesFile},
		{"clear", "", "Begin a new conversation with the same models.", CompletesNothing},
		{"compress", "[FOCUS]", "Replace old turns by a summary, with an eye on something if you like.", CompletesNothing},
		{"context", "[NAME]", "Show what takes the space, largest first.", CompletesParticipant},
		{"edit", "[TURN]", "Shorten the conversation, or one turn, by hand in your editor.", CompletesNothing},
		{"expand", "REF [FIRST [LAST]]", "Read lines of what was taken out.", CompletesRef},
		{"export", "FILE", "Write the conversation as Markdown, or as JSON to a file that ends so.", CompletesFile},
		{"grep", "REF PATTERN", "Search what was taken out.", CompletesRef},
		{"help", "[COMMAND]", "Show the commands, or one.", CompletesCommand},
		{"limit", "[N|off]", "Show or set the most that a prompt may weigh, in tokens, for every model.", CompletesOff},
		{"load", "FILE|SESSION", "Go on with a conversation that was saved.", CompletesSession},
		{"method", "[auto|window|summary|hybrid]", "Show or choose how old turns go.", CompletesMethod},
		{"model", "[SPEC|-NAME]", "Show who takes part, add or replace a model, or let one go.", CompletesParticipant},
		{"pin", "[TURN|off]", "Keep a turn, the newest if none is named, out of all cuts.", CompletesOff},
		{"prune", "[TURNS]", "Drop the oldest turns: as many as must go, or as many as you say.", CompletesNothing},
		{"quit", "", "End the chat. It can be continued later.", CompletesNothing},
		{"retry", "[NAME]", "Ask the newest message again.", CompletesParticipant},
		{"save", "FILE", "Write the conversation to a file that /load reads.", CompletesFile},
		{"sessions", "", "List the conversations that can be continued.", CompletesNothing},
		{"system", "[TEXT|-]", "Show, set or remove the system prompt.", CompletesNothing},
		{"undo", "", "Take back the newest compression, pruning, edit or clearing.", CompletesNothing},
	}
}
