package wiretest

import (
	"math/rand/v2"

	"github.com/plimsoll/plimsoll"
)

// Edit applies edits of every kind that rungs make: placeholders for results,
// whole rounds and turns dropped, old reasoning removed, a summary instead
// of dropped turns, more instructions, more tools. Edits that a draft refuses are
// part of the game.
func Edit(d *plimsoll.Draft, r *rand.Rand) {
	why := plimsoll.Why{Rung: "test", Reason: "at random"}
	o := d.Outline()
	for _, pair := range o.Pairs {
		if r.IntN(3) == 0 {
			_ = d.ReplaceResult(pair.Result, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[tool output trimmed; ref=\"x\\y\"]"}), why)
		}
	}
	removeReasoning(d, r, why)
	dropTurns(d, r, why)
	for _, turn := range o.Turns {
		for k, round := range turn.Rounds {
			// A turn's last round stays, so that the turn has an answer or the
			// newest result.
			if k < len(turn.Rounds)-1 && r.IntN(5) == 0 {
				_ = d.Drop(round.Span, why)
			}
		}
	}
	if r.IntN(6) == 0 {
		d.AddSystem(plimsoll.Text{Text: "Remember: \"ref\" leads back."}, why)
	}
	if r.IntN(6) == 0 {
		d.AddTool(plimsoll.Tool{Name: "tool_output_cache", Description: "reads \"more\"", Schema: `{"type":"object"}`}, why)
	}
}

// removeReasoning takes thinking out of all turns but the newest.
func removeReasoning(d *plimsoll.Draft, r *rand.Rand, why plimsoll.Why) {
	turns := d.Outline().Turns
	if len(turns) < 2 || r.IntN(2) == 0 {
		return
	}
	newest := turns[len(turns)-1].Start
	for i, m := range d.Original().Messages.All() {
		if i >= newest {
			return
		}
		for j, p := range m.Parts.All() {
			if _, ok := p.(plimsoll.Reasoning); ok {
				_ = d.RemovePart(plimsoll.PartRef{Message: i, Part: j}, why)
			}
		}
	}
}

// dropTurns takes the oldest turns out and may leave a summary in their place.
func dropTurns(d *plimsoll.Draft, r *rand.Rand, why plimsoll.Why) {
	turns := d.Outline().Turns
	if len(turns) < 2 || r.IntN(2) == 0 {
		return
	}
	end := turns[r.IntN(len(turns)-1)].End
	if d.Drop(plimsoll.Span{Start: d.Outline().Head, End: end}, why) != nil {
		return
	}
	if r.IntN(2) == 0 {
		_, _ = d.Insert(end, plimsoll.Say(plimsoll.User, "Summary of \"earlier\" work.\n- 要点"), why)
		_, _ = d.Insert(end, plimsoll.Say(plimsoll.Assistant, "Understood."), why)
	}
}

// EditAnything makes edits of every kind at random places, whether or not a rung
// would make them and an API would take the result.
func EditAnything(d *plimsoll.Draft, r *rand.Rand) {
	why := plimsoll.Why{Rung: "test", Reason: "at random"}
	for i, m := range d.Original().Messages.All() {
		for j := range m.Parts.Len() {
			at := plimsoll.PartRef{Message: i, Part: j}
			switch r.IntN(4) {
			case 0:
				_ = d.ReplaceResult(at, TextOf("gone"), why)
			case 1:
				_ = d.RemovePart(at, why)
			}
		}
		if r.IntN(4) == 0 {
			_ = d.Drop(plimsoll.Span{Start: i, End: i + 1}, why)
		}
		if r.IntN(4) == 0 {
			_, _ = d.Insert(i, plimsoll.Say(plimsoll.User, "so far"), why)
		}
	}
	d.AddSystem(plimsoll.Text{Text: "more"}, why)
	d.AddTool(plimsoll.Tool{Name: "t"}, why)
}
