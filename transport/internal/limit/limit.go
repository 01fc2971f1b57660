// Package limit learns the context limits of models from what their servers say: an
// error that names a limit, and prompts that were answered. It knows no HTTP and cuts
// nothing.
package limit

import (
	"bytes"
	"encoding/json/jsontext"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/wire"
)

// Unbounded is the window of a model whose limit is unknown: its conversations are not
// cut until a server says what its limit is.
const Unbounded = 1 << 40

// Learned is what a server has said about a model's context.
type Learned struct {
	// Limit in the server's tokens.
	Limit int `json:"limit"`
	// Ratio of the server's tokens to ours.
	Ratio float64 `json:"ratio"`
	// Output says that the answer counts, too.
	Output bool `json:"output,omitempty"`
	// Asked is the window that the server told on being asked; 0 if it told none.
	Asked int `json:"asked,omitempty"`
	// At is when the server said it.
	At time.Time `json:"at"`
}

// Prompt is the size of a prompt: as the server billed it, and as we weighed it.
type Prompt struct{ Billed, Weighed int }

// margin is the share of a learned limit that is used, since our count may be off.
const margin = 0.98

// smallMargin is the share of a limit under small tokens: the ratio of the server's tokens
// to those that we count differs more between short prompts.
const smallMargin, small = 0.93, 8192

const (
	// oddRatio and mostRatio bound the ratio that is believed: figures beyond them are about
	// something else. A template that drops tools makes it small, a small vocabulary large.
	oddRatio, mostRatio = 0.2, 3
	// leastRatio bounds the ratio that is used: other requests may have no tools.
	leastRatio = 0.6
)

// Learn draws a limit from an overflow. The refused request weighs so much by our
// count, and most is the largest prompt that the server has answered. Learn reports
// false if the limit holds for this request alone.
func Learn(o wire.Overflow, weighed, maxOutput int, most Prompt) (Learned, bool) {
	l, sure := Learned{Limit: o.Limit, Ratio: 1}, false
	switch {
	case o.Bytes && o.Tokens > o.Limit:
		// Bytes are no tokens, but a share of the one is about that share of the other.
		l.Limit = int(float64(weighed) * float64(o.Limit) / float64(o.Tokens))
	case o.Bytes:
		l.Limit = weighed * 3 / 4
	case o.Limit == 0 && o.Excess > 0 && o.Excess < weighed:
		l.Limit, sure = weighed-o.Excess, aboutTokens(o.Message)
	case o.Limit > 0 && o.Tokens > 0 && weighed > 0:
		withAnswer := float64(o.Tokens-maxOutput) / float64(weighed)
		l.Ratio = float64(o.Tokens) / float64(weighed)
		if maxOutput > 0 && o.Tokens-maxOutput > weighed/2 && abs(withAnswer-1) < abs(l.Ratio-1) {
			l.Output, l.Ratio = true, withAnswer
		}
		sure = l.Ratio >= oddRatio && l.Ratio <= mostRatio
	case o.Limit > 0:
		// The server names only the limit. The request exceeds it, which bounds the ratio.
		l.Ratio = max(1, float64(o.Limit)/float64(max(1, weighed)))
		sure = l.Ratio <= 1.7 // such a limit may be of another thing
	default:
		// The server names no figure. The limit is between what it answered and this.
		l.Limit, sure = weighed*3/4, aboutTokens(o.Message)
		if max(most.Weighed, most.Billed) > l.Limit && most.Weighed < weighed {
			l.Limit, l.Ratio = most.Billed, float64(most.Billed)/float64(most.Weighed)
		}
	}
	l.Ratio = min(mostRatio, max(leastRatio, l.Ratio)) / margin
	if l.Limit < small {
		l.Ratio *= margin / smallMargin
	}
	return l, sure && l.Limit >= most.Billed
}

// Truncated draws a limit from a prompt of which the server has billed a part. Window is what
// the server says of itself, or 0, and most the largest prompt that it has answered whole.
// A server that drops a part fills half of its window or more. Truncated reports false if the
// bill is less than that: the server leaves out what it had cached.
func Truncated(p Prompt, window int, most Prompt) (Learned, bool) {
	const least, slack = 512, 128 // half of the smallest window; what a server keeps of the beginning
	switch {
	case p.Billed < least || 2*p.Billed < max(window, most.Billed)-slack || window > 0 && p.Billed > window:
		return Learned{}, false
	case window > 0: // so our count is too light
		return Learned{Limit: p.Weighed * 3 / 4, Ratio: 1 / margin, Asked: window}, true
	}
	l := Learned{Limit: p.Billed, Ratio: 1 / margin}
	return l.atLeast(most), true
}

// aboutTokens reports whether an error without figures is about tokens, not bytes.
func aboutTokens(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "context") || strings.Contains(message, "token")
}

func abs(x float64) float64 { return max(x, -x) }

// Line returns the line for a conversation in our tokens, where known is the line
// without what was learned. A server that counts prompts only needs no reserve, if it
// is known to have a window for the answer: an unknown model, or a server that told its
// window, writes into the same one.
func (l Learned) Line(c plimsoll.Conversation, known plimsoll.Line) plimsoll.Line {
	ours := int(float64(l.Limit) / l.Ratio)
	if l.Output {
		return plimsoll.Line{Window: ours, Reserve: min(max(c.MaxOutput, known.Reserve), ours/2)}
	}
	if known.Window >= Unbounded || l.Asked > 0 {
		return plimsoll.Line{Window: ours, Reserve: fit.ReserveFor(ours, c.MaxOutput, true)}
	}
	return plimsoll.Line{Window: ours}
}

// atLeast raises a limit to a prompt that was answered.
func (l Learned) atLeast(p Prompt) Learned {
	if p.Billed <= l.Limit {
		return l
	}
	l.Limit = p.Billed
	if p.Weighed > 0 {
		// The next prompt of the same weight may have more tokens than this one.
		l.Ratio = min(mostRatio/margin, max(l.Ratio, float64(p.Billed)/float64(p.Weighed)/margin))
	}
	return l
}

// Believable reports whether the overflow of a request says something about its model:
// all of the conversation can be weighed, and the error quotes nothing of the body.
func Believable(o wire.Overflow, c plimsoll.Conversation, body []byte) bool {
	return Weighable(c) && !echoes(body, o.Words)
}

// Weighable reports whether everything in a conversation can be weighed: no files that
// the server has, and no parts that are unknown here.
func Weighable(c plimsoll.Conversation) bool {
	for i := range c.Messages.Len() {
		m := c.Messages.At(i)
		for j := range m.Parts.Len() {
			switch p := plimsoll.Peek(m, j).(type) {
			case plimsoll.Opaque:
				return false
			case plimsoll.Media:
				if p.URL != "" {
					return false
				}
			}
		}
	}
	return true
}

// echoes reports whether a request has the words by which an error was recognised. Then
// the error may quote them, and its figures may be the client's.
func echoes(body []byte, words string) bool {
	if words == "" {
		return false
	}
	in := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return err != io.EOF
		}
		if token.Kind() == '"' && strings.Contains(strings.ToLower(token.String()), words) {
			return true
		}
	}
}
