package bpe

import "unicode/utf8"

// exhaustive is the longest stretch in which Truncate tries every character as the end.
const exhaustive = 512

// Truncate returns the longest prefix of text that has at most n tokens and ends between two characters, and its
// number of tokens. It looks at little more of the text than it returns.
//
// Adding a character can make a text one token shorter, so the longest prefix is found by trying, from the last place
// where a split is certain. If more than 512 bytes follow without such a place, such as a thousand equal signs, the
// prefix is found by bisection instead and can miss the longest by a few characters; it never has more than n tokens.
func (e *Encoding) Truncate(text string, n int) (prefix string, tokens int) {
	if n <= 0 {
		return "", 0
	}
	start, end, tokens := e.crossing(text, n)
	if start == len(text) {
		return text, tokens
	}
	length, more := e.fill(text[start:end], n-tokens)
	return text[:start+length], tokens + more
}

// crossing returns a stretch text[start:end] such that text[:start] has at most n tokens, of which it returns the
// number, and text[:end] has more. No certain split lies between them. If all of text fits, start is len(text).
func (e *Encoding) crossing(text string, n int) (start, end, tokens int) {
	for size := max(64, 2*min(n, len(text))); ; size *= 2 {
		if end = start + size; end >= len(text) {
			end = len(text)
		} else if end = start + e.pattern.LastSafe(text[start:end]); end == start {
			continue
		}
		more := e.Count(text[start:end])
		if tokens+more > n {
			break
		}
		start, tokens = end, tokens+more
		if start == len(text) {
			return start, end, tokens
		}
	}
	for low := start; end-low > 1; {
		middle := low + (end-low)/2
		safe := start + e.pattern.LastSafe(text[start:middle])
		if safe == start {
			low = middle
			continue
		}
		if more := e.Count(text[start:safe]); tokens+more <= n {
			start, low, tokens = safe, middle, tokens+more
		} else {
			end, low = safe, start
		}
	}
	return start, end, tokens
}

// fill returns the length and the tokens of the longest prefix of block that has at most n tokens, given that all of
// block has more.
func (e *Encoding) fill(block string, n int) (length, tokens int) {
	low, high := 0, len(block)
	if n == 0 {
		return 0, 0
	}
	for high-low > exhaustive {
		middle := charStart(block, low+(high-low)/2)
		if e.Count(block[:middle]) <= n {
			low = middle
		} else {
			high = middle
		}
	}
	for high > low {
		high = charStart(block, high-1)
		if tokens = e.Count(block[:high]); tokens <= n {
			return high, tokens
		}
	}
	return low, e.Count(block[:low])
}

// charStart returns the start of the character that the byte at offset i is part of.
func charStart(text string, i int) int {
	for at := i; at >= 0 && i-at < utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if _, width := utf8.DecodeRuneInString(text[at:]); at+width > i {
				return at
			}
			break
		}
	}
	return i
}
