package texts

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// agentJSON takes the beginnings of recorded sessions as they are stored, so
// that no single session decides the figures.
func agentJSON(o Options, words []string) Text {
	lines := corpus(o.Shared, "entire-claude-code/sessions.jsonl.gz")
	if len(lines) == 0 {
		return Text{"json", "generated agent JSON", fill(o.Bytes, newChat(4, words).request)}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(Cut(line, 40_000))
		b.WriteByte('\n')
	}
	return Text{"json", "entire-claude-code sessions as JSON", Cut(b.String(), o.Bytes)}
}

// mixedChat interleaves messages of several corpora.
func mixedChat(o Options, words []string) Text {
	all := [][]string{
		contents(corpus(o.Shared, "aider-chats/chats.jsonl.gz")),
		contents(corpus(o.Shared, "tau2-bench/simulations.jsonl.gz")),
		contents(corpus(o.Shared, "mt-bench-ja/chats.jsonl.gz")),
	}
	if text := interleave(all, o.Bytes); text != "" {
		return Text{"chat", "aider-chats, tau2-bench and mt-bench-ja in turn", text}
	}
	return Text{"chat", "generated chat in 11 scripts", fill(o.Bytes, newChat(5, words).turn)}
}

func japanese(o Options) Text {
	all := [][]string{
		contents(corpus(o.Shared, "realpersonachat-llm-ja/chats.jsonl.gz")),
		contents(corpus(o.Shared, "asdc-ja/dialogs.jsonl.gz")),
		contents(corpus(o.Shared, "mt-bench-ja/chats.jsonl.gz")),
	}
	if text := interleave(all, o.Bytes); text != "" {
		return Text{"japanese", "realpersonachat, asdc-ja and mt-bench-ja in turn", text}
	}
	k := &kana{6}
	return Text{"japanese", "generated Japanese", fill(o.Bytes, k.phrase)}
}

// interleave takes one message of each list after the other until the text has
// n bytes or all lists are used up.
func interleave(lists [][]string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		before := b.Len()
		for _, list := range lists {
			if i < len(list) {
				b.WriteString(list[i])
				b.WriteByte('\n')
			}
		}
		if b.Len() == before {
			break
		}
	}
	return Cut(b.String(), n)
}

// contents returns the texts of the messages of recorded conversations.
func contents(lines []string) []string {
	var texts []string
	for _, line := range lines {
		var c struct {
			Messages []struct {
				Content any `json:"content"`
			} `json:"messages"`
		}
		if json.Unmarshal([]byte(line), &c) != nil {
			continue
		}
		for _, m := range c.Messages {
			if text, ok := m.Content.(string); ok && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// corpus returns the lines of a corpus, none if it is not there.
func corpus(shared, file string) []string {
	if shared == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(shared, "corpora", file))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	scan := bufio.NewScanner(z)
	scan.Buffer(nil, 64<<20)
	var lines []string
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines
}
