package replay

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// archive keeps what rungs take out, in memory, for one conversation. Its references
// look as those of a store, because they are weighed too.
type archive struct {
	names    *names
	contents map[string]plimsoll.List[plimsoll.Part]
	// atoms of contents that were asked for.
	atoms map[string]map[atom]bool
}

var _ fit.Archive = (*archive)(nil)

func newArchive(n *names) *archive {
	return &archive{n, map[string]plimsoll.List[plimsoll.Part]{}, map[string]map[atom]bool{}}
}

// idLength is that of a store's references.
const idLength = 26

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567")

// Ref implements [fit.Archive].
func (a *archive) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return RefOf(content), nil
}

// RefOf returns the reference that content has in the lab: the same in every run. Who
// compares figures with those of the lab must name content so, because names are weighed.
func RefOf(content plimsoll.List[plimsoll.Part]) plimsoll.Ref {
	h := sha256.New()
	writeParts(h, content)
	text := plimsoll.TextOf(content)
	return plimsoll.Ref{
		ID: idEncoding.EncodeToString(h.Sum(nil))[:idLength], Bytes: int64(len(text)), Lines: int64(strings.Count(text, "\n") + 1),
	}
}

// Put implements [fit.Archive].
func (a *archive) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	ref, err := a.Ref(ctx, content)
	a.contents[ref.ID] = content
	return ref, err
}

// Content implements [fit.Archive].
func (a *archive) Content(_ context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	content, ok := a.contents[id]
	if !ok {
		return content, plimsoll.ErrNotFound
	}
	return content, nil
}

// has reports whether what is stored under an id names an identifier.
func (a *archive) has(id string, wanted atom) bool {
	found, ok := a.atoms[id]
	if !ok {
		found = map[atom]bool{}
		for _, p := range a.contents[id].All() {
			for _, x := range a.names.in(plainTexts(p)...) {
				found[x] = true
			}
		}
		a.atoms[id] = found
	}
	return found[wanted]
}

// plainTexts returns what a stored part says. Whole messages are stored as JSON,
// whose texts are read without their escapes.
func plainTexts(p plimsoll.Part) []string {
	o, ok := p.(plimsoll.Opaque)
	if !ok {
		return []string{textOf(p)}
	}
	var value any
	if json.Unmarshal([]byte(o.Raw), &value) != nil {
		return []string{o.Raw}
	}
	return textsOf(value, nil)
}

func textsOf(value any, all []string) []string {
	switch v := value.(type) {
	case string:
		all = append(all, v)
	case []any:
		for _, item := range v {
			all = textsOf(item, all)
		}
	case map[string]any:
		for _, item := range v {
			all = textsOf(item, all)
		}
	}
	return all
}

// refsIn returns the references in a text that the archive has.
func (a *archive) refsIn(text string) []string {
	var found []string
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= '2' && text[end] <= '7') {
			end++
		}
		if end-i == idLength {
			if _, ok := a.contents[text[i:end]]; ok {
				found = append(found, text[i:end])
			}
		}
		i = end + 1
	}
	return found
}
