package replay

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// countErrors compares what the meter says of each recorded request with what was
// billed for it, relative to the bill. The meter learns from each bill for the next
// one, as it does at work. What was sent after the recording program cut its history
// is known only where its summary is recorded.
func countErrors(s *Session) []float64 {
	meter := token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
	c := plimsoll.Conversation{Dialect: s.Dialect, Model: s.Model, System: s.System, Tools: s.Tools}
	anchored := meter.For(s.ID)
	var sent []plimsoll.Message
	var errs []float64
	bills := 0
	for _, e := range s.Entries {
		if e.Summary {
			sent, bills = nil, 0
		}
		if billed := e.Bill.Prompt(); e.Message.Role == plimsoll.Assistant && billed > 0 && len(sent) > 0 {
			c.Messages = plimsoll.ListOf(sent...)
			if bills > 0 {
				errs = append(errs, float64(anchored.Weigh(c).Total-billed)/float64(billed))
			}
			meter.Observe(s.ID, c, e.Bill)
			bills++
		}
		sent = append(sent, e.Message)
	}
	return errs
}
