package hf

import (
	"bytes"
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/split"
)

// tekkenConfig is the head of a tekken.json.
type tekkenConfig struct {
	Pattern  string `json:"pattern"`
	Size     int    `json:"default_vocab_size"`
	Specials int    `json:"default_num_special_tokens"`
}

// maxTekkenBytes bounds the length of a token: all of its cuts are tried for merges.
const maxTekkenBytes = 512

type tekkenToken struct {
	Rank  int    `json:"rank"`
	Bytes string `json:"token_bytes"`
}

// parseTekken builds a tokenizer from Mistral's own format. Its merges follow from its ranks: two
// neighbours join when together they are a token, the lowest rank first. Special tokens have the
// ids below the vocabulary and no text of their own here.
func parseTekken(top map[string]jsontext.Value) (*Tokenizer, error) {
	var config tekkenConfig
	if err := json.Unmarshal(top["config"], &config); err != nil {
		return nil, &FormatError{Field: "config", Err: err}
	}
	if n := bytes.Count(top["vocab"], []byte{'{'}); n > maxEntries {
		return nil, &FormatError{Field: "vocab", Found: fmt.Sprint(n, " entries"), Supported: fmt.Sprint("up to ", maxEntries)}
	}
	var list []tekkenToken
	if err := json.Unmarshal(top["vocab"], &list); err != nil {
		return nil, &FormatError{Field: "vocab", Err: err}
	}
	pattern, ok := split.Lookup(config.Pattern)
	if !ok {
		return nil, &FormatError{Field: "config.pattern", Found: quote(config.Pattern), Supported: "the expressions that package split knows"}
	}
	inner := config.Size - config.Specials
	if config.Specials < 0 || config.Specials > idLimit(len(list)) || inner < 256 || inner > len(list) {
		return nil, &FormatError{
			Field: "config.default_vocab_size", Found: fmt.Sprint(config.Size, " with ", config.Specials, " special tokens"),
			Supported: fmt.Sprint("256 to ", len(list), " tokens besides the special ones"),
		}
	}
	v, err := tekkenVocab(list[:inner], config.Specials)
	if err != nil {
		return nil, err
	}
	t := &tables{
		vocab: v, size: config.Size,
		pre:     &preTokenizer{byteLevel: true, stages: []stage{{pattern: pattern}}},
		decoder: new(decoder),
		model:   rankModel(v, config.Specials),
	}
	return &Tokenizer{tables: t, workers: new(workers)}, nil
}

func tekkenVocab(list []tekkenToken, specials int) (*vocab, error) {
	v := new(vocab)
	for i, entry := range list {
		text, err := base64.StdEncoding.DecodeString(entry.Bytes)
		if err != nil || entry.Rank != i || len(text) == 0 || len(text) > maxTekkenBytes || i < 256 && (len(text) != 1 || text[0] != byte(i)) {
			return nil, &FormatError{
				Field: fmt.Sprintf("vocab[%d]", i), Found: fmt.Sprint("rank ", entry.Rank, ", bytes ", quote(entry.Bytes)),
				Supported: "tokens in the order of their ranks, the 256 bytes first, in base64", Err: err,
			}
		}
		v.put(uint32(i+specials), text)
	}
	return v, nil
}

// rankModel derives the merges of a vocabulary that is ordered by rank.
func rankModel(v *vocab, specials int) *model {
	x := newIndex(v.used)
	m := &model{unknown: noToken, bytes: new([256]uint32), whole: make(map[string]uint32, v.used)}
	for id := specials; id < len(v.spans); id++ {
		x.add(v, uint32(id))
		token, _ := v.get(uint32(id))
		m.whole[string(token)] = uint32(id)
	}
	for b := range m.bytes {
		m.bytes[b] = uint32(specials + b)
	}
	var merges [][3]uint32
	for id := specials + 256; id < len(v.spans); id++ {
		token, _ := v.get(uint32(id))
		for cut := 1; cut < len(token); cut++ {
			left, ok := x.find(v, token[:cut])
			if !ok {
				continue
			}
			if right, ok := x.find(v, token[cut:]); ok {
				merges = append(merges, [3]uint32{left, right, uint32(id)})
			}
		}
	}
	m.pairs = newPairTable(len(merges))
	for _, p := range merges {
		m.pairs.put(p[0], p[1], p[2], p[2])
	}
	return m
}
