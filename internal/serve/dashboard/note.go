package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// note is what is remembered of one request. Nothing in it is a part of the request
// itself, so that no body is held by it.
type note struct {
	// key names the conversation in addresses.
	key, account string
	tenant       string
	owner        *store.Tenant
	dialect      string
	model        string
	upstream     string
	request      request
	// cuts are those that were not known before, ids those of all their edits.
	cuts []shownCut
	ids  []uint64
}

// request is one request of a conversation.
type request struct {
	N        int
	At       time.Time
	Took     time.Duration
	Manage   time.Duration
	Decision transport.Decision
	Status   int
	// Before and After are the loads, Limit the load line and Window what it is a part
	// of; 0 where they are not known.
	Before, After, Limit, Window int
	Exact                        bool
	Band                         int
	Usage                        plimsoll.Usage
	Billed                       bool
	Edits, New, Rounds           int
	Rescued                      bool
	Rungs                        []plimsoll.RungReport
	Warning, Failure             string
	// Summary is what the client paid for summaries; empty if nothing.
	Summary string
}

// shownCut is an edit, or a run of messages that were taken out for one reason.
type shownCut struct {
	Kind   plimsoll.EditKind
	Rung   string
	Reason string
	// Message and Until are the first and the last message, Part is -1 for all of it.
	Message, Until, Part int
	Ref                  *plimsoll.Ref
	Saved                int
	// Role of the message, and what it is About in a few words.
	Role, About string
	// Instead is what the model got, in its first bytes; More says that there is more.
	Instead string
	More    bool
	// Request is the number of the one in which it was new.
	Request int
}

const (
	// maxCuts is how many cuts of a request are looked at, maxAbout and maxInstead how
	// many bytes of a text are kept.
	maxCuts    = 400
	maxAbout   = 160
	maxInstead = 2 << 10
	// maxName bounds names that clients choose.
	maxName = 200
)

// keyOf names a conversation in addresses: clients may call theirs anything.
func keyOf(tenant, account string) string {
	sum := sha256.Sum256([]byte(tenant + "\x00" + account))
	return hex.EncodeToString(sum[:8])
}

// labelOf names a tenant as exchanges do.
func labelOf(t *store.Tenant) string {
	return t.Key()[:16]
}

// newNote takes from a request what is remembered. Known reports whether an edit of a
// conversation was taken in before.
func newNote(s transport.Event, known func(key string, ids []uint64) []bool) note {
	n := note{
		account: clip(s.Account, maxName), tenant: s.Tenant, owner: s.Owner, dialect: string(s.Dialect),
		model: clip(s.Model, maxName), upstream: clip(s.Upstream, maxName), request: requestOf(s.Exchange),
	}
	n.key = keyOf(n.tenant, n.account)
	if s.Plan == nil || len(s.Plan.Edits) == 0 || s.Decision == transport.DryRun {
		return n
	}
	edits := s.Plan.Edits
	ids := make([]uint64, len(edits))
	for i, e := range edits {
		ids[i] = idOf(e)
	}
	drawn := sketch{draft: s.Plan.Draft}
	for i, was := range known(n.key, ids) {
		if !was && len(n.cuts) < maxCuts {
			n.cuts = drawn.add(n.cuts, edits[i])
			n.ids = append(n.ids, ids[i])
		}
	}
	return n
}

// seed is that of the names of edits, which are known in this process alone.
var seed = maphash.MakeSeed()

// idOf tells edits of a conversation apart.
func idOf(e plimsoll.Edit) uint64 {
	id := struct {
		kind          plimsoll.EditKind
		ref           string
		message, part int
	}{kind: e.Kind, message: e.Message, part: e.Part}
	if e.Ref != nil {
		id.ref = e.Ref.ID
	}
	return maphash.Comparable(seed, id)
}

func requestOf(x transport.Exchange) request {
	r := request{
		At: x.Start, Took: max(0, x.End.Sub(x.Start)), Manage: x.Manage, Decision: x.Decision, Status: x.Status,
		Before: x.Before.Total, After: x.After.Total, Exact: x.After.Exact, Band: x.After.Band,
		Usage: x.Usage, Billed: x.Billed, Edits: x.Edits, New: x.New, Rounds: x.Rounds, Rescued: x.Rescued,
		Warning: clip(x.Warning, 2*maxName),
	}
	if x.Summary.Model != "" {
		r.Summary = clip(x.Summary.String(), 2*maxName)
	}
	line := x.Line
	if line.Window > 0 && line.Window < report.Unbounded {
		r.Limit, r.Window = line.Limit(), line.Window
	}
	for _, rung := range x.Rungs {
		if rung.Edits > 0 || rung.Undone != "" || rung.Skipped != "" {
			rung.Undone = clip(rung.Undone, maxName)
			r.Rungs = append(r.Rungs, rung)
		}
	}
	if x.Err != nil {
		r.Failure = clip(x.Err.Error(), 2*maxName)
	}
	return r
}

// sketch draws cuts from a draft, which is only read.
type sketch struct{ draft *plimsoll.Draft }

