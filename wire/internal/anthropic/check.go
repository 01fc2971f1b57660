package anthropic

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// The rules that only this API has.
const (
	// RuleMarks: too many cache marks, in the wrong order, or where none may be.
	RuleMarks = "cache marks"
	// RuleID: ids of calls must be unique and of letters, digits, _ and -.
	RuleID = "call id"
	// RuleBlock: a content block that lacks what its type asks for.
	RuleBlock = "content block"
)

// Check knows what the Messages API refuses, as its documentation and its error
// messages say.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	k := &checker{w: w, r: r, c: r.Conversation(), found: found}
	build.CheckPairs(r, found, "a call must have its result in the message behind it")
	if k.c.Messages.Len() == 0 {
		found.Add(wire.RuleEmpty, -1, -1, "messages is empty")
		return
	}
	k.readRuns()
	k.roles()
	k.contents()
	k.pairs()
	k.ids()
	k.serverTools()
	k.reasoning()
	k.cacheMarks()
	k.pictures()
}

// checker gathers violations. Messages of one role in a row are one to the API.
type checker struct {
	w     *writer
	c     plimsoll.Conversation
	r     *wire.Request
	runs  []run
	found *wire.Violations
}

// run is a span of messages with one role.
type run struct{ start, end int }

func (k *checker) role(i int) plimsoll.Role { return k.c.Messages.At(i).Role }

func (k *checker) readRuns() {
	for i, m := range k.c.Messages.All() {
		if i == 0 || m.Role != k.role(i-1) {
			k.runs = append(k.runs, run{start: i})
		}
		k.runs[len(k.runs)-1].end = i + 1
	}
}

// runOf returns the index of the run that a message is in.
func (k *checker) runOf(message int) int {
	r, _ := slices.BinarySearchFunc(k.runs, message, func(r run, message int) int { return cmp.Compare(r.end-1, message) })
	return r
}

// roleOf returns the role of a run, or none if there is no such run.
func (k *checker) roleOf(run int) plimsoll.Role {
	if run < 0 || run >= len(k.runs) {
		return ""
	}
	return k.role(k.runs[run].start)
}

func (k *checker) roles() {
	for i, m := range k.c.Messages.All() {
		switch m.Role {
		case plimsoll.User, plimsoll.Assistant, plimsoll.System:
		default:
			k.found.Add(wire.RuleRole, i, -1, "no role is called ", build.Clip(string(m.Role)))
		}
	}
	for run := range k.runs {
		if k.roleOf(run) == plimsoll.System {
			k.instructions(run, k.runs[run])
		}
	}
}

// instructions checks the place of system turns: right behind a user's message,
// or an assistant's that ends in a server tool, and before the assistant speaks.
func (k *checker) instructions(run int, span run) {
	before := k.roleOf(run - 1)
	if before == plimsoll.Assistant {
		switch k.last(k.runs[run-1]).kind {
		case blockServerCall, blockServerResult:
			before = plimsoll.User
		}
	}
	if before != plimsoll.User {
		k.found.Add(wire.RuleOrder, span.start, -1, "a system turn must follow a user's message")
	}
	if after := k.roleOf(run + 1); after != "" && after != plimsoll.Assistant {
		k.found.Add(wire.RuleOrder, span.end-1, -1, "a system turn must be the last message or stand before the assistant's")
	}
}

// last returns the last block of a run.
func (k *checker) last(r run) trait {
	for i := r.end - 1; i >= r.start; i-- {
		if blocks := k.w.blocks(i); len(blocks) > 0 {
			return blocks[len(blocks)-1]
		}
	}
	return trait{}
}

func (k *checker) contents() {
	end := len(k.w.turns) - 1
	for i, t := range k.w.turns {
		blocks := k.w.blocks(i)
		optional := i == end && k.role(i) == plimsoll.Assistant || t.configured
		if len(blocks) == 0 && !optional {
			k.found.Add(wire.RuleEmpty, i, -1, "the message has no content")
		}
		for j, b := range blocks {
			blank := b.flaw == flawBlank && k.role(i) == plimsoll.Assistant && len(blocks) > 1
			if blank || (b.flaw == flawBlank || b.flaw == flawEmpty) && len(blocks) == 1 && optional {
				continue
			}
			k.block(i, j, b)
		}
	}
	if k.role(end) == plimsoll.Assistant {
		k.ending(end)
	}
}

func (k *checker) block(i, j int, b trait) {
	switch b.flaw {
	case flawBlank, flawEmpty:
		k.found.Add(wire.RuleEmpty, i, j, "a text must have more than white space")
	case flawEmptyInside:
		k.found.Add(wire.RuleEmpty, i, j, "a text inside the result is empty")
	case flawEmptyError:
		k.found.Add(wire.RuleEmpty, i, j, "a result that is an error must say something")
	case flawInput:
		k.found.Add(RuleBlock, i, j, "the input of a call must be an object")
	case flawType:
		k.found.Add(RuleBlock, i, j, "a block must have a type")
	}
	switch b.kind {
	case blockCall, blockThinking, blockServerCall, blockServerResult:
		if k.role(i) != plimsoll.Assistant {
			k.found.Add(wire.RuleRole, i, j, "only the assistant thinks and calls tools")
		}
	case blockResult:
		if k.role(i) != plimsoll.User {
			k.found.Add(wire.RuleRole, i, j, "results stand in the user's messages")
		}
	}
}

