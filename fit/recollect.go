package fit

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/passage"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// A conversation that was cut is missing messages, and the newest question may need
// them. A recollection is a message directly before the question that quotes what
// matches it. Clients send the whole conversation with each request, so the keeper finds
// the missing messages in the request itself.
//
// A recollection is remembered under the prefix that ends with its question and under
// the set of messages that are missing before it. So later requests send the same bytes,
// another question at the same place gets its own, and a new cut begins without
// recollections.

// recollectName is the rung of edits and reports for recollections.
const recollectName = "recollect"

const (
	// recentRecollections is how many recollections a keeper has in memory.
	recentRecollections = 1 << 12
	// indexBytes is about how much memory the indexes of missing messages may take.
	indexBytes = 64 << 20
	// leastRecollection is the fewest tokens that are worth a message.
	leastRecollection = 60
	// mostRecollection is the most tokens of a recollection: more finds hardly more.
	mostRecollection = 1500
)

// recollectionVersion is the version of the stored form.
const recollectionVersion = 1

// recollection is what was put before one question.
type recollection struct {
	Version int `json:"version"`
	// Text of the message; empty means that there is none.
	Text string        `json:"text,omitempty"`
	Ref  *plimsoll.Ref `json:"ref,omitempty"`
	// Alone says that the recollections for earlier questions were withdrawn.
	Alone bool `json:"alone,omitempty"`
}

// recollected is what the draft has of recollections.
type recollected struct {
	// missing identifies the messages that are missing before the newest question.
	missing plimsoll.Digest
	placed  []plimsoll.InsertID
	// keys are those of the questions, newest first; known says which of them the keeper
	// has in memory.
	keys  []plimsoll.Digest
	known []*recollection
	// newest is what this walk has found for the newest question, nil if an earlier request
	// did. Its message is the last of those placed, by the edit at.
	newest *recollection
	at     plimsoll.Position
}

// recollectionBudget is the most tokens of a recollection under a limit; 0 if that has no
// room for one.
func recollectionBudget(limit int) int {
	if limit < 4*leastRecollection {
		return 0
	}
	return min(mostRecollection, max(limit/4, min(1000, limit/2)))
}

// recollect puts recollections into the draft: those that earlier requests had, and one
// for the newest question. If there is too little room, those for earlier questions go;
// if that is not enough and the walk may still cut, it sets w.crowded instead.
func (w *Work) recollect(ctx context.Context, mayCut bool) {
	crowded := w.crowded
	w.crowded = false
	if !w.k.options.Recollect || w.draft.Position() == 0 {
		return
	}
	questions := w.questions()
	if len(questions) == 0 {
		return
	}
	missing := w.missingBefore(questions[0])
	if len(w.recollected.placed) > 0 && w.recollected.missing == missing.id && !crowded {
		return
	}
	w.withdrawRecollections("other messages are missing now")
	// What is sent is under the high watermark, and never more than the original.
	room, saved := w.high-w.Load(), w.plan.Before.Total-w.Load()
	if missing.last < 0 || mayCut && room < 0 {
		return
	}
	r := recollected{missing: missing.id, keys: w.recollectionKeys(questions, missing)}
	r.known = w.rememberedRecollections(ctx, r.keys)
	r.keys = r.keys[:len(r.known)]
	all := slices.Clone(r.known)
	find := func(budget int) *recollection {
		ref := w.missingRef()
		return &recollection{
			Version: recollectionVersion, Ref: ref,
			Text: w.quote(missing, w.task.Conversation.Messages.At(questions[0]).Text(), ref, budget),
		}
	}
	if all[0] == nil {
		r.newest = find(min(saved, recollectionBudget(w.plan.Line.Limit())))
		all[0] = r.newest
	}
	need, older := w.weightOf(all[0]), 0
	for _, earlier := range all[1:] {
		older += w.weightOf(earlier)
	}
	if older > 0 && need+older > min(room, saved) { // all at once: each withdrawal invalidates the prompt cache
		all, r.newest = all[:1], &recollection{Version: recollectionVersion, Text: all[0].Text, Ref: all[0].Ref, Alone: true}
		all[0] = r.newest
	}
	if need > room {
		if mayCut && w.gainsRoom(room, need, r.known[0] != nil) {
			w.crowded = true
			return
		}
		again := &recollection{Version: recollectionVersion}
		if r.known[0] == nil {
			again = find(room)
		}
		again.Alone = all[0].Alone || r.known[0] != nil
		all[0], r.newest = again, again
	}
	w.placeRecollections(r, all, questions)
}

