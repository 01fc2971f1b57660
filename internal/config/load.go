package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
)

const (
	envPrefix = "PLIMSOLL_"
	// envConfig names the file to read; it is no setting itself.
	envConfig = envPrefix + "CONFIG"
)

// Options says where to look for settings. The zero value looks at the files
// that are found, and at no environment.
type Options struct {
	// Flags are those of the command line.
	Flags []Flag
	// Environ is the environment, in the form of os.Environ.
	Environ []string
	// File is the file that a flag names; empty if none does.
	File string
	// Dir is where [FileName] is looked for; empty means the current directory.
	Dir string
	// Preset returns what a preset sets, by key. Nil means that presets set
	// nothing.
	Preset func(name string) map[string]any
}

// Flag is a setting on the command line.
type Flag struct {
	// Key is the setting.
	Key string
	// Name is the flag, if it is not that of the key: --marks-low of marks.low.
	Name string
	// Value is a text, a number, a bool, a pin, a list or map of these, or a
	// pointer to one. Nil, an empty text and an empty list mean that the flag is
	// not given.
	Value any
}

// Config is what the sources say together.
type Config struct {
	Settings Settings
	// Looked has the files that were looked for, strongest first, and Files those
	// of them that were there.
	Looked, Files []string
	// Values has every setting with its origin, in the order of [Fields].
	Values []Value
	// Problems are values that were passed over, for the log: each a [*Problem],
	// or a [*model.SettingError] for a variable that should set a limit.
	Problems []error
}

// Value is a setting in force.
type Value struct {
	Field
	// Value is as in [Settings].
	Value  any
	Origin Origin
}

// Origin returns where the value of a setting came from.
func (c *Config) Origin(key string) Origin {
	for _, v := range c.Values {
		if v.Key == key {
			return v.Origin
		}
	}
	return Origin{}
}

// layer is what one source says, not yet checked.
type layer []rawSetting

type rawSetting struct {
	field  Field
	node   node
	origin Origin
	dir    string
	// refuse says why the value is not taken whatever it is.
	refuse string
}

// layeredValue is a value that is possible, from the layer with that rank.
type layeredValue struct {
	value  reflect.Value
	origin Origin
	rank   int
}

// Load asks all sources. An error means that a file, a key or a flag is wrong;
// several are joined.
func Load(opts *Options) (*Config, error) {
	if opts == nil {
		opts = &Options{}
	}
	l := &loader{opts: opts, fields: Fields(), config: &Config{}, found: map[string][]layeredValue{}}
	l.flags()
	l.environment()
	l.files()
	l.preset()
	l.defaults()
	for _, f := range l.fields {
		if f.atMost != "" {
			l.reconcile(f.Key, f.atMost)
		}
	}
	l.settle()
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return l.config, nil
}

type loader struct {
	opts   *Options
	fields []Field
	config *Config
	// found has the possible values of each setting, strongest first.
	found    map[string][]layeredValue
	problems []passedOver
	rank     int
	errs     []error
}

// passedOver is a problem whose consequence is known when all sources are.
type passedOver struct {
	*Problem
	setting string
	// partly says that the rest of the value is used.
	partly bool
}

