package summary

import "strings"

// Bounds of the shape of a command.
const (
	maxCommandWords = 9
	maxCommandBytes = 100
	maxPlainWords   = 3
)

// commandShape shows a command without its free texts. Quoted words become an ellipsis,
// and so do plain words after the first few. The command still says what was run, but the
// name of a file or a commit message cannot carry an instruction.
func commandShape(command string) string {
	command, _, _ = strings.Cut(strings.TrimSpace(command), "\n")
	if rest, ok := strings.CutPrefix(command, "cd "); ok {
		if _, after, ok := strings.Cut(rest, "&& "); ok {
			command = after
		}
	}
	var shape []string
	plain := 0
	for _, word := range shellWords(command) {
		isCode := strings.ContainsAny(word, "-./_=0123456789|&")
		switch {
		case strings.Trim(word, "&|;") == "":
			plain = 0
		case !isCode:
			plain++
		}
		if !isCommandWord(word) || !isCode && plain > maxPlainWords || len(word) > maxAtom {
			word = "…"
		}
		if word == "…" && len(shape) > 0 && shape[len(shape)-1] == "…" {
			continue
		}
		if shape = append(shape, word); len(shape) == maxCommandWords {
			break
		}
	}
	return clip(strings.Join(shape, " "), maxCommandBytes)
}

// shellWords splits a command at blanks. A word with a quote is an ellipsis.
func shellWords(command string) []string {
	var all []string
	for command != "" {
		command = strings.TrimLeft(command, " \t")
		end, quoted := 0, false
		for end < len(command) && command[end] != ' ' && command[end] != '\t' {
			switch c := command[end]; c {
			case '\'', '"', '`':
				quoted = true
				closing := strings.IndexByte(command[end+1:], c)
				if closing < 0 {
					end = len(command)
					continue
				}
				end += closing + 2
			case '\\':
				quoted = true
				end = min(end+2, len(command))
			default:
				end++
			}
		}
		switch {
		case quoted:
			all = append(all, "…")
		case end > 0:
			all = append(all, command[:end])
		}
		if len(all) > 4*maxCommandWords {
			break
		}
		command = command[end:]
	}
	return all
}

// isCommandWord reports whether a word has only characters of options, names and
// operators.
func isCommandWord(word string) bool {
	for i := range len(word) {
		if classOf[word[i]] == 0 && !strings.ContainsRune(":=@%+,~*&|;", rune(word[i])) {
			return false
		}
	}
	return true
}