// recollectionKeys returns the keys of questions. Nothing is missing between them.
func (w *Work) recollectionKeys(questions []int, missing missingMessages) []plimsoll.Digest {
	keys := make([]plimsoll.Digest, len(questions))
	for i, q := range questions {
		keys[i] = link(w.task.chain()[q+1], missing.id)
	}
	return keys
}

// replayRecollections puts in what earlier requests had, and nothing else.
func (w *Work) replayRecollections(ctx context.Context) {
	questions := w.questions()
	if !w.k.options.Recollect || len(questions) == 0 {
		return
	}
	keys := w.recollectionKeys(questions, w.missingBefore(questions[0]))
	for i, r := range slices.Backward(w.rememberedRecollections(ctx, keys)) {
		if r != nil && r.Text != "" {
			_, _ = w.draft.Insert(questions[i], plimsoll.Say(plimsoll.User, w.named(r.Text, r.Ref)), plimsoll.Why{Rung: recollectName, Reason: replayReason, Ref: r.Ref}) // it was there before
		}
	}
}

// expectRecollection lowers the goal of a cut by what the newest question would bring back
// if all messages before it were missing, so that there is room for it after the cut.
func (w *Work) expectRecollection() {
	questions := w.questions()
	if !w.k.options.Recollect || w.Load() <= w.high || len(questions) == 0 || questions[0] == 0 {
		return
	}
	all := missingMessages{gone: slices.Repeat([]bool{true}, questions[0]), last: questions[0] - 1, id: plimsoll.Digest{1}}
	text := w.quote(all, w.task.Conversation.Messages.At(questions[0]).Text(), nil, recollectionBudget(w.plan.Line.Limit()))
	w.plan.Goal = min(w.plan.Goal, max(0, w.high-w.weightOf(&recollection{Text: text})))
}

// gainsRoom reports whether a cut would make much more room for a recollection. An
// earlier request of the turn may have had it: then it goes or stays whole.
func (w *Work) gainsRoom(room, need int, had bool) bool {
	w.plan.Goal = min(w.plan.Goal, w.high-need)
	if w.findFloor(false) != nil {
		return false
	}
	gain := w.high - w.plan.Goal
	return had && room < gain || 2*room < min(need, gain)
}

// placeRecollections puts the messages into the draft, the newest last. What an earlier
// request had is valid; verify checks the rest.
func (w *Work) placeRecollections(r recollected, all []*recollection, questions []int) {
	for i, one := range slices.Backward(all) {
		replayed := i > 0 || r.newest == nil
		if one == nil || one.Text == "" {
			continue
		}
		why := plimsoll.Why{Rung: recollectName, Reason: "for the newest question", Ref: one.Ref}
		if replayed {
			why.Reason = replayReason
		}
		before := w.Load()
		r.at = w.draft.Position()
		id, err := w.draft.Insert(questions[i], plimsoll.Say(plimsoll.User, w.named(one.Text, one.Ref)), why)
		if err != nil {
			continue
		}
		r.placed = append(r.placed, id)
		w.plan.Rungs = append(w.plan.Rungs, plimsoll.RungReport{Rung: recollectName, Edits: 1, Saved: before - w.Load(), Replayed: replayed})
		if replayed {
			w.markVerified()
		}
	}
	w.recollected = r
	if len(r.placed) == 0 {
		return
	}
	if w.reweigh(); w.plan.After.Total > w.high {
		w.takeBack("there is no room for it")
	}
}

// takeBack takes the recollection for the newest question out again, if this walk put it
// in, and reports whether it did.
func (w *Work) takeBack(why string) bool {
	r := &w.recollected
	if r.newest == nil || r.newest.Text == "" || len(r.placed) == 0 {
		return false
	}
	last := len(r.placed) - 1
	if at := w.draft.Position() - 1; at == r.at {
		w.rollback(at) // as if it had never been there
	} else if err := w.draft.Withdraw(r.placed[last], plimsoll.Why{Rung: recollectName, Reason: why}); err != nil {
		return false
	}
	r.placed, r.newest = r.placed[:last], &recollection{Version: recollectionVersion, Alone: r.newest.Alone}
	report := &w.plan.Rungs[slices.IndexFunc(w.plan.Rungs, func(p plimsoll.RungReport) bool { return p.Rung == recollectName && !p.Replayed })]
	report.Edits, report.Saved, report.Undone = 0, 0, why
	w.reweigh()
	return true
}

