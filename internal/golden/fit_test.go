package golden_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// variant is a preset with a change.
type variant struct {
	name, preset string
	options      preset.Options
	// story is the one that it is tried on; empty means all.
	story string
	// tune changes what the preset made.
	tune func(*fit.Options)
	// task changes what request n, from 0, is asked for with.
	task func(n int, t *fit.Task)
	// learns is how many times what it weighs the meter is told that everything was
	// billed; 0 means that it does not learn.
	learns float64
	// forgetful says that each request has a keeper of its own, on the same store.
	forgetful bool
	// compact says that the second request is compacted by hand, and that this is
	// undone before the third.
	compact bool
}

func variants() []variant {
	var all []variant
	for _, name := range preset.Names() {
		all = append(all, variant{name: name, preset: name})
	}
	last := -1
	quay := regexp.MustCompile("day0[01]|Question 1|Read the log")
	offer := func(t *fit.Task) { t.Offer = expand.Tools() }
	all = append(all,
		variant{name: "auto with tools to offer", story: "the harbour session", task: func(_ int, t *fit.Task) { offer(t) }},
		variant{name: "auto with pins", story: "old outputs", options: preset.Options{Pins: []fit.Pin{{Match: quay}, {Index: &last}}}},
		variant{name: "multichat with pins", preset: preset.NameMultichat, story: "a long chat without tools", options: preset.Options{Pins: []fit.Pin{{Match: quay}}}},
		variant{name: "auto with a pinned tool", story: "repeated and superseded reads", options: preset.Options{Pins: []fit.Pin{{Tool: "run"}}}},
		variant{name: "auto with pins over the limit", story: "a long chat without tools", options: preset.Options{Pins: []fit.Pin{{Role: plimsoll.Assistant}}}},
		variant{name: "auto with a reserve and marks", story: "old outputs", options: preset.Options{Reserve: new(300), Marks: fit.Watermarks{High: 0.9, Low: 0.5}}},
		variant{name: "auto without an archive", story: "large outputs", tune: func(o *fit.Options) { o.Archive = nil }},
		variant{name: "auto with tools to offer", story: "large outputs", task: func(_ int, t *fit.Task) { offer(t) }},
		variant{name: "auto with tools offered always", story: "grows over its line", task: func(_ int, t *fit.Task) { offer(t); t.OfferAlways = true }},
		variant{name: "auto with tools from the second request on", story: "old outputs", task: func(n int, t *fit.Task) {
			if n > 0 {
				offer(t)
			}
		}},
		variant{name: "auto with small views", story: "large outputs", options: preset.Options{Outputs: preset.Outputs{MaxBytes: 1500, MaxLine: 40}}},
		variant{name: "agent with small views", preset: preset.NameAgent, story: "large outputs", options: preset.Options{Outputs: preset.Outputs{MaxBytes: 1500, MaxLine: 40}}},
		variant{name: "agent with a budget", preset: preset.NameAgent, story: "old outputs", options: preset.Options{Outputs: preset.Outputs{Budget: 500}}},
		variant{name: "auto without outputs", story: "old outputs", options: preset.Options{Outputs: preset.Outputs{Off: true}}},
		variant{name: "auto with a meter that learns of larger bills", story: "old outputs", learns: 1.5},
		variant{name: "auto with a meter that learns of smaller bills", story: "old outputs", learns: 0.6},
		variant{name: "auto with a meter that learns of smaller bills", story: "a long chat without tools", learns: 0.6},
		variant{name: "auto in several processes", story: "old outputs", forgetful: true},
		variant{name: "auto in several processes", story: "a long chat without tools", forgetful: true},
	)
	for _, policy := range []string{preset.PolicyRent, preset.PolicyThreshold, preset.PolicyEveryTurn, preset.PolicyOff} {
		all = append(all, variant{name: "auto with policy " + policy, story: "grows over its line", options: preset.Options{Policy: policy, Window: 2200}})
	}
	for _, method := range []string{preset.MethodWindow, preset.MethodSummary, preset.MethodHybrid} {
		all = append(all,
			variant{name: "auto by " + method, story: "a long chat without tools", options: preset.Options{Method: method}},
			variant{name: "multichat by " + method, preset: preset.NameMultichat, story: "one turn of many rounds", options: preset.Options{Method: method}})
	}
	for _, name := range []string{preset.NameAuto, preset.NameAgent, preset.NameGemini} {
		all = append(all, variant{name: name + " compacted by hand and undone", preset: name, story: "a long chat without tools", options: preset.Options{Window: 3000}, compact: true})
	}
	return all
}

func TestWhatIsPlannedAndSentStaysAsItIs(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	names := map[string]bool{}
	t.Run("cases", func(t *testing.T) {
		for _, v := range variants() {
			for _, st := range stories(t) {
				if v.story != "" && v.story != st.name {
					continue
				}
				for _, d := range dialects.All() {
					if st.noIDs && d != plimsoll.Gemini && d != plimsoll.Ollama {
						continue
					}
					name := strings.ReplaceAll(fmt.Sprintf("%s, %s, %s", st.name, v.name, d), " ", "-")
					if names[name] {
						t.Fatalf("two cases are called %s", name)
					}
					names[name] = true
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						run := &fitRun{t: t, variant: v, dialect: d, window: st.window, tenant: s.Tenant(name)}
						run.all(st)
						run.compare(t, "fit", name)
					})
				}
			}
		}
	})
	complete(t, "fit", names)
}

