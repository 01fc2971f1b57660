package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/store"
)

// cacheLsCmd lists what is stored.
type cacheLsCmd struct {
	Limit int  `short:"n" placeholder:"N" help:"How many to list. Default: all."`
	JSON  bool `name:"json" help:"Print JSON, an object a line."`
	storeFlags
}

// Help is the long help text.
func (*cacheLsCmd) Help() string {
	return `Lists the tenant's objects, newest first: reference, kind, size, when it was last used, and what it is from. Where that is not known, the list shows how the content begins, in quotes.`
}

// listed is an object in the list for programs.
type listed struct {
	ID      string     `json:"id"`
	Kind    store.Kind `json:"kind"`
	Bytes   int64      `json:"byte_size"`
	Lines   int64      `json:"line_count"`
	Note    string     `json:"note"`
	Created time.Time  `json:"created"`
	Used    time.Time  `json:"used"`
}

// listPage is how many objects are asked for at a time.
const listPage = 1000

// Run lists.
func (c *cacheLsCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, all *store.Store, t *store.Tenant) error {
		if err := c.noteOthers(ctx, p, all); err != nil {
			return err
		}
		show := showJSONLine
		if !c.JSON {
			show = showObject
			fmt.Fprintln(p.out, p.lang.Lines(fmt.Sprintf("%-26s  %-5s  %12s  %10s  %-16s  %s", "id", "kind", "bytes", "lines", "last used", "from")))
		}
		left, after := c.Limit, ""
		if left <= 0 {
			left = math.MaxInt
		}
		for left > 0 {
			page, err := t.Objects(ctx, after, min(left, listPage))
			if err != nil {
				return err
			}
			for _, o := range page {
				if o.Note == "" && !c.JSON {
					o.Note = beginning(ctx, t, o.ID)
				}
				if err := show(p, o); err != nil {
					return err
				}
				after = o.ID
			}
			left -= len(page)
			if len(page) < listPage {
				return nil
			}
		}
		return nil
	})
}

// beginning returns the first words of stored content, in quotes. Content that cannot be
// read has none: the list says nothing of damage.
func beginning(ctx context.Context, t *store.Tenant, id string) string {
	r, err := t.Open(ctx, id)
	if err != nil {
		return ""
	}
	defer r.Close()
	var head [200]byte
	n, _ := io.ReadFull(r, head[:])
	text := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(string(head[:n]), "")), " "))
	return `"` + string(text[:min(len(text), 40)]) + `"`
}

func showJSONLine(p *process, o store.Object) error {
	return encodeJSON(p.out, listed{o.ID, o.Kind, o.Bytes, o.Lines, o.Note, o.Created.UTC(), o.Used.UTC()})
}

func showObject(p *process, o store.Object) error {
	line := fmt.Sprintf("%-26s  %-5s  %12s  %10s  %-16s  %s",
		o.ID, o.Kind, grouped(int(o.Bytes)), grouped(int(o.Lines)), o.Used.Local().Format("2006-01-02 15:04"), bar.Clean(o.Note))
	_, err := fmt.Fprintln(p.out, strings.TrimRight(line, " "))
	return err
}

// cacheStatsCmd shows how much is stored.
type cacheStatsCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
	storeFlags
}

// Help is the long help text.
func (*cacheStatsCmd) Help() string {
	return `Shows what the tenant has stored, and what all tenants have together: objects, their bytes, and what they take compressed and without repetitions.`
}

// Run counts.
func (c *cacheStatsCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, s *store.Store, t *store.Tenant) error {
		own, err := t.Stats(ctx)
		if err != nil {
			return err
		}
		all, err := s.Stats(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return encodeJSON(p.out, map[string]store.Stats{"tenant": own, "store": all})
		}
		tab := table{columns: []column{{words: true}, {title: "objects", right: true}, {title: "chunks", right: true}, {title: "decisions", right: true}, {title: "bytes", right: true}, {title: "compressed", right: true}}}
		for _, row := range []struct {
			name  string
			stats store.Stats
		}{{"this tenant", own}, {"whole store", all}} {
			n := row.stats
			tab.rows = append(tab.rows, []string{row.name, grouped(int(n.Objects)), grouped(int(n.Chunks)), grouped(int(n.Decisions)), grouped(int(n.Bytes)), grouped(int(n.Compressed))})
		}
		for _, line := range newDisplay(p, nil, root.Color).lines(tab, math.MaxInt) {
			fmt.Fprintln(p.out, line)
		}
		return nil
	})
}