// add appends an edit, or lets the run before it grow by it.
func (s sketch) add(cuts []shownCut, e plimsoll.Edit) []shownCut {
	reason := clip(e.Reason, maxName)
	if n := len(cuts); n > 0 && e.Kind == plimsoll.EditDrop {
		last := &cuts[n-1]
		if last.Kind == e.Kind && last.Until == e.Message-1 && last.Rung == e.Rung && last.Reason == reason && sameRef(last.Ref, e.Ref) {
			last.Until, last.Saved = e.Message, last.Saved+e.Saved
			return cuts
		}
	}
	c := shownCut{
		Kind: e.Kind, Rung: strings.Clone(e.Rung), Reason: reason, Message: e.Message, Until: e.Message,
		Part: e.Part, Ref: cloneRef(e.Ref), Saved: e.Saved,
	}
	s.describe(&c)
	return append(cuts, c)
}

func sameRef(a, b *plimsoll.Ref) bool { return a == b || a != nil && b != nil && a.ID == b.ID }

func cloneRef(r *plimsoll.Ref) *plimsoll.Ref {
	if r == nil {
		return nil
	}
	return &plimsoll.Ref{ID: strings.Clone(r.ID), Bytes: r.Bytes, Lines: r.Lines}
}

// describe says what was there and what is there now.
func (s sketch) describe(c *shownCut) {
	messages := s.draft.Original().Messages
	if c.Kind == plimsoll.EditInsert {
		s.inserted(c)
		return
	}
	if c.Message < 0 || c.Message >= messages.Len() {
		return
	}
	m := messages.At(c.Message)
	c.Role = clip(string(m.Role), maxName)
	if c.Part < 0 || c.Part >= m.Parts.Len() {
		c.About = s.about(c.Message, m.Parts)
		return
	}
	c.About = s.aboutPart(c.Message, m.Parts.At(c.Part))
	if now, ok := s.draft.Part(plimsoll.PartRef{Message: c.Message, Part: c.Part}); ok {
		if result, ok := now.(plimsoll.ToolResult); ok {
			c.instead(plimsoll.TextOf(result.Content))
		}
	}
}

// inserted finds the message that was put in.
func (s sketch) inserted(c *shownCut) {
	for _, in := range s.draft.Inserted() {
		if in.Before == c.Message && in.Why.Rung == c.Rung {
			c.Role = clip(string(in.Message.Role), maxName)
			c.instead(in.Message.Text())
			return
		}
	}
}

func (c *shownCut) instead(text string) {
	c.Instead = clipped(text, maxInstead)
	c.More = len(c.Instead) < len(text)
}

// about says what the first part of a message is that says anything.
func (s sketch) about(message int, parts plimsoll.List[plimsoll.Part]) string {
	for _, p := range parts.All() {
		if text := s.aboutPart(message, p); text != "" {
			return text
		}
	}
	return ""
}

func (s sketch) aboutPart(message int, p plimsoll.Part) string {
	switch p := p.(type) {
	case plimsoll.Text:
		return clip(p.Text, maxAbout)
	case plimsoll.ToolCall:
		return aboutCall(p)
	case plimsoll.ToolResult:
		if call, ok := s.callOf(message, p.CallID); ok {
			return aboutCall(call)
		}
		return clip(p.Name, maxAbout)
	case plimsoll.Reasoning:
		return "thinking"
	case plimsoll.Media:
		return clip(string(p.Kind), maxAbout)
	}
	return ""
}

// aboutCall names a tool and what it was asked, without the names of the arguments where
// those are words and numbers.
func aboutCall(c plimsoll.ToolCall) string {
	const most = 4 << 10
	text := clipped(c.Arguments, most)
	if values, ok := valuesOf(text); ok {
		text = values
	}
	return clip(c.Name+" "+text, maxAbout)
}

// valuesOf joins the values of a flat object, in order.
func valuesOf(object string) (string, bool) {
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return "", false
	}
	var values []string
	for d.More() {
		_, err := d.Token()
		if err != nil {
			return "", false
		}
		value, err := d.Token()
		if _, nested := value.(json.Delim); nested || err != nil {
			return "", false
		}
		values = append(values, fmt.Sprint(value))
	}
	return strings.Join(values, " "), len(values) > 0
}

// callReach is how many messages back the call of a result is looked for.
const callReach = 64

func (s sketch) callOf(message int, id string) (plimsoll.ToolCall, bool) {
	messages := s.draft.Original().Messages
	for i := message; id != "" && i >= max(0, message-callReach); i-- {
		for _, p := range messages.At(i).Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok && call.ID == id {
				return call, true
			}
		}
	}
	return plimsoll.ToolCall{}, false
}

// clip returns the beginning of a text as one line of its own, with dots where it was
// cut.
func clip(text string, bytes int) string {
	short := clipped(text, bytes)
	if len(short) < len(text) {
		short += "…"
	}
	return strings.Join(strings.Fields(short), " ")
}

// clipped returns at most so many bytes of a text, as a copy, in whole characters.
func clipped(text string, bytes int) string {
	if len(text) > bytes {
		for bytes > 0 && !utf8.RuneStart(text[bytes]) {
			bytes--
		}
		text = text[:bytes]
	}
	return strings.ToValidUTF8(strings.Clone(text), "\uFFFD")
}
