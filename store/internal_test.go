package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
)

// What was stored by an old version must be found by a new one.
func TestNamesNeverChange(t *testing.T) {
	t.Parallel()
	secret := [32]byte{1, 2, 3}
	id := tenantID(secret, "alice")
	k := tenantKey(secret, id)
	h := k.namer(KindText)
	_, _ = io.WriteString(h, "some text")
	chunk := k.chunkID([]byte("some text"))
	got := []string{hex.EncodeToString(id[:]), named(h), hex.EncodeToString(chunk[:])}
	want := []string{
		"f15d7b6f730140df4653a5b487b053f0",
		"dwhomwl25s2ihgjsa4llkosmyo",
		"657e8e3a54a9ba1346aea1a1b59a354db1aea3b84ba4eb19f3d77d964640330a",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
}

func TestTheFormOfPartsNeverChanges(t *testing.T) {
	t.Parallel()
	s, err := sourceOf(plimsoll.ListOf[plimsoll.Part](
		plimsoll.Text{Text: "see"},
		plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "aGk=", Width: 3, Seconds: 1},
		plimsoll.ToolResult{CallID: "1", IsError: true, Ref: &plimsoll.Ref{ID: "r", Bytes: 300, Lines: 2}, Content: plimsoll.ListOf[plimsoll.Part](
			plimsoll.Reasoning{Text: "hm", Signature: "s"}, plimsoll.Opaque{Kind: "k", Raw: "{}"},
		)},
		plimsoll.ToolCall{ID: "2", Name: "ls", Arguments: "{}"},
	))
	if err != nil {
		t.Fatal(err)
	}
	const text = "see\n[image]\nhm\n[other:k]\nls {}"
	const rest = "\x01\x1e\bt\a\x00m\nimage\x12image/png\baGk=\x00\x00\x06\x00\x00?\xf0\x00\x00\x00\x00\x00\x00r\x021\x00\x02\x02\x02r\xd8\x04\x04\x04k\x05\f\x02s\x00o\x02k\x04{}c\x022\x05\x19\x05\x1c"
	if got := strings.Join(s.text, ""); got != text {
		t.Errorf("text: got %q, want %q", got, text)
	}
	if got := strings.Join(s.rest, ""); got != rest {
		t.Errorf("rest: got %q, want %q", got, rest)
	}
}

func TestPartsThatMakeNoSenseAreDamaged(t *testing.T) {
	t.Parallel()
	deep := "\x01\x00"
	for range maxNesting + 2 {
		deep += "\x02r\x00\x00\x00\x00"
	}
	deep += "\x00"
	huge := string(binary.AppendUvarint(nil, 1<<62))
	for name, row := range map[string]struct {
		stored string
		text   int64
	}{
		"nothing behind the text":       {"text", 4},
		"a text before the beginning":   {"text", -1},
		"an unknown version":            {"\x02\x00\x00", 0},
		"a text of another length":      {"ab\x01\x01\x00", 2},
		"no list":                       {"\x01\x00", 0},
		"something behind the list":     {"\x01\x00\x00\x00", 0},
		"fewer parts than it says":      {"\x01\x00\x02", 0},
		"fewer parts than none":         {"\x01\x00\x01", 0},
		"more parts than there is room": {"\x01\x00\xfe\xff\xff\xff\x0f", 0},
		"an unknown part":               {"\x01\x00\x02?", 0},
		"a text behind the end":         {"\x01\x00\x02t\x08ab", 0},
		"a huge text":                   {"\x01\x00\x02t" + huge, 0},
		"a text outside the text":       {"a\x01\x01\x02t\x03\x05", 1},
		"a text beyond the text":        {"a\x01\x01\x02t\x05\x00", 1},
		"a text far outside":            {"a\x01\x01\x02t\x03" + huge, 1},
		"a number without an end":       {"\x01\x00\x80", 0},
		"half a number with a fraction": {"\x01\x00\x02m\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 0},
		"results in results for ever":   {deep, 0},
	} {
		if list, err := decodeParts(row.stored, row.text); !errors.Is(err, ErrCorrupt) || list.Len() != 0 {
			t.Errorf("%s: got %v, error %v", name, list, err)
		}
	}
}

// It runs alone: others would be counted too.
func TestAChunkCannotBecomeLongerThanItMustBe(t *testing.T) {
	var bomb bytes.Buffer
	w, err := zstd.NewWriter(&bomb, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zeros := strings.Repeat("\x00", 1<<20)
	for range 64 {
		if _, err := io.WriteString(w, zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = c.decompress(bomb.Bytes(), make([]byte, 0, 2000), 1000)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("got error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes that become 64 MiB took %d", bomb.Len(), n)
	}
}