// cacheGCCmd deletes by policy.
type cacheGCCmd struct {
	MaxAge       age      `placeholder:"D" help:"Delete what was last used longer ago than this: 90m, 12h, 30d."`
	MaxBytes     byteSize `placeholder:"N" help:"Delete what was unused for longest until everything takes at most this: 500MB, 2GiB."`
	Unreferenced bool     `help:"Delete what no decision refers to."`
	Grace        *age     `placeholder:"D" help:"Leave what was used this recently. Default: 1h."`
	Erase        bool     `help:"Leave nothing of what was deleted in a PostgreSQL server's tables. This locks the store meanwhile."`
	DryRun       bool     `short:"n" help:"Say what would go, and delete nothing."`
	JSON         bool     `name:"json" help:"Print the report as JSON."`
	storeFlags
}

// Help is the long help text.
func (*cacheGCCmd) Help() string {
	return `Deletes stored content of all tenants by age, by size or by reachability, and gives the space back. Without a flag it deletes only pieces that nothing names any more, such as those of a writer that died.

In a file nothing is left of what was deleted. PostgreSQL frees the space without clearing it; --erase rewrites its tables, also for what was deleted before. That locks the store while it runs and needs room for both copies. The server's write-ahead log, replicas and backups are out of its reach.

Examples:

    plimsoll cache gc --max-age 30d --dry-run
    plimsoll cache gc --max-bytes 2GiB`
}

// Run collects.
func (c *cacheGCCmd) Run(p *process, root *cli) error {
	policy := store.Policy{MaxAge: time.Duration(c.MaxAge), MaxBytes: int64(c.MaxBytes), Unreferenced: c.Unreferenced}
	if c.Grace != nil {
		policy.Grace = time.Duration(*c.Grace)
		if policy.Grace == 0 {
			policy.Grace = -1
		}
	}
	return c.readTenant(p, root, func(ctx context.Context, s *store.Store, _ *store.Tenant) error {
		report, err := s.GC(ctx, policy, c.DryRun)
		if err == nil && c.Erase && !c.DryRun {
			err = s.Erase(ctx)
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return encodeJSON(p.out, report)
		}
		showCollected(p, report)
		return nil
	})
}

func showCollected(p *process, r store.GCReport) {
	objects, decisions := "deleted %s, %s bytes: %s", "deleted %s: too old"
	if r.DryRun {
		objects, decisions = "would delete %s, %s bytes: %s", "would delete %s: too old"
	}
	for _, part := range []struct {
		what string
		n    store.Collected
	}{{"too old", r.Expired}, {"referred to by nothing", r.Unreferenced}, {"too much", r.Evicted}} {
		if part.n.Objects > 0 {
			p.say(objects, plural(int(part.n.Objects), "object"), grouped(int(part.n.Bytes)), part.what)
		}
	}
	if r.Decisions > 0 {
		p.say(decisions, plural(r.Decisions, "decision"))
	}
	if r.DryRun {
		p.say("%s and %s bytes compressed are stored", plural(int(r.Before.Objects), "object"), grouped(int(r.Before.Compressed)))
		return
	}
	p.say("gave back %s bytes of %s", grouped(int(r.Swept.Bytes)), plural(int(r.Swept.Chunks), "chunk"))
	if r.After != nil {
		p.say("%s and %s bytes compressed are left", plural(int(r.After.Objects), "object"), grouped(int(r.After.Compressed)))
	}
}

// cacheRmCmd deletes content.
type cacheRmCmd struct {
	IDs          []string `arg:"" name:"id" optional:"" help:"The references."`
	Conversation string   `placeholder:"NAME" help:"Delete all of a conversation: the name that the client gave it, or the id that the dashboard, the log and plimsoll account show."`
	All          bool     `help:"Delete all of the tenant that --tenant names, or of all tenants."`
	Yes          bool     `short:"y" help:"Delete all without a question."`
	Erase        bool     `help:"Leave nothing of it in a PostgreSQL server's tables either. This locks the store meanwhile."`
	storeFlags
}

// Help is the long help text.
func (*cacheRmCmd) Help() string {
	return `Deletes stored content at once and for good: afterwards no byte of it is left in the store's file, unless another reference needs it too. PostgreSQL frees the space without clearing it; --erase rewrites its tables, see "plimsoll cache gc --help".

With --conversation it deletes everything of a conversation of the tenant: contents that no other conversation refers to, decisions, recollections, rounds that the client was not shown, bills and the account. With --all it deletes everything of the tenant, limits that were learned included, or of all tenants if --tenant is not given. This needs --yes. A proxy that runs may hold some of it in memory until it ends.

Examples:

    plimsoll cache rm REF
    plimsoll cache rm --conversation build-42
    plimsoll cache rm --tenant alice --all --yes`
}

