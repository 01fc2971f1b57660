package plimsoll

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// fingerprint hashes what messages say. Everything is written with its kind and its
// length, so that no two messages run into each other.
type fingerprint struct {
	hash   hash.Hash
	buffer []byte
}

func newFingerprint() *fingerprint { return &fingerprint{hash: sha256.New()} }

// head identifies what stands before the messages when a draft has added to it.
func (f *fingerprint) head(original Digest, d *Draft) Digest {
	f.digest(original)
	f.parts(frozen(d.system))
	for _, t := range d.tools {
		f.text(t.Name, t.Description, t.Schema, t.Opaque)
	}
	return f.sum()
}

// message identifies a message by its original, if it has one, and by what it says now.
func (f *fingerprint) message(original Digest, m Message) Digest {
	f.digest(original)
	f.text(string(m.Role), m.Name)
	f.parts(m.Parts)
	return f.sum()
}

func (f *fingerprint) digest(d Digest) { f.buffer = append(f.buffer, d[:]...) }

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

func (f *fingerprint) parts(parts List[Part]) {
	f.number(parts.Len())
	for _, p := range parts.All() {
		switch p := p.(type) {
		case Text:
			f.number(1)
			f.text(p.Text)
		case ToolCall:
			f.number(2)
			f.text(p.ID, p.Name, p.Arguments)
		case ToolResult:
			f.number(3)
			f.text(p.CallID, p.Name)
			f.number(int(count(p.IsError)))
			f.parts(p.Content)
		case Reasoning:
			f.number(4)
			f.text(p.Text, p.Signature)
		case Media:
			f.number(5)
			f.text(string(p.Kind), p.MIME, p.Data, p.URL, p.Detail)
		case Opaque:
			f.number(6)
			f.text(p.Kind, p.Raw)
		}
	}
}

// sum returns the hash and begins a new one.
func (f *fingerprint) sum() Digest {
	f.hash.Write(f.buffer)
	f.buffer = f.hash.Sum(f.buffer[:0])
	sum := Digest(f.buffer[:len(Digest{})])
	f.hash.Reset()
	f.buffer = f.buffer[:0]
	return sum
}
