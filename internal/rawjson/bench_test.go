package rawjson_test

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// bodySize is small enough for an iteration to end before another process gets
// its turn.
const bodySize = 1 << 17

// bodies are request bodies by what they are made of.
func bodies() map[string][]byte {
	prose := strings.Repeat("The ship may be loaded down to the line and no deeper, whatever the owner says. ", 50)
	code := strings.Repeat("func (s *Scanner) Err() error {\n\tif s.err == nil {\n\t\treturn nil // \"fine\"\n\t}\n}\n", 50)
	result, _ := json.Marshal(map[string]any{"path": "a/b.go", "lines": []int{1, 20, 300}, "text": "if x { return \"y\" }\n"})
	return map[string][]byte{
		"prose":  conversation(prose),
		"code":   conversation(code),
		"nested": conversation(strings.Repeat(string(result), 30)),
		"dense":  dense(false),
		"indent": dense(true),
	}
}

func conversation(content string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"m","messages":[`)
	for b.Len() < bodySize {
		fmt.Fprintf(&b, `{"role":"user","content":%s},`, rawjson.AppendQuote(nil, content))
	}
	b.WriteString(`{"role":"user","content":"end"}]}`)
	return b.Bytes()
}

// dense has short keys, numbers and literals and no string worth the name.
func dense(indent bool) []byte {
	var b bytes.Buffer
	b.WriteString(`[`)
	for i := 0; b.Len() < bodySize; i++ {
		fmt.Fprintf(&b, `{"id":%d,"score":%d.%d,"ok":true,"tags":["a","bc",null],"box":[%d,-4,5e3]},`, i, i%7, i%1000, i%13)
	}
	b.WriteString(`{}]`)
	if !indent {
		return b.Bytes()
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// BenchmarkRead reads whole bodies beside the readers of the standard library:
//
//	go test -run '^$' -bench Read -cpu 1 ./internal/rawjson
func BenchmarkRead(b *testing.B) {
	readers := []struct {
		name string
		read func([]byte) error
	}{
		{"Value", skipAll},
		{"iterators", walkAll},
		{"json.Valid", validJSON},
		{"jsontext", skipJSONText},
	}
	all := bodies()
	for _, kind := range []string{"prose", "code", "nested", "dense", "indent"} {
		for _, r := range readers {
			b.Run(kind+"/"+r.name, func(b *testing.B) {
				b.ReportAllocs()
				best(b, len(all[kind]), func() {
					if err := r.read(all[kind]); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
	}
}

func validJSON(data []byte) error {
	if !json.Valid(data) {
		return fmt.Errorf("json.Valid is false")
	}
	return nil
}

func skipJSONText(data []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return d.SkipValue()
}

// BenchmarkDecode unescapes and escapes a content of the bodies.
func BenchmarkDecode(b *testing.B) {
	all := bodies()
	for _, kind := range []string{"code", "nested"} {
		s := rawjson.NewScanner(all[kind])
		var text rawjson.Text
		for key := range s.Members() {
			if string(key) != "messages" {
				continue
			}
			for range s.Elements() {
				for key := range s.Members() {
					if string(key) == "content" && text.IsZero() {
						text, _ = s.String()
					}
				}
			}
		}
		quoted, decoded := text.Of(all[kind]), text.Decode(all[kind])
		var dst []byte
		for _, work := range []struct {
			name string
			do   func()
		}{
			{"Decode", func() { text.Decode(all[kind]) }},
			{"jsontext.AppendUnquote", func() { dst, _ = jsontext.AppendUnquote(nil, quoted) }},
			{"AppendQuote", func() { dst = rawjson.AppendQuote(dst[:0], decoded) }},
			{"jsontext.AppendQuote", func() { dst, _ = jsontext.AppendQuote(dst[:0], decoded) }},
		} {
			b.Run(kind+"/"+work.name, func(b *testing.B) { best(b, len(quoted), work.do) })
		}
	}
}

// BenchmarkEdit measures what a request pays that drops one message.
func BenchmarkEdit(b *testing.B) {
	data := bodies()["code"]
	s := rawjson.NewScanner(data)
	var l rawjson.List
	for key := range s.Members() {
		if string(key) == "messages" {
			l = s.List()
		}
	}
	kept := make([]bool, len(l.Items))
	for i := range kept {
		kept[i] = i != len(kept)/2
	}
	b.Run("Rearrange and Splice", func(b *testing.B) {
		best(b, len(data), func() {
			if _, err := rawjson.Splice(data, rawjson.Rearrange(l, kept, nil)); err != nil {
				b.Fatal(err)
			}
		})
	})
	other := bytes.Clone(data)
	b.Run("SharedPrefix", func(b *testing.B) {
		best(b, len(data), func() { rawjson.SharedPrefix(data, other) })
	})
	b.Run("bytes.Clone", func(b *testing.B) {
		best(b, len(data), func() { bytes.Clone(data) })
	})
}

// best reports the speed of the fastest iteration: on a shared machine the mean
// measures the neighbours.
func best(b *testing.B, size int, do func()) {
	fastest := time.Hour
	for b.Loop() {
		start := time.Now()
		do()
		fastest = min(fastest, time.Since(start))
	}
	b.ReportMetric(float64(size)/1e6/fastest.Seconds(), "best-MB/s")
}
