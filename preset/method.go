package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// The methods.
const (
	// MethodWindow drops what is oldest (method A).
	MethodWindow = "window"
	// MethodSummary replaces all but the newest turn by a summary (method B).
	MethodSummary = "summary"
	// MethodHybrid keeps a summary of the old beside a window of the recent, and
	// drops turns only if that is not enough (method C).
	MethodHybrid = "hybrid"
)

// names returns the rungs that are asked for: by name, by the method, or the
// preset's own.
func (o *Options) names(own []string) ([]string, error) {
	var names []string
	switch o.Method {
	case "":
		names = own
	case MethodWindow:
		names = own[len(own)-1:] // what every preset does last
	case MethodSummary, MethodHybrid:
		names = []string{"compact", "slide"} // whole turns go where no summary finds room
	default:
		return nil, &plimsoll.Error{
			Op: "method " + o.Method, Hint: "choose window, summary or hybrid",
			Err: fmt.Errorf("unknown: %w", plimsoll.ErrInvalid),
		}
	}
	if names[0] == "compact" && o.Method != "" && o.Compaction.Off {
		return nil, &plimsoll.Error{
			Op: "method " + o.Method, Hint: "enable compaction, or use the method window",
			Err: fmt.Errorf("compaction is switched off: %w", plimsoll.ErrInvalid),
		}
	}
	if o.Rungs != nil {
		names = o.Rungs
	}
	return names, nil
}

// turnsByMethod is how many of the newest turns stay beside a summary, if the method
// says so.
func (o *Options) turnsByMethod() int {
	if o.Method == MethodSummary {
		return 1
	}
	return 0
}