// ending checks an answer that the model is to go on with. Newer models take none, unless
// it waits for a tool that runs on the provider's side.
func (k *checker) ending(i int) {
	blocks := k.w.blocks(i)
	j := len(blocks) - 1
	if kind := k.last(k.runs[len(k.runs)-1]).kind; kind != blockServerCall && kind != blockServerResult && refusesPrefill(k.c.Model) {
		k.found.Add(wire.RuleOrder, i, -1, "for this model the last message must be the user's")
		return
	}
	if j < 0 || blocks[j].kind != blockText || blocks[j].flaw != flawNone {
		return
	}
	text := k.c.Messages.At(i).Parts.At(j).(plimsoll.Text).Text
	if strings.TrimRightFunc(text, unicode.IsSpace) != text {
		k.found.Add(wire.RuleEmpty, i, j, "the text of a last message from the assistant must not end in white space")
	}
}

// claudeVersion finds the version in the names that providers give Claude's models:
// claude-sonnet-4-5-20250929, anthropic.claude-opus-4-6-v1, anthropic/claude-haiku-4.5.
var claudeVersion = regexp.MustCompile(`claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

// refusesPrefill reports a model since 4.6. Those accept no message of the assistant at the
// end, as the guide for migration to 4.6 says.
func refusesPrefill(model string) bool {
	v := claudeVersion.FindStringSubmatch(model)
	if v == nil {
		return false
	}
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	return major > 4 || major == 4 && minor >= 6
}

// pairs checks that results stand in the user's message right behind their calls,
// before anything else in it.
func (k *checker) pairs() {
	for _, p := range k.r.Outline().Pairs {
		if k.runOf(p.Result.Message) != k.runOf(p.Call.Message)+1 {
			k.found.Add(wire.RuleOrder, p.Result.Message, p.Result.Part, "results must stand in the message right behind their calls")
		}
	}
	for run := range k.runs {
		switch k.roleOf(run) {
		case plimsoll.User:
			k.resultsFirst(k.runs[run])
		case plimsoll.Assistant:
			k.callsLast(k.runs[run])
		}
	}
}

// callsLast lets no text follow a call: the API then misses the result "immediately
// after". Calls of the provider's own tools may stand there.
func (k *checker) callsLast(r run) {
	called := false
	for i := r.start; i < r.end; i++ {
		for j, b := range k.w.blocks(i) {
			if b.kind == blockText && called {
				k.found.Add(wire.RuleOrder, i, j, "no text may follow a call in the assistant's message")
			}
			called = called || b.kind == blockCall
		}
	}
}

func (k *checker) resultsFirst(r run) {
	other := false
	for i := r.start; i < r.end; i++ {
		for j, b := range k.w.blocks(i) {
			if b.kind == blockResult && other {
				k.found.Add(wire.RuleOrder, i, j, "results must stand before everything else in the user's message")
			}
			other = other || b.kind != blockResult
		}
	}
}

// ids checks the ids of calls. One may come again in a later message of the assistant.
func (k *checker) ids() {
	seen, run := map[string]bool{}, 0
	k.each(func(i, j int, b trait) {
		if i >= k.runs[run].end {
			run = k.runOf(i)
			clear(seen)
		}
		if b.kind != blockCall {
			return
		}
		id := plimsoll.Peek(k.c.Messages.At(i), j).(plimsoll.ToolCall).ID
		switch {
		case seen[id]:
			k.found.Add(RuleID, i, j, "the id ", build.Clip(id), " is there twice")
		case id == "" || strings.ContainsFunc(id, notInID):
			k.found.Add(RuleID, i, j, "an id must be of letters, digits, _ and -")
		}
		seen[id] = true
	})
}

func notInID(r rune) bool {
	return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// each goes through all blocks.
func (k *checker) each(visit func(i, j int, b trait)) {
	for i := range k.w.turns {
		for j, b := range k.w.blocks(i) {
			visit(i, j, b)
		}
	}
}

func (k *checker) cacheMarks() {
	all := k.w.marks.all()
	if len(all) > maxMarks {
		k.found.Add(RuleMarks, -1, -1, "there may be at most 4 cache marks")
	}
	minutes := false
	for _, m := range all {
		if m.hour && minutes {
			k.found.Add(RuleMarks, m.at.Message, m.at.Part, "a mark of an hour must not come behind one of five minutes")
		}
		minutes = minutes || !m.hour
	}
	for _, m := range k.w.marks.messages {
		if b := k.w.blocks(m.at.Message)[m.at.Part]; b.kind == blockThinking || b.flaw == flawBlank || b.flaw == flawEmpty {
			k.found.Add(RuleMarks, m.at.Message, m.at.Part, "neither thinking nor an empty text can have a cache mark")
		}
	}
}

// pictures lets none stand elsewhere at Bedrock, which takes only base64, as Anthropic's
// guide to pictures says.
func (k *checker) pictures() {
	bedrock := false
	for key, value := range k.r.Members() {
		bedrock = bedrock || key == "anthropic_version" && bytes.HasPrefix(value, []byte(`"bedrock-`))
	}
	if !bedrock {
		return
	}
	k.each(func(i, j int, b trait) {
		if b.kind != blockMedia {
			return
		}
		if m := plimsoll.Peek(k.c.Messages.At(i), j).(plimsoll.Media); m.Kind == plimsoll.Image && m.URL != "" {
			k.found.Add(RuleBlock, i, j, "Bedrock takes only pictures in base64")
		}
	})
}