// Validate wants one target.
func (c *cacheRmCmd) Validate() error {
	targets := 0
	for _, given := range []bool{len(c.IDs) > 0, c.Conversation != "", c.All} {
		if given {
			targets++
		}
	}
	switch {
	case targets != 1:
		return errors.New("name references, --conversation NAME or --all")
	case c.All && !c.Yes:
		return errors.New("--all deletes everything that is stored; add --yes")
	}
	return nil
}

// Run deletes.
func (c *cacheRmCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, s *store.Store, t *store.Tenant) error {
		var missing error
		for _, id := range c.IDs {
			n, err := t.Delete(ctx, id)
			if err != nil {
				return cacheError(id, err)
			}
			if n == 0 {
				missing = also(missing, &plimsoll.Error{Op: "cache " + id, Err: store.ErrGone, Hint: "plimsoll cache ls has what is stored"})
			}
		}
		if len(c.IDs) == 0 {
			purged, err := c.purge(ctx, s, t)
			if err != nil {
				return err
			}
			if purged == (store.Purged{}) {
				missing = &plimsoll.Error{Op: "cache rm", Err: store.ErrGone, Hint: "plimsoll account lists conversations; name another tenant with --tenant"}
			}
			fmt.Fprintf(p.out, "deleted %s, %s, %s and %s\n", plural(int(purged.Objects), "object"),
				plural(int(purged.Decisions), "decision"), plural(int(purged.Accounts), "account"), plural(int(purged.Values), "value"))
		}
		_, err := s.Sweep(ctx)
		if err == nil && c.Erase {
			err = s.Erase(ctx)
		}
		if err != nil {
			return err
		}
		return missing
	})
}

// purge deletes a conversation, a tenant or everything.
func (c *cacheRmCmd) purge(ctx context.Context, s *store.Store, t *store.Tenant) (store.Purged, error) {
	switch {
	case c.Conversation != "":
		return t.Purge(ctx, c.Conversation)
	case c.Tenant != "":
		return t.Purge(ctx, "")
	}
	return s.Purge(ctx)
}

// cacheCheckCmd looks for damage.
type cacheCheckCmd struct {
	JSON bool `name:"json" help:"Print what is damaged as a list in JSON."`
	storeFlags
}

// Help is the long help text.
func (*cacheCheckCmd) Help() string {
	return `Reads everything that all tenants have stored, compares it with what was stored, and prints a line for each thing that is damaged. The exit status is 1 if there is any. Storing the same content again repairs it.`
}

// Run checks.
func (c *cacheCheckCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, s *store.Store, _ *store.Tenant) error {
		found, err := s.Check(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			err = encodeJSON(p.out, append([]string{}, found...))
		} else {
			for _, finding := range found {
				fmt.Fprintln(p.out, bar.Clean(finding))
			}
		}
		if err != nil || len(found) == 0 {
			return err
		}
		return &plimsoll.Error{
			Op: "check the store", Err: fmt.Errorf("%w: %s", store.ErrCorrupt, plural(len(found), "finding")),
			Hint: "store it again from its source, which repairs it; the rest of the store is not affected",
		}
	})
}

// age is a duration with days and weeks.
type age time.Duration

// UnmarshalText reads it.
func (a *age) UnmarshalText(text []byte) error {
	s := string(text)
	for unit, of := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || n < 0 || n > 1e5 {
				return fmt.Errorf("%q: want a time such as 90m, 12h or 30d", s)
			}
			*a = age(n * float64(of))
			return nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q: want a time such as 90m, 12h or 30d", s)
	}
	*a = age(d)
	return nil
}

// byteSize is a number of bytes with a unit.
type byteSize int64

// UnmarshalText reads it.
func (b *byteSize) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	factor := 1.0
	for _, unit := range []struct {
		name string
		of   float64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}} {
		if number, ok := strings.CutSuffix(s, unit.name); ok {
			s, factor = strings.TrimSpace(number), unit.of
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n*factor > math.MaxInt64/2 {
		return fmt.Errorf("%q: want a number of bytes such as 500MB or 2GiB", string(text))
	}
	*b = byteSize(n * factor)
	return nil
}
