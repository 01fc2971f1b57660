package dashboard

import (
	"context"
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/store"
)

// refView is stored content, by lines.
type refView struct {
	page
	refRow
	// From is the first line that is shown, counted from 1; Previous and Next are where
	// the pages beside it begin, 0 if there are none.
	From     int64      `json:"from"`
	Shown    []lineText `json:"lines"`
	Previous int64      `json:"-"`
	Next     int64      `json:"next,omitempty"`
	// Pattern was searched for, in Matches; Notes say how to go on.
	Pattern    string     `json:"pattern,omitempty"`
	Regex      bool       `json:"regex,omitempty"`
	IgnoreCase bool       `json:"ignore_case,omitempty"`
	Searched   bool       `json:"searched,omitempty"`
	Matches    []lineText `json:"matches,omitempty"`
	Notes      string     `json:"notes,omitempty"`
	// At is the line from which the search goes on; 0 if it is at its end.
	At int64 `json:"search_from,omitempty"`
}

// lineText is one line.
type lineText struct {
	N    int64  `json:"n"`
	Text string `json:"text"`
	// More says that the line goes on.
	More bool `json:"more,omitempty"`
}

const (
	// pageLines is how many lines are shown at once, pageBytes how much of them, and
	// lineBytes how much of one.
	pageLines = 200
	pageBytes = 256 << 10
	lineBytes = 4 << 10
	// matches is how many lines that match are.
	matches = 100
	// maxForm bounds what a search may send.
	maxForm = 16 << 10
	// searchTime bounds how long one may take.
	searchTime = 10 * time.Second
)

// ref shows content from a line on.
func (d *Dashboard) ref(r *http.Request) (view, error) {
	v, reader, err := d.openRef(r)
	if err != nil {
		return view{}, err
	}
	defer reader.Close()
	v.From = lineNumber(r.URL.Query().Get("from"))
	if v.From > v.Lines {
		v.From = max(1, v.Lines-pageLines+1)
	}
	if err := v.read(r.Context(), reader); err != nil {
		return view{}, err
	}
	return view{"ref", v}, nil
}

// lineNumber reads a number from 1 on; what is none is 1.
func lineNumber(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 1
	}
	return min(max(1, n), math.MaxInt32)
}

// openRef finds content and says what is known of it.
func (d *Dashboard) openRef(r *http.Request) (refView, *store.Reader, error) {
	v := refView{page: d.page("refs", "Content")}
	v.Live = false
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store = s.failure()
	tenant, ok := s.tenants[r.PathValue("tenant")]
	if !ok {
		return v, nil, errNotFound
	}
	reader, err := tenant.Open(r.Context(), r.PathValue("ref"))
	if err != nil {
		return v, nil, err
	}
	o := reader.Object()
	v.refRow = newRefRow(r.PathValue("tenant"), o, d.live.origins()[o.ID])
	v.Title = "Content " + o.ID[:min(8, len(o.ID))]
	return v, reader, nil
}

// read takes the lines of one page.
func (v *refView) read(ctx context.Context, reader *store.Reader) error {
	if v.From > 1 {
		v.Previous = max(1, v.From-pageLines)
	}
	for from, size := v.From-1, 0; from >= 0; {
		next, err := v.readFrom(ctx, reader, from, &size)
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// readFrom takes lines until the page is full or one is too long to be read to its end.
// It returns the line to go on with; -1 if there is none.
func (v *refView) readFrom(ctx context.Context, reader *store.Reader, from int64, size *int) (int64, error) {
	goesOn := false
	for line, err := range reader.Lines(ctx, from) {
		if err != nil {
			return -1, err
		}
		if !goesOn {
			if len(v.Shown) >= pageLines || *size > pageBytes {
				v.Next = line.Number + 1
				return -1, nil
			}
			v.Shown = append(v.Shown, lineText{N: line.Number + 1})
		}
		last := &v.Shown[len(v.Shown)-1]
		*size += last.grow(string(line.Text))
		goesOn = line.More
		if goesOn && last.More {
			if line.Number+1 >= v.Lines {
				return -1, nil
			}
			return line.Number + 1, nil
		}
	}
	return -1, nil
}

// grow adds a piece of the line, as far as it is shown, and returns how much that is.
func (t *lineText) grow(text string) int {
	room := max(0, lineBytes-len(t.Text))
	piece := clipped(text, room)
	t.Text, t.More = t.Text+piece, t.More || len(text) > room
	return len(piece)
}

// search looks for a pattern in content.
func (d *Dashboard) search(r *http.Request) (view, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return view{}, &plimsoll.Error{Op: "search", Code: plimsoll.CodeInvalid, Err: errors.New("the form cannot be read"), Hint: "search for something shorter"}
	}
	v, reader, err := d.openRef(r)
	if err != nil {
		return view{}, err
	}
	if err := reader.Close(); err != nil {
		return view{}, err
	}
	v.Pattern, v.Regex, v.IgnoreCase = strings.ToValidUTF8(r.PostForm.Get("pattern"), "\uFFFD"), r.PostForm.Get("regex") != "", r.PostForm.Get("ignore_case") != ""
	v.Searched, v.From = v.Pattern != "", lineNumber(r.PostForm.Get("from"))
	if !v.Searched {
		return view{"ref", v}, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	s := d.ledger.read(ctx, nil)
	grep := expand.Grep{Ref: v.ID, Pattern: v.Pattern, Regex: v.Regex, IgnoreCase: v.IgnoreCase, MaxMatches: matches, Offset: v.From - 1}
	var found strings.Builder
	if err := grep.Matches(ctx, &found, s.tenants[v.Tenant], expand.Limits{Bytes: pageBytes, TextTime: searchTime / 2, RegexTime: searchTime / 4}); err != nil {
		return view{}, err
	}
	v.take(found.String())
	return view{"ref", v}, nil
}

var (
	numberedLine = regexp.MustCompile(`^ *(\d+)  (.*)$`)
	goOn         = regexp.MustCompile(`To go on: offset=(\d+)`)
)

// take reads the lines from what a search gives a model: each below the reference, and
// what there is to say about them behind.
func (v *refView) take(found string) {
	heading := "ref:" + v.ID
	below := false
	var notes []string
	for line := range strings.Lines(found) {
		line = strings.TrimSuffix(line, "\n")
		parts := numberedLine.FindStringSubmatch(line)
		switch {
		case line == heading:
			below = true
		case below && parts != nil:
			n, _ := strconv.ParseInt(parts[1], 10, 64) // of digits
			v.Matches = append(v.Matches, lineText{N: n, Text: strings.ToValidUTF8(parts[2], "\uFFFD")})
			below = false
		case line != "" && !strings.HasPrefix(line, "["):
			notes = append(notes, line)
		}
	}
	if parts := goOn.FindStringSubmatch(strings.Join(notes, "\n")); parts != nil {
		n, _ := strconv.ParseInt(parts[1], 10, 64) // of digits
		v.At = n + 1
		return
	}
	if len(v.Matches) == 0 {
		v.Notes = strings.Join(notes, " ")
	}
}