// fixedSecret makes references the same in every store.
type fixedSecret struct{ store.Backend }

func (fixedSecret) Secret(context.Context) ([32]byte, error) { return [32]byte{1, 2, 3}, nil }

// noon is when everything happens.
var noon = time.Date(2026, 10, 14, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func newStore(t *testing.T) *store.Store {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), &sqlite.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), fixedSecret{backend}, &store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// fitRun is one conversation of three requests.
type fitRun struct {
	record
	variant
	t       *testing.T
	dialect plimsoll.Dialect
	window  int
	tenant  *store.Tenant
	keeper  *fit.Keeper
	meter   *token.Meter
	// n counts the requests.
	n int
	// last are the messages that were sent before, beside what was sent with them.
	last   []string
	beside map[string]json.RawMessage
	// reference is that of the newest checkpoint.
	reference string
}

func (r *fitRun) all(s story) {
	c := s.conversation
	for n := range 3 {
		if n > 0 {
			c.messages = slices.Concat(c.messages, s.next[n-1])
		}
		if r.keeper == nil || r.forgetful {
			r.newKeeper()
		}
		r.n = n
		r.request(c.body(r.t, r.dialect, false))
	}
}

func (r *fitRun) newKeeper() {
	o := r.options
	o.Model, o.Archive, o.Memory = models[r.dialect], r.tenant, r.tenant.Memory()
	o.Window = cmp.Or(o.Window, r.window)
	if r.learns != 0 {
		r.meter = token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
		o.Meter = r.meter
	}
	made, err := preset.Named(r.preset, &o)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.tune != nil {
		r.tune(made)
	}
	made.Now = func() time.Time { return noon.Add(time.Duration(r.n) * time.Minute) }
	if r.keeper, err = fit.New(made); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.keeper.Close() })
}

// request fits one request and writes down what is sent.
func (r *fitRun) request(body []byte) {
	r.named("request", digest(body))
	request, err := dialects.Codec(r.dialect).Decode(body)
	if err != nil {
		r.t.Fatal(err)
	}
	task := preset.Task(request, preset.Client{})
	task.Conversation.Model, task.Scope = models[r.dialect], fit.Scope{Tenant: r.t.Name()}
	if r.variant.task != nil {
		r.variant.task(r.n, &task)
	}
	plan, err := r.fit(task)
	if err != nil {
		r.failed(err)
		return
	}
	r.plan(plan)
	sent := body
	if plan.Changed() {
		if sent, err = request.Encode(plan.Draft); err != nil {
			r.t.Fatal(err)
		}
	}
	r.sent(body, sent)
	usage := plimsoll.Usage{Input: plan.After.Total * 11 / 10, Output: 10}
	if err := r.keeper.Observe(r.t.Context(), task, plan, usage); err != nil {
		r.t.Fatal(err)
	}
	if r.learns != 0 {
		r.learn()
	}
	if account, ok := r.keeper.AccountOf(task); ok && r.n == 2 {
		r.named("account", string(encode(r.t, account)))
	}
}

// learn tells the meter what another conversation was billed while it grew.
func (r *fitRun) learn() {
	for i := range 8 {
		c := plimsoll.Conversation{Dialect: r.dialect, Model: models[r.dialect], Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, prose(999, 500*(i+1))))}
		r.meter.Observe(fmt.Sprint("other ", r.n), c, plimsoll.Usage{Input: int(r.learns * float64(r.meter.Weigh(c).Total))})
	}
}

// fit does what is due: a plan without effect first, which must say the same.
func (r *fitRun) fit(task fit.Task) (*plimsoll.Plan, error) {
	ctx := r.t.Context()
	switch {
	case r.compact && r.n == 1:
		made, err := r.keeper.Compact(ctx, task, fit.CompactOptions{Force: true})
		if err != nil {
			return nil, err
		}
		r.named("compaction", fmt.Sprintf("%s, %s, %d tokens before, %d after", made.Status, cmp.Or(made.Reason, "for no other reason"), made.Before, made.After))
		return made.Plan, nil
	case r.compact && r.n == 2:
		if _, err := r.keeper.Undo(ctx, task, r.reference); err != nil {
			r.named("undo", err.Error())
		}
	}
	foreseen, err := r.keeper.Plan(ctx, task)
	plan, fitErr := r.keeper.Fit(ctx, task)
	if (err == nil) != (fitErr == nil) {
		r.t.Errorf("request %d: the plan's error is %v, the error of making fit %v", r.n+1, err, fitErr)
	}
	if err == nil && fitErr == nil && foreseen.After.Total != plan.After.Total {
		r.t.Errorf("request %d: %d tokens are planned, %d are sent", r.n+1, foreseen.After.Total, plan.After.Total)
	}
	return plan, fitErr
}

func (r *fitRun) named(name, text string) { r.section(fmt.Sprintf("%d %s", r.n+1, name), text) }

