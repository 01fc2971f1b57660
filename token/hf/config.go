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

// readComponent decodes one section; a missing or null section is nil.
func readComponent(top map[string]jsontext.Value, field string) (*component, error) {
	raw := top[field]
	if raw == nil || raw.Kind() == 'n' {
		return nil, nil
	}
	c := new(component)
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, &FormatError{Field: field, Err: err}
	}
	return c, nil
}

// flatten resolves Sequence components, which may be nested, into one list of steps.
func flatten(c *component, inner func(*component) []component) []component {
	if c == nil {
		return nil
	}
	if c.Type != "Sequence" {
		return []component{*c}
	}
	var steps []component
	list := inner(c)
	for i := range list {
		steps = append(steps, flatten(&list[i], inner)...)
	}
	return steps
}

func orDefault(b *bool, def bool) bool {
	if b == nil {
		return def
	}
	return *b
}

// modelFields are the settings of the model apart from its two big tables.
type modelFields struct {
	kind         string
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