func (o *Options) env(name string) string {
	for _, setting := range slices.Backward(o.Environ) {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// variable returns the variable that sets a field, and what it says.
func (o *Options) variable(f Field) (name, text string) {
	for _, name = range f.variables() {
		if text = o.env(name); text != "" {
			return name, text
		}
	}
	return name, ""
}

func (l *loader) flags() {
	var flags layer
	for _, f := range l.opts.Flags {
		n, given := valueNode(f.Value)
		field, known := find(l.fields, f.Key)
		switch {
		case !known:
			l.errs = append(l.errs, fmt.Errorf("config: no setting %q for a flag", f.Key))
		case given:
			name := f.Name
			if name == "" {
				name = flagName(f.Key)
			}
			flags = append(flags, rawSetting{field: field, node: n, origin: Origin{Kind: FromFlag, Name: name}})
		}
	}
	l.add(flags)
}

func (l *loader) environment() {
	var env layer
	for _, f := range l.fields {
		name, text := l.opts.variable(f)
		if text == "" {
			continue
		}
		e := rawSetting{field: f, origin: Origin{Kind: FromEnv, Name: name}}
		var err error
		if e.node, err = textNode(f, text); err != nil {
			e.node, e.refuse = node{shape: scalar, text: text}, err.Error()
		}
		env = append(env, e)
	}
	l.add(env)
	l.config.Problems = append(l.config.Problems, l.strangers()...)
	l.config.Problems = append(l.config.Problems, model.CheckEnv(l.opts.Environ)...)
}

// strangers reports variables of removed settings, and those that are written almost
// like one in force. Others may have another owner: an orchestrator names variables
// after services.
func (l *loader) strangers() []error {
	names := []string{envConfig}
	for _, f := range l.fields {
		names = append(names, f.variables()...)
	}
	gone := map[string]string{}
	for key, instead := range removed {
		gone[envName(key)] = instead
	}
	seen := map[string]error{}
	for _, setting := range l.opts.Environ {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(names, name) {
			continue
		}
		if instead := gone[name]; instead != "" {
			seen[name] = fmt.Errorf("%s: this setting was removed; %s", name, instead)
			continue
		}
		short := strings.TrimPrefix(name, envPrefix)
		for _, known := range names {
			if distance(short, strings.TrimPrefix(known, envPrefix)) <= max(1, len(short)/5) {
				seen[name] = fmt.Errorf("%s: no such setting; did you mean %s?", clip(name), known)
			}
		}
	}
	var out []error
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, seen[name])
	}
	return out
}

func (l *loader) files() {
	for _, f := range l.opts.candidates() {
		l.config.Looked = append(l.config.Looked, f.path)
		n, ok, err := f.read()
		if err != nil {
			l.errs = append(l.errs, err)
		}
		if !ok {
			continue
		}
		l.config.Files = append(l.config.Files, f.path)
		entries, err := f.entries(l.fields, n)
		if err != nil {
			l.errs = append(l.errs, err)
		}
		l.add(entries)
	}
}

// preset asks the preset that the stronger sources choose.
func (l *loader) preset() {
	field, _ := find(l.fields, "preset")
	name := field.Default
	if chosen := l.found["preset"]; len(chosen) > 0 {
		name = chosen[0].value.String()
	}
	if l.opts.Preset == nil {
		return
	}
	var entries layer
	sets := l.opts.Preset(name)
	for _, key := range slices.Sorted(maps.Keys(sets)) {
		field, known := find(l.fields, key)
		if !known || field.Key == "preset" {
			l.errs = append(l.errs, fmt.Errorf("config: preset %s: no setting %q for presets", name, key))
			continue
		}
		if n, given := valueNode(sets[key]); given {
			entries = append(entries, rawSetting{field: field, node: n, origin: Origin{Kind: FromPreset, Name: name}})
		}
	}
	l.add(entries)
}

// defaults come from our own tags, so that one that is wrong is our fault.
func (l *loader) defaults() {
	var entries layer
	for _, f := range l.fields {
		e := rawSetting{field: f, origin: Origin{Kind: FromDefault}}
		if f.Default != "" {
			n, err := textNode(f, f.Default)
			if err != nil {
				panic(fmt.Sprintf("config: default of %s: %v", f.Key, err))
			}
			e.node = n
		}
		entries = append(entries, e)
	}
	l.add(entries)
}

// mostMistakes of one kind are reported one by one; more would not be read.
const mostMistakes = 10

