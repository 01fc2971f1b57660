package chat

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// maxAttachment bounds what goes with a message.
const maxAttachment = 32 << 20

// attach puts a file, or what is pasted, with the next message.
func (e *Engine) attach(ctx context.Context, name string, tell func(Event)) error {
	var a Attachment
	switch name {
	case "":
		if names := e.Attached(); len(names) > 0 {
			done(tell, "with the next message: %s; /attach none takes it off", strings.Join(names, ", "))
		} else {
			done(tell, "nothing is attached; /attach FILE sends a file with the next message")
		}
		return nil
	case "none":
		e.mu.Lock()
		e.attached = nil
		e.mu.Unlock()
		done(tell, "nothing is attached")
		return nil
	case "-":
		e.mu.Lock()
		read := e.desk.Read
		e.mu.Unlock()
		if read == nil {
			return wrong("attach", "name a file", "nothing can be pasted here")
		}
		text, err := read(ctx)
		if err != nil {
			return err
		}
		a = Attachment{Name: "pasted", Text: text}
	default:
		var err error
		if a, err = readAttachment(name); err != nil {
			return err
		}
	}
	e.mu.Lock()
	e.attached = append(e.attached, a)
	e.mu.Unlock()
	done(tell, "%s goes with the next message (%d bytes)", a.Name, len(a.Text)+base64.StdEncoding.DecodedLen(len(a.Data)))
	return nil
}

// readAttachment reads a text or a picture.
func readAttachment(name string) (Attachment, error) {
	data, err := readBounded(name)
	if err != nil {
		return Attachment{}, err
	}
	if kind := http.DetectContentType(data); strings.HasPrefix(kind, "image/") {
		return Attachment{Name: filepath.Base(name), MIME: kind, Data: base64.StdEncoding.EncodeToString(data)}, nil
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return Attachment{}, wrong("attach", "attach text in UTF-8 or a picture", "%s is neither text nor a picture", name)
	}
	return Attachment{Name: filepath.Base(name), Text: string(data)}, nil
}

func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, wrong("attach", "name a file that can be read", "%w", err)
	case !info.Mode().IsRegular():
		return nil, wrong("attach", "name a file", "%s is no file", name)
	case info.Size() > maxAttachment:
		return nil, wrong("attach", "attach a part of it, or let a model read it with --tools", "%s has %d bytes, more than %d", name, info.Size(), maxAttachment)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, wrong("attach", "name a file that can be read", "%w", err)
	}
	return data, nil
}

// save writes the session to a file.
func (e *Engine) save(name string, tell func(Event)) error {
	if name == "" {
		return wrong("save", "name a file", "no file is named; session %s is kept anyway", e.Session())
	}
	s := e.snapshot()
	var out bytes.Buffer
	for _, r := range []record{
		{Kind: recordSettings, At: e.options.Now(), Settings: &s.settings},
		{Kind: recordTurns, At: e.options.Now(), What: "loading", Turns: s.turns},
	} {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	if err := writeFile(name, out.Bytes()); err != nil {
		return &plimsoll.Error{Op: "/save", Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file that does not exist yet"}
	}
	done(tell, "saved to %s", name)
	return nil
}

// writeFile writes a file that did not exist.
func writeFile(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// load takes the conversation of a file or of a session instead of this one. The
// models that take part stay.
func (e *Engine) load(name string, tell func(Event)) error {
	if name == "" {
		return wrong("load", "name a file, or a session that /sessions lists", "nothing is named")
	}
	path := name
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if found, err := sessionPath(e.options.Sessions, name); err == nil {
			path = found
		}
	}
	loaded, err := readSession(path)
	if err != nil {
		return &plimsoll.Error{Op: "/load " + name, Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file that /save wrote, or a session that /sessions lists"}
	}
	turns := loaded.turns
	if turns == nil {
		turns = []Turn{}
	}
	if err := e.commit(record{Kind: recordTurns, What: "loading", Turns: turns}); err != nil {
		return err
	}
	if set := e.snapshot().settings; set.System != loaded.settings.System {
		set.System = loaded.settings.System
		if err := e.change(set); err != nil {
			return err
		}
	}
	done(tell, "loaded %s; /undo brings the conversation before it back", plural(countTurns(turns), "turn"))
	return nil
}

// export writes the conversation for other programs: as Markdown, or as messages.
func (e *Engine) export(name string, tell func(Event)) error {
	if name == "" {
		return wrong("export", "name a file that ends in .md or .json", "no file is named")
	}
	s := e.snapshot()
	data := []byte(markdown(s))
	if strings.EqualFold(filepath.Ext(name), ".json") {
		all := e.Participants()
		c, _ := e.shared(all[0], s)
		r, err := write(Participant{Dialect: plimsoll.OpenAI, Model: all[0].Model}, "", nil, c.Messages.Slice())
		if err != nil {
			return err
		}
		data = append(r.Body(), '\n')
	}
	if err := writeFile(name, data); err != nil {
		return &plimsoll.Error{Op: "/export", Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file that does not exist yet"}
	}
	done(tell, "exported to %s", name)
	return nil
}

// markdown writes the conversation for readers.
func markdown(s state) string {
	var b strings.Builder
	if s.settings.System != "" {
		fmt.Fprintf(&b, "## System\n\n%s\n\n", s.settings.System)
	}
	for _, t := range s.turns {
		if t.Checkpoint != nil {
			fmt.Fprintf(&b, "## Summary of %s\n\n", plural(t.Checkpoint.Turns, "turn"))
			for _, m := range t.Checkpoint.Messages {
				fmt.Fprintf(&b, "%s\n\n", m.Text)
			}
			continue
		}
		fmt.Fprintf(&b, "## You to %s\n\n%s\n\n", strings.Join(t.To, ", "), t.Question)
		for _, a := range t.Attached {
			fmt.Fprintf(&b, "(with %s)\n\n", a.Name)
		}
		for _, r := range t.Replies {
			fmt.Fprintf(&b, "## %s (%s)\n\n%s\n\n", r.Participant, r.Model, r.Text)
			if r.Failure != "" {
				fmt.Fprintf(&b, "(failed: %s)\n\n", r.Failure)
			}
		}
	}
	return strings.TrimSpace(b.String()) + "\n"
}
