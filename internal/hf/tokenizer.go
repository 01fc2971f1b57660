package hf

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"unicode/utf8"
)

// parseTokenizer builds a tokenizer from the sections of a tokenizer.json. Truncation and padding
// are left out: they would change what is counted.
func parseTokenizer(top map[string]jsontext.Value) (*Tokenizer, error) {
	if top["model"] == nil {
		return nil, &FormatError{Field: "model", Found: "nothing", Supported: "the sections of a tokenizer.json or tekken.json"}
	}
	t := new(tables)
	var sections [4][]component
	for i, name := range []string{"normalizer", "pre_tokenizer", "post_processor", "decoder"} {
		c, err := readSteps(top, name)
		if err != nil {
			return nil, err
		}
		sections[i] = c
	}
	var err error
	if t.normalizers, err = compileNormalizers(sections[0]); err != nil {
		return nil, err
	}
	if t.pre, err = compilePreTokenizer(sections[1]); err != nil {
		return nil, err
	}
	if err = t.addPostProcessor(sections[2]); err != nil {
		return nil, err
	}
	if t.decoder, err = compileDecoder(sections[3]); err != nil {
		return nil, err
	}
	if err = t.readModel(top["model"]); err != nil {
		return nil, err
	}
	added, err := readAddedTokens(top["added_tokens"])
	if err != nil {
		return nil, err
	}
	t.addTokens(added)
	return &Tokenizer{tables: t, workers: new(workers)}, nil
}

func (t *tables) readModel(raw jsontext.Value) error {
	fields, err := members(raw, "model")
	if err != nil {
		return err
	}
	settings, err := readModelFields(fields)
	if err != nil {
		return err
	}
	v, x, err := readVocab(fields["vocab"])
	if err != nil {
		return err
	}
	m := &model{unknown: noToken, fuse: settings.fuse}
	if settings.unknown != nil {
		id, ok := x.find(v, []byte(*settings.unknown))
		if !ok {
			return &FormatError{Field: "model.unk_token", Found: quote(*settings.unknown), Supported: "a token of model.vocab"}
		}
		m.unknown = id
	}
	t.vocab, t.model = v, m
	t.addSymbols(settings, x)
	reader := mergeReader{vocab: v, index: x}
	if t.pre.byteLevel {
		reader.alphabet = newByteAlphabet()
	}
	if m.complete() || t.model.bytes == nil && m.unknown != noToken && !m.fuse {
		reader.joints, reader.apart = newJoints(), m.apart()
	}
	if err := reader.read(fields["merges"]); err != nil {
		return err
	}
	m.pairs, m.joints = reader.pairs, reader.joints
	if settings.ignoreMerges {
		m.whole = t.wholePieces()
	}
	return nil
}

// addSymbols fills the tables that merging starts from.
func (t *tables) addSymbols(settings modelFields, x *index) {
	if !t.pre.byteLevel {
		t.model.chars = t.singleChars()
		if settings.byteFallback {
			ids := fallbackIDs(t.vocab, x)
			t.model.fallback = &ids
		}
		return
	}
	t.model.bytes = new([256]uint32)
	for b, char := range newByteAlphabet().char {
		id, ok := x.find(t.vocab, utf8.AppendRune(nil, char))
		if !ok {
			id = noToken
		}
		t.model.bytes[b] = id
	}
}

// complete reports whether any text has tokens, if need be byte by byte.
func (m *model) complete() bool {
	for b := range 256 {
		known := m.bytes != nil && m.bytes[b] != noToken ||
			m.fallback != nil && m.fallback[b] != noToken ||
			m.chars != nil && b < utf8.RuneSelf && m.chars.find(rune(b), 1) != noToken
		if !known {
			return false
		}
	}
	return true
}

func (t *tables) singleChars() *charTable {
	single := func(id int) (rune, bool) {
		s := t.vocab.spans[id]
		r, n := utf8.DecodeRune(t.vocab.text[s.start:s.end])
		return r, n > 0 && n == int(s.end-s.start)
	}
	count := 0
	for id := range t.vocab.spans {
		if _, ok := single(id); ok {
			count++
		}
	}
	chars := newCharTable(count)
	for id := range t.vocab.spans {
		if r, ok := single(id); ok {
			chars.put(r, uint32(id))
		}
	}
	return chars
}

// apart returns the tokens that stand for text other than their own string. If a merge joins such
// a token, characters say nothing about where merges reach.
func (m *model) apart() map[uint32]bool {
	apart := make(map[uint32]bool)
	if m.fallback != nil {
		for _, id := range m.fallback {
			apart[id] = true
		}
	}
	if m.unknown != noToken {
		apart[m.unknown] = true
	}
	return apart
}

// wholePieces maps pieces of text to tokens, for models that look up a piece before merging it.
func (t *tables) wholePieces() map[string]uint32 {
	alphabet := newByteAlphabet()
	block := make([]byte, 0, len(t.vocab.text))
	ends := make([]int, len(t.vocab.spans))
	for id, s := range t.vocab.spans {
		token := t.vocab.text[s.start:s.end]
		if t.pre.byteLevel {
			block, _ = alphabet.appendBytes(block, token)
		} else {
			block = append(block, token...)
		}
		ends[id] = len(block)
	}
	all := string(block)
	whole := make(map[string]uint32, t.vocab.used)
	start := 0
	for id, end := range ends {
		if end > start {
			whole[all[start:end]] = uint32(id)
		}
		start = end
	}
	return whole
}

func (t *tables) addTokens(added []addedToken) {
	t.names = make(map[uint32]string, len(added))
	t.size = t.vocab.used
	var raw, normalized []addedToken
	for _, a := range added {
		if _, known := t.vocab.get(a.ID); !known && t.names[a.ID] == "" {
			t.size++
		}
		t.names[a.ID] = a.Content
		if a.Normalized {
			normalized = append(normalized, a)
		} else {
			raw = append(raw, a)
		}
	}
	var buf [2][]byte
	t.raw = newAddedSet(raw, func(a addedToken) string { return a.Content })
	t.normalized = newAddedSet(normalized, func(a addedToken) string {
		return normalize(t.normalizers, a.Content, &buf)
	})
}

// addPostProcessor keeps the tokens that a single text gets in front and behind.
func (t *tables) addPostProcessor(steps []component) error {
	for i, s := range steps {
		var err error
		switch s.Type {
		case "ByteLevel": // concerns offsets only
		case "TemplateProcessing":
			err = t.addTemplate(s)
		case "RobertaProcessing", "BertProcessing":
			err = t.addPair(s)
		default:
			err = &FormatError{
				Field: fmt.Sprintf("post_processor[%d].type", i), Found: quote(s.Type),
				Supported: "ByteLevel, BertProcessing, RobertaProcessing, Sequence, TemplateProcessing",
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) addTemplate(s component) error {
	var prefix, suffix []uint32
	behind := false
	for _, p := range s.Single {
		switch {
		case p.SpecialToken != nil && behind:
			suffix = append(suffix, s.SpecialTokens[p.SpecialToken.ID].IDs...)
		case p.SpecialToken != nil:
			prefix = append(prefix, s.SpecialTokens[p.SpecialToken.ID].IDs...)
		case p.Sequence != nil && !behind:
			behind = true
		default:
			return &FormatError{Field: "post_processor.single", Found: "the text twice", Supported: "special tokens around one text"}
		}
	}
	t.prefix = append(prefix, t.prefix...)
	t.suffix = append(t.suffix, suffix...)
	return nil
}

func (t *tables) addPair(s component) error {
	var ids [2]uint32
	for i, raw := range []jsontext.Value{s.Cls, s.Sep} {
		var entry [2]jsontext.Value
		if err := json.Unmarshal(raw, &entry); err != nil {
			return &FormatError{Field: "post_processor", Found: "no [token, id] for cls and sep", Err: err}
		}
		if err := json.Unmarshal(entry[1], &ids[i]); err != nil {
			return &FormatError{Field: "post_processor", Found: "no [token, id] for cls and sep", Err: err}
		}
	}
	t.prefix = append([]uint32{ids[0]}, t.prefix...)
	t.suffix = append(t.suffix, ids[1])
	return nil
}
