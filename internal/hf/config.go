package hf

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
)

// component is one step of the pipeline in the file: a normaliser, pre-tokenizer, post-processor
// or decoder. The kinds share one shape; which fields matter depends on Type.
type component struct {
	Type string `json:"type"`

	Normalizers   []component `json:"normalizers"`
	Pretokenizers []component `json:"pretokenizers"`
	Processors    []component `json:"processors"`
	Decoders      []component `json:"decoders"`

	Prepend string      `json:"prepend"`
	Pattern textPattern `json:"pattern"`
	Content string      `json:"content"`

	Behavior         string `json:"behavior"`
	Invert           bool   `json:"invert"`
	AddPrefixSpace   *bool  `json:"add_prefix_space"`
	UseRegex         *bool  `json:"use_regex"`
	IndividualDigits bool   `json:"individual_digits"`
	Replacement      string `json:"replacement"`
	PrependScheme    string `json:"prepend_scheme"`
	Split            *bool  `json:"split"`

	Start int `json:"start"`
	Stop  int `json:"stop"`

	Single        []templatePiece          `json:"single"`
	SpecialTokens map[string]templateToken `json:"special_tokens"`
	Sep           jsontext.Value           `json:"sep"`
	Cls           jsontext.Value           `json:"cls"`
}

// textPattern is what a Split or Replace looks for: exactly one of the two is given.
type textPattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

type templatePiece struct {
	SpecialToken *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID string `json:"id"`
	} `json:"Sequence"`
}

type templateToken struct {
	IDs []uint32 `json:"ids"`
}

// maxSectionBytes and maxSteps bound what a section other than the model may ask for.
const (
	maxSectionBytes = 1 << 20
	maxSteps        = 16
)

// readSteps decodes a section and resolves its Sequence components, which may be nested, into one
// list of steps. It is nil for a missing or null section.
func readSteps(top map[string]jsontext.Value, field string) ([]component, error) {
	raw := top[field]
	if raw == nil || raw.Kind() == 'n' {
		return nil, nil
	}
	if len(raw) > maxSectionBytes {
		return nil, &FormatError{Field: field, Found: fmt.Sprint(len(raw), " bytes"), Supported: "up to 1 MB"}
	}
	var c component
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, &FormatError{Field: field, Err: err}
	}
	steps := c.steps([]component{})
	if len(steps) > maxSteps {
		return nil, &FormatError{Field: field, Found: fmt.Sprint(len(steps), " steps"), Supported: fmt.Sprint("up to ", maxSteps)}
	}
	return steps, nil
}

// steps appends the components that a component stands for, itself unless it is a Sequence.
func (c *component) steps(list []component) []component {
	if c.Type != "Sequence" {
		return append(list, *c)
	}
	for _, inner := range [][]component{c.Normalizers, c.Pretokenizers, c.Processors, c.Decoders} {
		for i := range inner {
			if len(list) > maxSteps {
				return list
			}
			list = inner[i].steps(list)
		}
	}
	return list
}

// maxGrowth bounds how much longer replacements may make a text.
const maxGrowth = 64

// checkGrowth refuses replacements that multiply each other without end.
func checkGrowth(field string, steps []component) error {
	growth := 1
	for i, s := range steps {
		if s.Type != "Replace" || s.Pattern.String == nil || *s.Pattern.String == "" {
			continue
		}
		growth *= max(1, (len(s.Content)+len(*s.Pattern.String)-1)/len(*s.Pattern.String))
		if growth > maxGrowth {
			return &FormatError{
				Field: fmt.Sprintf("%s[%d].content", field, i), Found: fmt.Sprint("replacements that make text ", growth, " times longer"),
				Supported: fmt.Sprint("up to ", maxGrowth, " times"),
			}
		}
	}
	return nil
}

func orDefault(b *bool, def bool) bool {
	if b == nil {
		return def
	}
	return *b
}

// modelFields are the settings of the model apart from its two big tables.
type modelFields struct {
	unknown      *string
	fuse         bool
	byteFallback bool
	ignoreMerges bool
}

// readModelFields refuses every setting that would change tokens in a way not implemented here.
func readModelFields(m map[string]jsontext.Value) (modelFields, error) {
	var f modelFields
	var kind, prefix, suffix *string
	var dropout *float64
	for name, target := range map[string]any{
		"type": &kind, "unk_token": &f.unknown, "fuse_unk": &f.fuse, "byte_fallback": &f.byteFallback,
		"ignore_merges": &f.ignoreMerges, "dropout": &dropout,
		"continuing_subword_prefix": &prefix, "end_of_word_suffix": &suffix,
	} {
		if m[name] == nil || m[name].Kind() == 'n' {
			continue
		}
		if err := json.Unmarshal(m[name], target); err != nil {
			return f, &FormatError{Field: "model." + name, Err: err}
		}
	}
	if err := checkModelType(kind, m); err != nil {
		return f, err
	}
	if dropout != nil && *dropout != 0 {
		return f, &FormatError{Field: "model.dropout", Found: fmt.Sprint(*dropout), Supported: "none: counting must be repeatable"}
	}
	for name, s := range map[string]*string{"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix} {
		if s != nil && *s != "" {
			return f, &FormatError{Field: "model." + name, Found: quote(*s), Supported: "none"}
		}
	}
	return f, nil
}

// checkModelType accepts files from before the type was written, which have merges.
func checkModelType(kind *string, m map[string]jsontext.Value) error {
	found := "nothing"
	switch {
	case kind == nil && m["merges"] != nil, kind != nil && *kind == "BPE":
		return nil
	case kind != nil:
		found = quote(*kind)
	}
	return &FormatError{
		Field: "model.type", Found: found, Supported: `"BPE"`,
		Hint: "count this model by an estimate, or convert its tokenizer to BPE",
	}
}
