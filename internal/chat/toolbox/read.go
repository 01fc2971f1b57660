package toolbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
)

const readSchema = `{"type":"object","properties":{"path":{"type":"string","description":"File, relative to the working directory."},"first":{"type":"integer","minimum":1,"description":"First line; by default the first of the file."},"last":{"type":"integer","minimum":1,"description":"Last line; by default the last of the file."}},"required":["path"],"additionalProperties":false}`

type readArguments struct {
	Path  string `json:"path"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

func (b *Box) readTool() tool {
	return tool{
		plimsoll.Tool{Name: "read", Description: "Reads a text file below the working directory, whole or from one line to another.", Schema: readSchema},
		func(ctx context.Context, text string, _ func(string) error) (answer, error) {
			a, err := parse[readArguments](readSchema, text)
			if err != nil {
				return answer{}, err
			}
			return b.read(ctx, a)
		},
	}
}

func (b *Box) read(ctx context.Context, a readArguments) (answer, error) {
	if a.Path == "" {
		return answer{}, errors.New("name a file as path")
	}
	if a.Last > 0 && a.Last < a.First {
		return answer{}, fmt.Errorf("line %d, the last, is before line %d, the first", a.Last, a.First)
	}
	name, err := b.local(a.Path)
	if err != nil {
		return answer{}, err
	}
	f, info, err := b.open(name)
	if err != nil {
		return answer{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, sniffed)
	if head, _ := in.Peek(sniffed); isBinary(head) {
		return answer{}, fmt.Errorf("%s is not text (%d bytes)", name, info.Size())
	}
	text, count, err := b.lines(ctx, in, a)
	switch {
	case err != nil:
		return answer{}, plainError(name, err)
	case count == 0:
		return say("(empty)"), nil
	case count < a.First:
		return answer{}, fmt.Errorf("%s has only %d lines", name, count)
	}
	return say(text), nil
}

// lines reads the lines that are asked for, as far as there is room for them, and
// counts those that it has seen.
func (b *Box) lines(ctx context.Context, in *bufio.Reader, a readArguments) (text string, count int, err error) {
	var out strings.Builder
	begins := true
	for a.Last <= 0 || count < a.Last || !begins {
		piece, err := in.ReadSlice('\n')
		if begins && len(piece) > 0 {
			count++
		}
		begins = err == nil
		if room := b.options.MaxBytes - out.Len(); count >= a.First {
			out.Write(piece[:min(len(piece), room)])
			if len(piece) > room {
				fmt.Fprintf(&out, "\n[cut in line %d after %d bytes; read on with first and last]", count, b.options.MaxBytes)
				break
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", 0, err
		}
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD"), count, nil
}

// sniffed is how many bytes of a file are looked at to tell whether it is text.
const sniffed = 8192

func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }
