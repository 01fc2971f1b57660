package dashboard

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// refsView lists what is stored.
type refsView struct {
	page
	Filter string   `json:"filter,omitempty"`
	Tenant string   `json:"tenant,omitempty"`
	Rows   []refRow `json:"refs"`
	// Looked is how many were looked through, More says that there are more.
	Looked int         `json:"looked_through"`
	More   bool        `json:"more"`
	Stats  store.Stats `json:"stats"`
	Owners []string    `json:"tenants"`
}

// refRow is stored content in a list.
type refRow struct {
	ID      string    `json:"id"`
	Tenant  string    `json:"tenant"`
	Kind    string    `json:"kind"`
	Note    string    `json:"note,omitempty"`
	Bytes   int64     `json:"byte_size"`
	Lines   int64     `json:"line_count"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	Damaged bool      `json:"damaged,omitempty"`
	// Key and Request say where it was cut, if that is remembered, About what it was.
	Key     string `json:"conversation,omitempty"`
	Request int    `json:"request,omitempty"`
	About   string `json:"about,omitempty"`
}

const (
	// lookedThrough is how many contents of a tenant a search goes through.
	lookedThrough = 2000
	refsPage      = 500
)

var errNoStore = &plimsoll.Error{
	Op: "read the store", Code: plimsoll.CodeNotFound, Err: plimsoll.ErrNotFound, Hint: "nothing is kept here; start the service with a store",
}

func (d *Dashboard) refs(r *http.Request) (view, error) {
	if d.options.Store == nil {
		return view{}, errNoStore
	}
	q := r.URL.Query()
	v := refsView{page: d.page("refs", "References"), Filter: clip(q.Get("q"), maxName), Tenant: clip(q.Get("tenant"), maxName), Rows: []refRow{}}
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store, v.Stats, v.Owners = s.failure(), s.stats, slices.Sorted(maps.Keys(s.tenants))
	ctx, cancel := context.WithTimeout(r.Context(), ledgerTime)
	defer cancel()
	origins := d.live.origins()
	for _, label := range v.Owners {
		if v.Tenant != "" && v.Tenant != label || v.Store != "" {
			continue
		}
		if err := v.add(ctx, label, s.tenants[label], origins); err != nil {
			v.Store = err.Error()
		}
	}
	slices.SortStableFunc(v.Rows, func(a, b refRow) int { return b.Created.Compare(a.Created) })
	if len(v.Rows) > shownRows {
		v.Rows, v.More = v.Rows[:shownRows], true
	}
	return view{"refs", v}, nil
}

// add adds what a tenant has stored, as far as it is looked through.
func (v *refsView) add(ctx context.Context, label string, t *store.Tenant, origins map[string]origin) error {
	looked := 0
	for after := ""; ; {
		objects, err := t.Objects(ctx, after, refsPage)
		if err != nil {
			return err
		}
		for _, o := range objects {
			after = o.ID
			looked++
			row := newRefRow(label, o, origins[o.ID])
			if row.matches(v.Filter) {
				v.Rows = append(v.Rows, row)
			}
		}
		if len(objects) < refsPage || looked >= lookedThrough {
			v.Looked += looked
			v.More = v.More || len(objects) == refsPage
			return nil
		}
	}
}

func newRefRow(label string, o store.Object, from origin) refRow {
	return refRow{
		ID: o.ID, Tenant: label, Kind: string(o.Kind), Note: clip(o.Note, maxName), Bytes: o.Bytes, Lines: o.Lines,
		Created: o.Created.UTC(), Used: o.Used.UTC(), Damaged: o.Damaged, Key: from.key, Request: from.request, About: from.about,
	}
}

func (c refRow) matches(filter string) bool {
	text := strings.ToLower(strings.Join([]string{c.ID, c.Kind, c.Note, c.About, c.Key}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// origin is where content was cut.
type origin struct {
	key, about string
	request    int
}

// origins says where the contents behind references were cut.
func (l *live) origins() map[string]origin {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := map[string]origin{}
	for _, c := range l.conversations {
		for _, made := range c.cuts {
			if made.Ref != nil {
				if _, known := all[made.Ref.ID]; !known {
					all[made.Ref.ID] = origin{c.key, made.About, made.Request}
				}
			}
		}
	}
	return all
}
