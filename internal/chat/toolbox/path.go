package toolbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// local makes of what a model calls a file its path below the directory, with slashes;
// the directory itself is ".".
func (b *Box) local(name string) (string, error) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(b.dir, name)
		if err != nil {
			return "", outside(name)
		}
		name = rel
	}
	clean := path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(clean) || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", outside(name)
	}
	return clean, nil
}

func outside(name string) error {
	return fmt.Errorf("%s is outside of the working directory; name files relative to it", name)
}

// plainError says what is wrong with a file, without the system's words around it.
func plainError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s; list shows what there is", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read", name)
	case strings.Contains(err.Error(), "escapes"):
		return outside(name)
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}

// open opens a regular file. Others, such as pipes, could block without end.
func (b *Box) open(name string) (*os.File, fs.FileInfo, error) {
	info, err := b.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, plainError(name, err)
	}
	if info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a directory; list shows what is in it", name)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := b.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, plainError(name, err)
	}
	return f, info, nil
}
