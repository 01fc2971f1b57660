package quality

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync"
)

// Windows are the sizes that are measured, as shares of a chat.
var Windows = []struct {
	Name  string
	Share float64
}{{"half", 0.5}, {"quarter", 0.25}, {"tenth", 0.1}}

// Options say what is measured.
type Options struct {
	// LoCoMo is the folder of its files, Shared the one that holds corpora/.
	LoCoMo, Shared string
	// Every n-th question is also asked as the newest message.
	Every int
	// Log hears how far it is.
	Log io.Writer
}

// Result is what a run found.
type Result struct {
	Every int `json:"every"`
	// Tuning and Checking have the same rows.
	Tuning   []Row `json:"tuning"`
	Checking []Row `json:"checking"`
	// Japanese is empty if the corpora are missing.
	Japanese []Japanese `json:"japanese"`
}

// Row is one way to make chats fit a window.
type Row struct {
	// Window is empty for the controls, which no window bounds.
	Window string `json:"window,omitempty"`
	Way    string `json:"way"`
	// Asked says that the question was the newest message.
	Asked bool `json:"asked"`
	Score
	// Used is the mean share of the limit; 0 for the controls.
	Used    float64 `json:"used"`
	prompts int
}

// add takes the same row of another chat.
func (r *Row) add(o Row) {
	r.Score.add(o.Score)
	r.Used += o.Used
	r.prompts += o.prompts
}

// Measure runs everything.
func Measure(o Options) (*Result, error) {
	chats, err := Load(o.LoCoMo)
	if err != nil {
		return nil, err
	}
	b := newBench()
	rows := make([][]Row, len(chats))
	err = each(len(chats), func(i int) (err error) {
		rows[i], err = b.chat(&chats[i], o.Every)
		fmt.Fprintf(o.Log, "quality: chat %s, %d questions\n", chats[i].Name, len(chats[i].Questions))
		return err
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Every: o.Every}
	for i, c := range chats {
		sum := &r.Checking
		if slices.Contains(Tuning, c.Name) {
			sum = &r.Tuning
		}
		if *sum == nil {
			*sum = rows[i]
			continue
		}
		for k := range rows[i] {
			(*sum)[k].add(rows[i][k])
		}
	}
	for _, set := range [][]Row{r.Tuning, r.Checking} {
		for k := range set {
			set[k].Used /= float64(max(1, set[k].prompts))
		}
	}
	r.Japanese, err = b.japanese(o.Shared)
	if errors.Is(err, fs.ErrNotExist) { // the rest is worth reading
		fmt.Fprintln(o.Log, "quality: Japanese dialogues NOT MEASURED:", err)
		err = nil
	}
	return r, err
}

// each runs do for 0 to n-1, one on each core at a time.
func each(n int, do func(int) error) error {
	errs := make([]error, n)
	var workers sync.WaitGroup
	cores := make(chan bool, runtime.GOMAXPROCS(0))
	for i := range n {
		workers.Go(func() {
			cores <- true
			errs[i] = do(i)
			<-cores
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// chat returns the rows of one chat, in the same order for all chats.
func (b *bench) chat(c *Chat, every int) ([]Row, error) {
	controls := []Row{{Way: "whole chat", Score: score(textOf(c.messages), c.Questions)}, {Way: "whole chat without the evidence"}}
	for i, q := range c.Questions {
		controls[1].Score.add(score(c.without(q), c.Questions[i:i+1]))
	}
	full := b.weigh(c.messages).Total
	var told, asked []Row
	for _, w := range Windows {
		window := int(float64(full) * w.Share)
		for _, name := range Ways() {
			p, err := b.way(name, c.messages, window)
			if err != nil {
				return nil, fmt.Errorf("chat %s, %s, %s: %w", c.Name, w.Name, name, err)
			}
			told = append(told, Row{w.Name, name, false, score(p.text, c.Questions), p.used(), 1})
		}
		for _, method := range methods {
			row := Row{Window: w.Name, Way: method, Asked: true}
			for i := 0; i < len(c.Questions); i += every {
				messages := slices.Clone(c.messages)
				messages[len(messages)-1].Content = c.Questions[i].Text
				p, err := b.fit(messages, method, window, true)
				if err != nil {
					return nil, fmt.Errorf("chat %s, %s, %s, %q: %w", c.Name, w.Name, method, c.Questions[i].Text, err)
				}
				row.add(Row{Score: score(p.text, c.Questions[i:i+1]), Used: p.used(), prompts: 1})
			}
			asked = append(asked, row)
		}
	}
	return slices.Concat(controls, told, asked), nil
}
