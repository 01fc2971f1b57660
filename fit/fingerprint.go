package fit

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/plimsoll/plimsoll"
)

// fingerprint hashes what messages say. Everything is written with its kind and its
// length, so that no two messages run into each other.
type fingerprint struct {
	hash   hash.Hash
	buffer []byte
}

func newFingerprint() *fingerprint { return &fingerprint{hash: sha256.New()} }

// head identifies what stands before the messages when a draft has added to it.
func (f *fingerprint) head(original plimsoll.Digest, d *plimsoll.Draft) plimsoll.Digest {
	f.digest(original)
	f.parts(d.AddedSystem())
	for _, t := range d.AddedTools().All() {
		f.text(t.Name, t.Description, t.Schema, t.Opaque)
	}
	return f.sum()
}

// message identifies a message by its original, if it has one, and by what it says now.
func (f *fingerprint) message(original plimsoll.Digest, m plimsoll.Message) plimsoll.Digest {
	f.digest(original)
	f.text(string(m.Role), m.Name)
	f.parts(m.Parts)
	return f.sum()
}

func (f *fingerprint) digest(d plimsoll.Digest) { f.buffer = append(f.buffer, d[:]...) }

func (f *fingerprint) number(n int) { f.buffer = binary.AppendVarint(f.buffer, int64(n)) }

func (f *fingerprint) text(texts ...string) {
	const large = 4 << 10
	for _, t := range texts {
		f.number(len(t))
		f.buffer = append(f.buffer, t...)
		if len(f.buffer) > large {
			f.hash.Write(f.buffer)
			f.buffer = f.buffer[:0]
		}
	}
}

func (f *fingerprint) parts(parts plimsoll.List[plimsoll.Part]) {
	f.number(parts.Len())
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			f.number(1)
			f.text(p.Text)
		case plimsoll.ToolCall:
			f.number(2)
			f.text(p.ID, p.Name, p.Arguments)
		case plimsoll.ToolResult:
			f.number(3)
			f.text(p.CallID, p.Name)
			f.number(int(count(p.IsError)))
			f.parts(p.Content)
		case plimsoll.Reasoning:
			f.number(4)
			f.text(p.Text, p.Signature)
		case plimsoll.Media:
			f.number(5)
			f.text(string(p.Kind), p.MIME, p.Data, p.URL, p.Detail)
		case plimsoll.Opaque:
			f.number(6)
			f.text(p.Kind, p.Raw)
		}
	}
}

// sum returns the hash and begins a new one.
func (f *fingerprint) sum() plimsoll.Digest {
	f.hash.Write(f.buffer)
	f.buffer = f.hash.Sum(f.buffer[:0])
	sum := plimsoll.Digest(f.buffer[:len(plimsoll.Digest{})])
	f.hash.Reset()
	f.buffer = f.buffer[:0]
	return sum
}