// withdrawRecollections takes all recollections out of the draft, before a cut.
func (w *Work) withdrawRecollections(reason string) {
	for _, id := range w.recollected.placed {
		_ = w.draft.Withdraw(id, plimsoll.Why{Rung: recollectName, Reason: reason}) // it stands: nothing else withdraws it
	}
	w.recollected = recollected{}
}

// missingMessages are messages of the original that the draft does not have.
type missingMessages struct {
	gone []bool
	// last is the last of them, -1 if there is none; id says which they are.
	last int
	id   plimsoll.Digest
}

// missingBefore finds the messages that are missing before original message q.
func (w *Work) missingBefore(q int) missingMessages {
	m := missingMessages{gone: slices.Repeat([]bool{true}, q), last: -1}
	for p := range w.draft.Placed() {
		if p.Original >= q {
			break
		} else if p.Original >= 0 {
			m.gone[p.Original] = false
		}
	}
	border := func(i int) {
		var at plimsoll.Digest
		binary.LittleEndian.PutUint64(at[:], uint64(i)+1)
		m.id = link(m.id, at)
	}
	for i := range m.gone {
		if m.gone[i] {
			m.last = i
		}
		if m.gone[i] != (i > 0 && m.gone[i-1]) {
			border(i)
		}
	}
	if m.last >= 0 && m.last == q-1 {
		border(q)
	}
	return m
}

// missingRef returns where all missing messages can be read, or nil.
func (w *Work) missingRef() *plimsoll.Ref {
	switch {
	case w.task.Archive == nil:
		return nil
	case w.checkpoint != nil && w.checkpoint.Ref != nil:
		return w.checkpoint.Ref
	}
	for _, e := range slices.Backward(w.draft.Edits()) {
		if e.Kind == plimsoll.EditDrop && e.Ref != nil {
			return e.Ref
		}
	}
	return nil
}

// questions returns the messages that open turns and may have recollections, newest
// first: the newest one, and those of the whole turns before it.
func (w *Work) questions() []int {
	var all []int
	turns := w.draft.Outline().Turns
	for i, turn := range slices.Backward(turns) {
		for m := turn.Start; m < turn.End; m++ {
			if _, here := w.draft.Message(m); !here && (i < len(turns)-1 || m == turn.User) {
				return all
			}
		}
		if turn.User >= 0 {
			all = append(all, turn.User)
		}
	}
	return all
}

// quote finds the passages of missing messages that a question needs. It returns the
// text of a recollection with at most budget tokens; empty if nothing matches.
func (w *Work) quote(missing missingMessages, question string, ref *plimsoll.Ref, budget int) string {
	heading := plimsoll.RecollectionOpening
	if ref != nil {
		heading += " Whole messages: " + refname.Ref + ref.ID
	}
	heading += "]\n"
	key := scoped{w.task.scope(), link(w.task.chain()[missing.last+1], missing.id)}
	index, ok := w.k.indexes.Get(key)
	if !ok {
		index = w.indexOf(missing)
		w.k.indexes.Put(key, index)
	}
	budget = int(float64(budget)*index.talk) - w.weightOf(&recollection{Text: heading})
	if budget < leastRecollection {
		return ""
	}
	found := index.Search(question, budget, w.Count)
	if found == "" {
		return ""
	}
	return heading + ownMarks.Replace(strings.TrimSuffix(found, "\n"))
}

// ownMarks changes what Plimsoll writes itself, so that no quotation is taken for it.
var ownMarks = strings.NewReplacer(plimsoll.ReceiptOpening, "(plimsoll: ", "<plimsoll_", "(plimsoll_", "</plimsoll_", "(/plimsoll_")

// missingIndex is an index of missing messages.
type missingIndex struct {
	*passage.Index
	// bytes is about what it takes of memory.
	bytes int
	// talk is the share of what was said in what is missing; the rest is calls and results
	// of tools. A recollection gets this share of its budget: an agent needs less of it.
	talk float64
}

