package expand

import "time"

// Limits bound what a call may cost and how long its answer may be. The zero value
// has the defaults.
type Limits struct {
	// Bytes is what an answer may have; 0 means 64 KiB, negative no bound. It is at
	// least 1 KiB.
	Bytes int
	// Media is what the parts of an answer that are no text may have together, as they
	// were stored: pictures in base64; 0 means 8 MiB, negative no bound.
	Media int
	// LineChars is how many characters of a line are shown; 0 means 1,000, negative
	// all of them.
	LineChars int
	// Matches is how many matches may be asked for; 0 means 1,000, negative any
	// number. Context is the same for the lines around them; 0 means 200.
	Matches, Context int
	// Pattern is how many bytes a pattern may have; 0 means 1,024. Program is how
	// many instructions a regular expression may have; 0 means 1,000.
	Pattern, Program int
	// TextTime is what a search for a text may take; 0 means 30 seconds. RegexTime is
	// the same for a regular expression; 0 means 5 seconds.
	TextTime, RegexTime time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{{&l.Bytes, 64 << 10}, {&l.Media, 8 << 20}, {&l.LineChars, 1000}, {&l.Matches, 1000}, {&l.Context, 200}, {&l.Pattern, 1024}, {&l.Program, 1000}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if l.Bytes > 0 {
		l.Bytes = max(l.Bytes, 1<<10)
	}
	if l.TextTime == 0 {
		l.TextTime = 30 * time.Second
	}
	if l.RegexTime == 0 {
		l.RegexTime = 5 * time.Second
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	return l
}

// notes is what an answer's last lines may take, which say how to go on.
const notes = 512

// room is what is left for content; 0 means that there is no bound.
func (l Limits) room() int { return max(0, l.Bytes-notes) }

// chars is LineChars as a cutter takes it.
func (l Limits) chars() int64 { return int64(max(0, l.LineChars)) }