// add checks what a source says and keeps what is possible. Null says nothing
// where a setting must have a value.
func (l *loader) add(entries layer) {
	l.rank++
	for _, e := range entries {
		if e.node.shape == null && e.field.Null == "" {
			continue
		}
		if e.refuse != "" {
			l.report(e, &issue{value: e.node.String(), reason: e.refuse}, false)
			continue
		}
		value, issues := decoder{field: e.field, dir: e.dir, home: l.opts.env("HOME")}.decode(e.node)
		for n, i := range issues {
			if n == mostMistakes {
				l.report(e, &issue{reason: fmt.Sprintf("%d more entries are wrong", len(issues)-n)}, value.IsValid())
				break
			}
			l.report(e, i, value.IsValid())
		}
		if value.IsValid() {
			l.found[e.field.Key] = append(l.found[e.field.Key], layeredValue{value, e.origin, l.rank})
		}
	}
}

// report remembers what is wrong with a value: as an error if the user is there to
// correct it, else as a problem.
func (l *loader) report(e rawSetting, i *issue, partly bool) {
	at := e.origin
	if i.line > 0 && at.Kind == FromFile {
		at.Name = at.Name[:strings.LastIndexByte(at.Name, ':')] + fmt.Sprintf(":%d", i.line)
	}
	p := &Problem{Origin: at, Key: e.field.Key + i.entry, Value: i.value, Reason: i.reason}
	switch {
	case i.unknown != "":
		l.errs = append(l.errs, &plimsoll.Error{Op: at.Name, Code: plimsoll.CodeInvalid, Err: i, Hint: i.unknown})
	case at.Kind == FromFlag:
		l.refuseFlag(p)
	default:
		l.problems = append(l.problems, passedOver{p, e.field.Key, partly})
	}
}

func (l *loader) refuseFlag(p *Problem) {
	l.errs = append(l.errs, &plimsoll.Error{
		Op: strings.TrimSpace(p.Origin.Name + " " + clip(p.Value)), Code: plimsoll.CodeInvalid, Err: errors.New(p.Reason),
	})
}

// reconcile makes one number at most another. What the user wrote wins over
// presets and defaults, which give way; of two that were written the weaker is
// passed over.
func (l *loader) reconcile(low, high string) {
	for {
		lows, highs := l.found[low], l.found[high]
		if highs[0].value.IsZero() || lows[0].value.Float() <= highs[0].value.Float() {
			return
		}
		weak, other, reason := low, high, "above"
		if highs[0].rank > lows[0].rank {
			weak, other, reason = high, low, "below"
		}
		c, stays := l.found[weak][0], l.found[other][0]
		if !c.origin.Chosen() {
			c.value, c.origin.Follows = stays.value, other
			l.found[weak] = []layeredValue{c}
			return
		}
		p := &Problem{
			Origin: c.origin, Key: weak, Value: fmt.Sprint(c.value),
			Reason: fmt.Sprintf("%s %s, which is %v (%s)", reason, other, stays.value, stays.origin),
		}
		if c.origin.Kind == FromFlag {
			l.refuseFlag(p)
		} else {
			l.problems = append(l.problems, passedOver{p, weak, false})
		}
		l.found[weak] = l.found[weak][1:]
	}
}

// settle fills the settings with the strongest values.
func (l *loader) settle() {
	c := l.config
	settings := reflect.ValueOf(&c.Settings).Elem()
	for _, f := range l.fields {
		best := l.found[f.Key][0]
		settings.FieldByIndex(f.index).Set(best.value)
		c.Values = append(c.Values, Value{f, best.value.Interface(), best.origin})
	}
	const threshold = "compaction.compression_threshold"
	if from := c.Origin(threshold); from.Chosen() && c.Settings.Preset != "gemini" {
		c.Problems = append(c.Problems, fmt.Errorf("%s: %s has an effect in preset gemini only, and the preset is %s", from, threshold, c.Settings.Preset))
	}
	for _, p := range l.problems {
		if !p.partly {
			p.Used = c.Origin(p.setting)
		}
		c.Problems = append(c.Problems, p.Problem)
	}
}