// indexOf indexes missing messages. It copies what they say: the index must not hold the
// request in memory.
func (w *Work) indexOf(missing missingMessages) missingIndex {
	c := w.task.Conversation
	all := passage.Of(c, func(i int) bool { return i <= missing.last && missing.gone[i] })
	x, seen := missingIndex{talk: 1}, map[string]string{}
	once := func(s string) string {
		if _, ok := seen[s]; !ok {
			s = strings.Clone(s)
			seen[s] = s
		}
		return seen[s]
	}
	for i := range all {
		p := &all[i]
		p.Date, p.Speaker, p.Text = once(p.Date), once(p.Speaker), strings.Clone(p.Text)
		x.bytes += 128 + 4*len(p.Text)
	}
	x.Index = passage.NewIndex(all)
	tokens, tools := 0, 0
	for i, load := range w.plan.Before.Messages[:missing.last+1] {
		if !missing.gone[i] {
			continue
		}
		tokens += load.Tokens
		for j, n := range load.Parts {
			switch plimsoll.Peek(c.Messages.At(i), j).(type) {
			case plimsoll.ToolCall, plimsoll.ToolResult:
				tools += n
			}
		}
	}
	if tokens > 0 {
		x.talk = 1 - float64(tools)/float64(tokens)
	}
	return x
}

// weightOf is what the message of a recollection weighs.
func (w *Work) weightOf(r *recollection) int {
	if r == nil || r.Text == "" {
		return 0
	}
	return w.k.options.Meter.WeighMessage(w.task.Conversation, plimsoll.Say(plimsoll.User, w.named(r.Text, r.Ref)), 0).Tokens
}

// rememberedRecollections returns what earlier requests had for the questions of the
// keys, newest first; nil where that is unknown. The list ends with one that stands
// alone.
func (w *Work) rememberedRecollections(ctx context.Context, keys []plimsoll.Digest) []*recollection {
	found := make([]*recollection, len(keys))
	if !w.k.options.Sticky {
		return found
	}
	var unknown []plimsoll.Digest
	for i, key := range keys {
		r, ok := w.k.recollections.Get(scoped{w.task.scope(), key})
		if !ok {
			unknown = append(unknown, key)
			continue
		}
		if found[i] = r; r.Alone {
			break
		}
	}
	memory := w.task.Memory
	for memory != nil && len(unknown) > 0 {
		d, err := memory.Recall(ctx, unknown)
		if err != nil {
			if !errors.Is(err, plimsoll.ErrNotFound) {
				w.plan.Degraded = fmt.Sprintf("memory: %v", err)
			}
			break
		}
		r := &recollection{}
		if json.Unmarshal(d.Body, r) != nil || r.Version != recollectionVersion {
			break
		}
		i := slices.Index(keys, d.Key)
		found[i] = r
		w.k.recollections.Put(scoped{w.task.scope(), d.Key}, r)
		if unknown = unknown[slices.Index(unknown, d.Key)+1:]; r.Alone {
			break
		}
	}
	if alone := slices.IndexFunc(found, func(r *recollection) bool { return r != nil && r.Alone }); alone >= 0 {
		return found[:alone+1]
	}
	return found
}

// rememberRecollections keeps what this walk has found for later requests.
func (w *Work) rememberRecollections(ctx context.Context) {
	r := &w.recollected
	if !w.k.options.Sticky || len(r.keys) == 0 {
		return
	}
	none := &recollection{Version: recollectionVersion}
	for i, key := range r.keys { // what is not there need not be looked for again
		if r.known[i] == nil {
			w.k.recollections.Put(scoped{w.task.scope(), key}, none)
		}
	}
	if r.newest == nil {
		return
	}
	w.k.recollections.Put(scoped{w.task.scope(), r.keys[0]}, r.newest)
	memory := w.task.Memory
	if memory == nil || r.newest.Text == "" && !r.newest.Alone {
		return
	}
	body, err := json.Marshal(r.newest)
	if err == nil {
		d := Decision{Key: r.keys[0], Body: body, Conversation: w.task.account()}
		if r.newest.Ref != nil {
			d.Refs = []string{r.newest.Ref.ID}
		}
		err = memory.Remember(ctx, d)
	}
	if err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
}
