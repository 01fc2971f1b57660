package plimsoll

// Plan says how a conversation is made to fit: what it weighs before and after, and
// every edit with its reason. A conversation that is under its line has a plan
// without edits.
type Plan struct {
	// Line that was in force, Goal the load that the rungs aimed at, Floor what no
	// rung could have removed; Floor is 0 when there was no need to look.
	Line  Line `json:"line"`
	Goal  int  `json:"goal"`
	Floor int  `json:"floor"`
	// Before and After are the loads.
	Before Load `json:"before"`
	After  Load `json:"after"`
	// Edits in the order in which they were made.
	Edits []Edit `json:"edits"`
	// Outputs are the tool results of the original that the archive has, cut or not, in
	// presets that store every output.
	Outputs []OutputRef `json:"outputs,omitempty"`
	// Rungs that were tried, in order, and those that a policy's cut passed over.
	Rungs []RungReport `json:"rungs"`
	// Degraded says why the archive was done without; empty if it was not needed
	// or did its work.
	Degraded string `json:"degraded,omitempty"`

	// Draft has the edits. It must not be edited further.
	Draft *Draft `json:"-"`
	// Body is the request as it will be sent; nil if nothing changes or if the
	// conversation came from no request.
	Body []byte `json:"-"`
}

// OutputRef says under which reference the archive has a tool result.
type OutputRef struct {
	Message int `json:"message"`
	Part    int `json:"part"`
	Ref     Ref `json:"output_ref"`
}

// RungReport says what one rung did.
type RungReport struct {
	Rung string `json:"rung"`
	// Edits is how many it made, Saved the tokens they took off.
	Edits int `json:"edits"`
	Saved int `json:"saved"`
	// Replayed says that its edits were made for an earlier request.
	Replayed bool `json:"replayed,omitempty"`
	// Undone says why its edits were taken back; empty if they stand.
	Undone string `json:"undone,omitempty"`
	// Skipped says why a policy's cut passed it over; empty if it was tried.
	Skipped string `json:"skipped,omitempty"`
}

// Conversation returns the conversation as the plan leaves it.
func (p *Plan) Conversation() Conversation { return p.Draft.Result() }

// Changed reports whether the plan edits anything.
func (p *Plan) Changed() bool { return len(p.Edits) > 0 }
