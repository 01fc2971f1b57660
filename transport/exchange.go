package transport

import (
	"time"

	"github.com/plimsoll/plimsoll"
)

// Exchange is what became of one managed request. Telemetry and logs are made of it;
// it holds no content and no credentials.
type Exchange struct {
	// Start is when the request came, First when the first byte of the answer was
	// there, End when the last one was.
	Start, First, End time.Time
	Dialect           plimsoll.Dialect
	// Endpoint in a word: "chat", "responses", "messages", "generate", "compact".
	Endpoint string
	// Upstream is the host that was asked.
	Upstream string
	// Model that was asked for, Answered the one that says it answered.
	Model, Answered string
	// Tenant is a keyed hash, safe to show.
	Tenant string
	// Conversation is a name that all requests of one conversation share.
	Conversation string
	Stream       bool
	// Status that the client got.
	Status int
	// Bytes of the client's body, Sent of the one that went upstream.
	Bytes, Sent int
	// Before and After are the loads of the client's request and of what was sent for it.
	// Where the model was asked again they do not count what it has read meanwhile.
	Before, After plimsoll.Load
	Line          plimsoll.Line
	// Decision says what was done.
	Decision Decision
	// Edits is how many edits the sent request has, New how many of them were not in
	// the request before, with those that were made when the model was asked again.
	Edits, New int
	// Rungs that were applied, with what each took off; those that made room when the
	// model was asked again stand at the end.
	Rungs []plimsoll.RungReport
	// Warning says what failed without harm; empty if nothing did.
	Warning string
	// Rounds is how often the model was asked again because it called tools of ours.
	Rounds int
	// Rescued says that an overflow of the upstream was caught.
	Rescued bool
	// Usage is what was billed for everything together, Billed whether it is known.
	Usage  plimsoll.Usage
	Billed bool
	// Manage is what our own work took before anything was sent.
	Manage time.Duration
	// Err is what ended the exchange early; nil if nothing did.
	Err error
}

// asOf makes an exchange, as it is when the model was asked again, tell about the
// client's request again. What was cut meanwhile is added.
func (x *Exchange) asOf(before Exchange) {
	round := *x
	x.Before, x.After, x.Line = before.Before, before.After, before.Line
	x.Edits, x.New, x.Rungs = before.Edits, before.New+round.New, before.Rungs
	for _, r := range round.Rungs {
		if cuts(r) {
			x.Rungs = append(x.Rungs[:len(x.Rungs):len(x.Rungs)], r)
		}
	}
	if round.New == 0 && round.Decision != Failed || before.Decision == Compacted {
		x.Decision = before.Decision
	}
}

// Decision is what was done about a request.
type Decision string

// The decisions.
const (
	// Passed: it is under its line and left as it was.
	Passed Decision = "pass"
	// Cut: something was cut that had not been before.
	Cut Decision = "cut"
	// Recalled: it was cut as the request before was.
	Recalled Decision = "recall"
	// Compacted: old messages were replaced by a checkpoint.
	Compacted Decision = "compact"
	// Refused: it cannot be made to fit; nothing was sent.
	Refused Decision = "refuse"
	// Bypassed: the client asked to be left alone, or the limit is not known.
	Bypassed Decision = "bypass"
	// Failed: our own work failed, and the request went on as it came.
	Failed Decision = "fail-open"
	// DryRun: only a plan was asked for; nothing was sent.
	DryRun Decision = "dry-run"
)
