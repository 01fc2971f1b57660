package fit

import (
	"encoding/json"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Kind says what became of a conversation. A case has the first kind that applies.
type Kind string

// The kinds, in their order.
const (
	// Stopped calls took longer than the limit.
	Stopped Kind = "stopped"
	// Failed calls gave back their input after an error.
	Failed Kind = "failed"
	// Refused calls ended with an error that the caller sees.
	Refused Kind = "refused"
	// Nothing is left but instructions.
	Nothing Kind = "nothing left"
	// Broken results have a tool call without its result or the other way round.
	Broken Kind = "broken pairs"
	// Invalid results break another rule of the API.
	Invalid Kind = "invalid"
	// Over is over the budget by our count and by the library's own.
	Over Kind = "over budget"
	// Usable results are valid and within the budget.
	Usable Kind = "usable"
)

// Verdict is the judgement on one outcome.
type Verdict struct {
	Case   string `json:"case"`
	Corpus string `json:"corpus"`
	Tools  bool   `json:"tools"`
	Budget Budget `json:"budget"`
	Way    string `json:"way"`
	Kind   Kind   `json:"kind"`
	// Why explains a refusal or the first broken rule.
	Why string `json:"why,omitempty"`
	// Tokens that are left by our count.
	Tokens int `json:"tokens"`
	// Newest says that the newest message of the user is there as it was, or that
	// there never was one.
	Newest bool          `json:"newest"`
	CPU    time.Duration `json:"cpu_ns"`
}

// judge applies the same rules to everybody.
func judge(c Case, b Budget, way string, o Outcome, meter plimsoll.Meter) (Verdict, error) {
	v := Verdict{Case: c.ID, Corpus: c.Corpus, Tools: c.Tools, Budget: b, Way: way, CPU: o.CPU}
	switch {
	case o.Stopped:
		v.Kind = Stopped
		return v, nil
	case o.Failed != "":
		v.Kind, v.Why = Failed, o.Failed
		return v, nil
	case o.Refused != "":
		v.Kind, v.Why = Refused, o.Refused
		return v, nil
	}
	was, err := speeches(c.Messages)
	if err != nil {
		return v, err
	}
	is, err := speeches(o.Messages)
	if err != nil {
		return v, err
	}
	wanted, ok := newest(was)
	v.Newest = !ok || says(is, wanted)
	request, err := decode(o.Messages)
	if err != nil {
		v.Kind, v.Why = Invalid, err.Error()
		return v, nil
	}
	v.Tokens = meter.Weigh(request.Conversation()).Total
	v.Kind, v.Why = kindOf(request, is, v.Tokens > b.Tokens && o.Tokens > b.Tokens)
	return v, nil
}

func kindOf(r *wire.Request, said []speech, over bool) (Kind, string) {
	if !asks(said) {
		return Nothing, ""
	}
	found := wire.Check(r)
	for _, v := range found {
		switch v.Rule {
		case wire.RuleOrphanResult, wire.RuleNoResult, wire.RuleOrder:
			return Broken, v.String()
		}
	}
	switch {
	case len(found) > 0:
		return Invalid, found[0].String()
	case over:
		return Over, ""
	}
	return Usable, ""
}

type speech struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func speeches(messages json.RawMessage) ([]speech, error) {
	var all []speech
	err := json.Unmarshal(messages, &all)
	return all, err
}

func asks(all []speech) bool {
	for _, s := range all {
		if s.Role != "system" && s.Role != "developer" {
			return true
		}
	}
	return false
}

// newest returns the newest message of the user.
func newest(all []speech) (s speech, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Role == "user" {
			return all[i], true
		}
	}
	return speech{}, false
}

func says(all []speech, wanted speech) bool {
	for _, s := range all {
		if s.Role == wanted.Role && s.Content == wanted.Content {
			return true
		}
	}
	return false
}
