package plimsoll

// EditKind says what an edit did.
type EditKind string

// The kinds of edits.
const (
	// EditDrop took a whole message out.
	EditDrop EditKind = "drop"
	// EditReplace replaced the content of a tool result.
	EditReplace EditKind = "replace"
	// EditRemove took one part out of a message.
	EditRemove EditKind = "remove"
	// EditInsert put a new message in.
	EditInsert EditKind = "insert"
	// EditWithdraw took an inserted message out again.
	EditWithdraw EditKind = "withdraw"
	// EditSystem added a part to the system instructions.
	EditSystem EditKind = "system"
	// EditTool added a tool.
	EditTool EditKind = "tool"
)

// Why is the reason for an edit, as people will read it.
type Why struct {
	// Rung that asked for the edit.
	Rung string
	// Reason in a few words: "older than the newest 3 outputs".
	Reason string
	// Ref names what was taken out, once it is stored.
	Ref *Ref
}

// Edit is one entry of a draft's log.
type Edit struct {
	Kind   EditKind `json:"kind"`
	Rung   string   `json:"rung"`
	Reason string   `json:"reason"`
	// Message is the index in the original conversation; for an insertion, the
	// index of the original message it stands before; -1 beside the messages.
	Message int `json:"message"`
	// Part is the index in the original message, or -1 for all of it.
	Part int  `json:"part"`
	Ref  *Ref `json:"ref,omitempty"`
	// Saved is the tokens that the edit took off the load, by the draft's
	// meter; negative when it added some.
	Saved int `json:"saved"`
}
