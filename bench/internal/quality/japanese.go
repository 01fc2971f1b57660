package quality

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/survival"
)

// Japanese is one way to make Japanese chats fit a window.
type Japanese struct {
	Corpus string `json:"corpus"`
	Window string `json:"window"`
	Way    string `json:"way"`
	// Kept counts the words of later turns that the prompt still has, Needed those that
	// the old part had.
	Kept   int     `json:"kept"`
	Needed int     `json:"needed"`
	Used   float64 `json:"used"`
}

// corpora are the recorded dialogues.
var corpora = []string{"asdc-ja/dialogs", "realpersonachat-llm-ja/chats"}

// The dialogues are short, so joined of them make one long chat. Of each, told is the
// share that the prompt has; the rest is what comes later.
const (
	joined = 20
	told   = 0.7
	// commonIn is the share of the joined dialogues from which on a word is no test.
	commonIn = 0.2
	// question ends a joined chat.
	question = "前の話について、聞いてもいいですか？"
)

// joinedChat is a long chat, and the words that its later turns need.
type joinedChat struct {
	messages []message
	needed   []string
}

func (b *bench) japanese(shared string) ([]Japanese, error) {
	var rows []Japanese
	for _, corpus := range corpora {
		dialogues, err := readDialogues(filepath.Join(shared, "corpora", corpus+".jsonl.gz"))
		if err != nil {
			return nil, err
		}
		chats := join(dialogues)
		for _, w := range Windows {
			for _, name := range append(slices.Clone(methods), newestOnly) {
				row := Japanese{Corpus: filepath.Dir(corpus), Window: w.Name, Way: name}
				for i, c := range chats {
					window := int(float64(b.weigh(c.messages).Total) * w.Share)
					p, err := b.way(name, c.messages, window)
					if err != nil {
						return nil, fmt.Errorf("%s, chat %d, %s, %s: %w", corpus, i, w.Name, name, err)
					}
					for _, word := range c.needed {
						row.Kept += one(strings.Contains(p.text, word))
					}
					row.Needed += len(c.needed)
					row.Used += p.used() / float64(len(chats))
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

func readDialogues(file string) ([][]message, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all [][]message
	for decoder := json.NewDecoder(bufio.NewReader(z)); decoder.More(); {
		var dialogue struct{ Messages []message }
		if err := decoder.Decode(&dialogue); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, slices.DeleteFunc(dialogue.Messages, func(m message) bool { return m.Role == "system" }))
	}
	return all, nil
}

// join makes long chats of dialogues. A later turn needs the words that its own
// dialogue has told, and that few of the other dialogues have.
func join(dialogues [][]message) []joinedChat {
	var chats []joinedChat
	for group := range slices.Chunk(dialogues, joined) {
		if len(group) < joined {
			break
		}
		var chat joinedChat
		have := make([]map[string]bool, len(group))
		in := map[string]int{}
		for i, d := range group {
			before := d[:int(told*float64(len(d)))]
			have[i] = survival.Words(textOf(before))
			for w := range have[i] {
				in[w]++
			}
			chat.messages = append(chat.messages, before...)
		}
		for i, d := range group {
			for w := range survival.Words(textOf(d[int(told*float64(len(d))):])) {
				if have[i][w] && float64(in[w]) <= commonIn*float64(len(group)) {
					chat.needed = append(chat.needed, w)
				}
			}
		}
		chat.messages = append(chat.messages, message{"user", question})
		chats = append(chats, chat)
	}
	return chats
}