func (r *fitRun) failed(err error) {
	text := err.Error()
	var over *plimsoll.OverloadError
	if errors.As(err, &over) {
		text += "\n" + string(encode(r.t, over))
	}
	r.named("error", text)
}

// plan writes the plan. Edits are in order of their places, and those that are alike
// but for the message and what they save are together. Reports have a section of their
// own.
func (r *fitRun) plan(p *plimsoll.Plan) {
	for _, e := range p.Edits {
		if e.Ref != nil && e.Kind == plimsoll.EditInsert {
			r.reference = e.Ref.ID
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(encode(r.t, p), &members); err != nil {
		r.t.Fatal(err)
	}
	delete(members, "rungs")
	var lines []string
	for _, name := range []string{"line", "goal", "floor", "before", "after", "degraded", "outputs", "edits"} {
		value, ok := members[name]
		if delete(members, name); !ok {
			continue
		}
		text := string(value)
		switch name {
		case "before", "after":
			text = loads.ReplaceAllString(text, `"$1=$2+$3"`)
		case "outputs":
			text = strconv.Itoa(len(p.Outputs))
		case "edits":
			text = r.edits(p.Edits)
		}
		lines = append(lines, fmt.Sprintf(" %q: %s", name, text))
	}
	if len(members) > 0 {
		r.t.Fatalf("the plan has members that the golden leaves out: %v", members)
	}
	r.named("plan", "{\n"+strings.Join(lines, ",\n")+"\n}")
	lines = nil
	for _, report := range p.Rungs {
		lines = append(lines, string(encode(r.t, report)))
	}
	r.named("rungs", strings.Join(lines, "\n"))
}

// loads are those of messages, whose parts are written as a sum.
var loads = regexp.MustCompile(`\{"tokens":(\d+),"framing":(\d+),"parts":\[([\d,]*)\]\}`)

// edits writes a line for edits that are alike.
func (r *fitRun) edits(edits []plimsoll.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b plimsoll.Edit) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Kind, b.Kind))
	})
	var lines []string
	for len(edits) > 0 {
		alike := edits[0]
		alike.Message, alike.Saved = 0, 0
		line := string(encode(r.t, alike))
		var messages, saved []int
		for len(edits) > 0 {
			e := edits[0]
			e.Message, e.Saved = 0, 0
			if string(encode(r.t, e)) != line {
				break
			}
			messages, saved, edits = append(messages, edits[0].Message), append(saved, edits[0].Saved), edits[1:]
		}
		line = strings.Replace(line, `"message":0`, `"message":`+string(encode(r.t, messages)), 1)
		lines = append(lines, strings.Replace(line, `"saved":0`, `"saved":`+string(encode(r.t, saved)), 1))
	}
	return "[\n  " + strings.Join(lines, ",\n  ") + "\n ]"
}

// sent writes what is sent, member by member. Messages that are those of the request,
// or those of the request before it as it was sent, are only counted.
func (r *fitRun) sent(request, sent []byte) {
	lines := []string{digest(sent)}
	list := listOf[r.dialect]
	names, was := members(r.t, request)
	got, is := members(r.t, sent)
	if !slices.Equal(names, got) {
		lines = append(lines, fmt.Sprintf("members: %v", got))
	}
	for _, name := range got {
		switch {
		case name == list || bytes.Equal(was[name], is[name]):
		case bytes.Equal(r.beside[name], is[name]):
			lines = append(lines, name+": as sent before")
		default:
			lines = append(lines, fmt.Sprintf("%s: %s", name, is[name]))
		}
	}
	lines = append(lines, told(elements(r.t, is[list]), elements(r.t, was[list]), r.last)...)
	r.last, r.beside = elements(r.t, is[list]), is
	r.named("sent", strings.Join(lines, "\n"))
}

// told describes a list by those that it was made of.
func told(sent, request, before []string) []string {
	var lines []string
	for i := 0; i < len(sent); {
		from, n, name := match(sent[i:], request), 0, "the request"
		if from >= 0 {
			n = run(sent[i:], request[from:])
		}
		if at := match(sent[i:], before); at >= 0 && run(sent[i:], before[at:]) > n {
			from, n, name = at, run(sent[i:], before[at:]), "what was sent before"
		}
		if n == 0 {
			lines = append(lines, fmt.Sprintf("%d: %s", i, sent[i]))
			i++
			continue
		}
		lines = append(lines, fmt.Sprintf("%d–%d: as %d–%d of %s", i, i+n-1, from, from+n-1, name))
		i += n
	}
	return lines
}

// match is where the first of the messages stands in a list, and run how many more do
// behind it.
func match(messages, in []string) int { return slices.Index(in, messages[0]) }

func run(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func digest(body []byte) string {
	return fmt.Sprintf("%d bytes, sha256 %x", len(body), sha256.Sum256(body))
}

// members are those of an object, in order.
func members(t *testing.T, body []byte) ([]string, map[string]json.RawMessage) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	values := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		values[name.(string)] = value
	}
	return names, values
}

func elements(t *testing.T, list json.RawMessage) []string {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = string(e)
	}
	return texts
}
