// Package bills compares what Plimsoll counts before any bill with what providers billed, on
// requests that public projects recorded for their tests. The recordings are not part of the
// repository; Extract takes them out of copies of the projects.
package bills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Recording is a request and what the provider billed for its prompt.
type Recording struct {
	Repo    string           `json:"repo"`
	File    string           `json:"file"`
	URL     string           `json:"url"`
	Dialect plimsoll.Dialect `json:"dialect"`
	Model   string           `json:"model"`
	Billed  int              `json:"billed"`
	Body    string           `json:"body"`
}

// Row has the errors of a family: in tokens, and in shares of the bill. Held says how often they
// were within the band.
type Row struct {
	Tokens []int     `json:"tokens"`
	Shares []float64 `json:"shares"`
	Held   int       `json:"held"`
}

// ErrMissing means that the folder has no recordings.
var ErrMissing = errors.New("no recordings")

// Measure weighs the recordings of a folder. The rows are named by their families.
func Measure(dir string) (map[string]*Row, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if dir == "" || len(files) == 0 {
		return nil, fmt.Errorf("%w in %q: name a folder by --recordings or PLIMSOLL_RECORDINGS, and let --extract fill it "+
			"from copies of the projects that docs/counting.md names (the recordings are not ours to ship)", ErrMissing, dir)
	}
	meter, rows := token.NewMeter(nil), map[string]*Row{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var r Recording
			if err := json.Unmarshal(line, &r); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			request, err := dialects.Codec(r.Dialect).Decode([]byte(r.Body))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, r.File, err)
			}
			c := request.Conversation()
			c.Model = r.Model
			load, name := meter.Weigh(c), family(r, c)
			if rows[name] == nil {
				rows[name] = &Row{}
			}
			row, off := rows[name], max(load.Total-r.Billed, r.Billed-load.Total)
			row.Tokens, row.Shares = append(row.Tokens, off), append(row.Shares, float64(off)/float64(r.Billed))
			if off <= load.Band {
				row.Held++
			}
		}
	}
	for _, row := range rows {
		slices.Sort(row.Tokens)
		slices.Sort(row.Shares)
	}
	return rows, nil
}

var (
	stored = regexp.MustCompile(`"(previous_response_id": ?"|(conversation|cached_?[cC]ontent|context_management|web_search_options|` +
		`background|plugins|mcp_servers|file_id)":)|"item_reference"|compaction`)
	openAI = regexp.MustCompile(`^(.*/)?(gpt-4o|gpt-4\.1|gpt-5|o\d)`)
)

// family names the row that a request counts for.
func family(r Recording, c plimsoll.Conversation) string {
	model, name := strings.ToLower(r.Model), "others"
	switch {
	case strings.Contains(model, "claude"):
		name = "Claude"
	case strings.Contains(model, "gemini"):
		name = "Gemini"
	case openAI.MatchString(model):
		name = "OpenAI"
	}
	hidden, media := stored.MatchString(r.Body), false
	for _, t := range c.Tools.All() {
		hidden = hidden || t.Opaque != ""
	}
	for _, m := range c.Messages.All() {
		hidden = hidden || plimsoll.Has[plimsoll.Opaque](m)
		media = media || plimsoll.Has[plimsoll.Media](m)
	}
	switch {
	case hidden:
		return name + ", with what the request does not show"
	case media:
		return name + ", with media"
	case name == "Gemini" && strings.Contains(r.URL, "aiplatform"):
		return name + ", at Vertex"
	case c.Tools.Len() > 0:
		return name + ", with tools"
	}
	return name
}
