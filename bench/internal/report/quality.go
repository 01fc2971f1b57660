package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/bench/internal/quality"
)

// The tables of docs/quality.md stand between these lines.
const (
	qualityBegin = "<!-- written by bench/run --only quality: begin -->\n"
	qualityEnd   = "<!-- written by bench/run --only quality: end -->\n"
)

// UpdateQuality replaces the tables of a page that Quality makes.
func UpdateQuality(file, markdown string) error {
	return update(file, qualityBegin, qualityEnd, markdown)
}

// Quality returns the report on what is left of long chats.
func Quality(r *quality.Result) string {
	japanese := "Not measured: the corpora are missing.\n"
	if len(r.Japanese) > 0 {
		japanese = japaneseTable(r.Japanese).String()
	}
	return strings.Join([]string{
		"### Tuning chats\n\n" + qualityTable(r.Tuning, false).String(),
		"### Checking chats\n\n" + qualityTable(r.Checking, false).String(),
		fmt.Sprintf("### Tuning chats, with the question as the newest message\n\nOne of %d questions.\n\n", r.Every) + qualityTable(r.Tuning, true).String(),
		"### Checking chats, with the question as the newest message\n\n" + qualityTable(r.Checking, true).String(),
		"### Japanese dialogues, words of later turns\n\n" + japanese,
	}, "\n")
}

func qualityTable(rows []quality.Row, asked bool) *table {
	t := &table{head: []string{"window", "way", "evidence", "answers", "strict", "local", "window used", "questions"}, text: []int{1}}
	for _, r := range rows {
		if r.Asked != asked {
			continue
		}
		used := "–"
		if r.Window != "" {
			used = fmt.Sprintf("%.2f", r.Used)
		}
		t.add(r.Window, r.Way, percentOf(r.Evidence, r.Questions), percentOf(r.Answers, r.Questions), percentOf(r.Strict, r.Questions),
			percentOf(r.Local, r.Readable), used, fmt.Sprint(r.Questions))
	}
	return t
}

// japaneseTable has a row for each corpus and way, and two columns for each window.
func japaneseTable(rows []quality.Japanese) *table {
	t := &table{head: []string{"corpus", "way"}, text: []int{1}}
	for _, w := range quality.Windows {
		t.head = append(t.head, w.Name, "window used")
	}
	t.head = append(t.head, "words")
	for _, first := range rows {
		if first.Window != quality.Windows[0].Name {
			continue
		}
		cells := []string{first.Corpus, first.Way}
		for _, r := range rows {
			if r.Corpus == first.Corpus && r.Way == first.Way {
				cells = append(cells, percentOf(r.Kept, r.Needed), fmt.Sprintf("%.2f", r.Used))
			}
		}
		t.add(append(cells, fmt.Sprint(first.Needed))...)
	}
	return t
}

func percentOf(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
