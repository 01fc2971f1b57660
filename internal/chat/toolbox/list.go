package toolbox

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/plimsoll/plimsoll"
)

const listSchema = `{"type":"object","properties":{"path":{"type":"string","description":"Directory, relative to the working directory; by default that itself."},"depth":{"type":"integer","minimum":1,"description":"How many levels are shown; 1 by default."}},"additionalProperties":false}`

type listArguments struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

func (b *Box) listTool() tool {
	return tool{
		plimsoll.Tool{Name: "list", Description: "Lists a directory below the working directory: directories with a slash, files with their size in bytes.", Schema: listSchema},
		func(ctx context.Context, text string, _ func(string) error) (answer, error) {
			a, err := parse[listArguments](listSchema, text)
			if err != nil {
				return answer{}, err
			}
			return b.list(ctx, a)
		},
	}
}

func (b *Box) list(ctx context.Context, a listArguments) (answer, error) {
	top, err := b.local(a.Path)
	if err != nil {
		return answer{}, err
	}
	depth := max(a.Depth, 1)
	var out strings.Builder
	shown, more := 0, false
	err = fs.WalkDir(b.root.FS(), top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == top:
			return err
		case err != nil:
			fmt.Fprintf(&out, "%s cannot be read\n", name)
			return nil
		case name == top && d.IsDir():
			return nil
		case shown == b.options.MaxEntries:
			more = true
			return fs.SkipAll
		}
		shown++
		out.WriteString(entry(name, d))
		if d.IsDir() && (below(top, name) >= depth || path.Base(name) == ".git") {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return answer{}, plainError(top, err)
	}
	if more {
		fmt.Fprintf(&out, "[more than %d entries; list one of the directories]\n", b.options.MaxEntries)
	}
	if out.Len() == 0 {
		return say("(empty)"), nil
	}
	return say(strings.ToValidUTF8(out.String(), "\uFFFD")), nil
}

// below says how many levels a path is below another.
func below(top, name string) int {
	if top != "." {
		name = strings.TrimPrefix(name, top+"/")
	}
	return strings.Count(name, "/") + 1
}

func entry(name string, d fs.DirEntry) string {
	switch info, err := d.Info(); {
	case d.IsDir():
		return name + "/\n"
	case d.Type()&fs.ModeSymlink != 0:
		return name + " (link)\n"
	case err != nil || !d.Type().IsRegular():
		return name + " (no regular file)\n"
	default:
		return fmt.Sprintf("%s %d\n", name, info.Size())
	}
}
