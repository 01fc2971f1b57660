package chat

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// Options configure an [Engine].
type Options struct {
	// Participants are those who take part. At least one is required.
	Participants []Participant
	// Parse reads the participants that commands name; nil means [ParseParticipant]
	// without an environment.
	Parse func(spec string) (Participant, error)
	// Keeper returns the keeper of a method ("window", "summary", "hybrid"); the empty
	// one is that of the settings. Required.
	Keeper func(method string) (*fit.Keeper, error)
	// Counter says how the tokens of a model's texts are counted; nil means that this
	// is unknown. The error is that of a vocabulary that cannot be read.
	Counter func(model string) (plimsoll.CounterInfo, error)
	// Assumed returns the limit that the keepers assume for a model of which none is
	// known, and 0 for others; nil means that they assume none.
	Assumed func(model string) int
	// Marks are those of the keepers, for the gauges.
	Marks fit.Watermarks
	// Base sends requests; nil means [http.DefaultTransport].
	Base http.RoundTripper
	// Store keeps what is taken out; nil means that it cannot be had back.
	Store *store.Store
	// Sessions is the directory of the sessions; empty means that none are kept.
	Sessions string
	// Session is the one to go on with; empty means a new one.
	Session string
	// System is the system prompt; empty means that of the session, or none.
	System string
	// Method is how old turns go; empty means as the settings say.
	Method string
	// Window is the one that the settings give every model, in tokens; 0 means each
	// one's own. Limit is what the person asks for instead; 0 means what the session says.
	Window, Limit int
	// Expand says when models are offered the tools that read what was taken out.
	Expand transport.Expand
	// Tools are what models may use; nil means none.
	Tools Toolbox
	// Problems are reported at the start.
	Problems []error
	// Logger gets what operators should know, without content; nil means no log.
	Logger *slog.Logger
	// Now is the clock; nil means the system's.
	Now func() time.Time
}

// Toolbox is a set of tools that models may use. It is called by several goroutines.
type Toolbox interface {
	// Tools returns their declarations.
	Tools() []plimsoll.Tool
	// Call runs one. A failure is a result that says so. Confirm asks the person
	// whether something may be done.
	Call(ctx context.Context, call plimsoll.ToolCall, confirm func(context.Context, Confirmation) bool) plimsoll.ToolResult
}

// Confirmation is what a person is asked before a tool does something.
type Confirmation struct {
	Participant, Tool string
	// Action is what would be done, such as a command line. It is content: show it
	// with control characters made visible.
	Action string
}

// Desk is where the person sits: how to ask for more than a line.
type Desk struct {
	// Confirm asks whether something may be done; nil means that it may not.
	Confirm func(context.Context, Confirmation) bool
	// Edit lets the person change a text; nil means that it cannot be done.
	Edit func(ctx context.Context, text string) (string, error)
	// Read reads lines that are pasted, for "/attach -"; nil means that it cannot be
	// done.
	Read func(context.Context) (string, error)
}

// check refuses options that cannot be meant.
func (o *Options) check() error {
	switch {
	case len(o.Participants) == 0:
		return &plimsoll.Error{
			Op: "chat", Code: plimsoll.CodeInvalid, Err: mistake{errors.New("no model takes part")},
			Hint: "name a model, such as --model openai:gpt-4o or --model ollama:llama3.2",
		}
	case o.Keeper == nil:
		return &plimsoll.Error{Op: "chat", Code: plimsoll.CodeInvalid, Err: mistake{errors.New("no keeper")}, Hint: "set Options.Keeper"}
	}
	return nil
}

func (o *Options) setDefaults() {
	if o.Parse == nil {
		o.Parse = func(spec string) (Participant, error) {
			return ParseParticipant(spec, func(string) string { return "" })
		}
	}
	if o.Marks.High == 0 {
		o.Marks.High = 1
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}
