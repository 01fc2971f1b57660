package hf

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// normalizer rewrites text before it is split. At most one field is set.
type normalizer struct {
	form    *norm.Form
	prepend string
	from    string
	to      string
}

func compileNormalizers(steps []component) ([]normalizer, error) {
	if err := checkGrowth("normalizer", steps); err != nil {
		return nil, err
	}
	forms := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}
	var list []normalizer
	for i, s := range steps {
		form, isForm := forms[s.Type]
		switch {
		case isForm:
			list = append(list, normalizer{form: &form})
		case s.Type == "Prepend" && len(s.Prepend) <= maxAddedBytes:
			list = append(list, normalizer{prepend: s.Prepend})
		case s.Type == "Prepend":
			return nil, &FormatError{
				Field: fmt.Sprintf("normalizer[%d].prepend", i), Found: fmt.Sprint(len(s.Prepend), " bytes"),
				Supported: fmt.Sprint("up to ", maxAddedBytes),
			}
		case s.Type == "Replace" && s.Pattern.String != nil && *s.Pattern.String != "":
			list = append(list, normalizer{from: *s.Pattern.String, to: s.Content})
		case s.Type == "Replace":
			return nil, &FormatError{
				Field: fmt.Sprintf("normalizer[%d].pattern", i), Found: "no plain string", Supported: `{"String": "…"}`,
			}
		default:
			return nil, &FormatError{
				Field: fmt.Sprintf("normalizer[%d].type", i), Found: quote(s.Type),
				Supported: "NFC, NFD, NFKC, NFKD, Prepend, Replace, Sequence",
			}
		}
	}
	return list, nil
}

// normalize returns text in normal form, in one of the two buffers or unchanged.
func normalize(list []normalizer, text string, buf *[2][]byte) string {
	if text == "" {
		return text
	}
	free := 0 // the buffer that text does not lie in
	for i := range list {
		n := &list[i]
		switch {
		case n.form != nil:
			text = normalForm(*n.form, text)
		case n.prepend != "":
			buf[free] = append(append(buf[free][:0], n.prepend...), text...)
			text = rawjson.View(buf[free])
			free ^= 1
		case n.from != "" && strings.Contains(text, n.from):
			text = replaceAll(text, n.from, n.to, &buf[free])
			free ^= 1
		}
	}
	return text
}

// replaceAll is strings.ReplaceAll into a buffer that is used again.
func replaceAll(text, from, to string, buf *[]byte) string {
	at := strings.Index(text, from)
	if at < 0 {
		return text
	}
	out := (*buf)[:0]
	for at >= 0 {
		out = append(append(out, text[:at]...), to...)
		text = text[at+len(from):]
		at = strings.Index(text, from)
	}
	*buf = append(out, text...)
	return rawjson.View(*buf)
}

// normalForm brings text into a normal form. Characters that no form touches are copied; each
// stretch of others is normalised together with the character before it, which it may join.
func normalForm(form norm.Form, text string) string {
	at := inertSpan(form, text)
	if at == len(text) {
		return text
	}
	var out strings.Builder
	for at < len(text) {
		_, before := utf8.DecodeLastRuneInString(text[:at])
		out.WriteString(text[:at-before])
		end := at + activeSpan(form, text[at:])
		writeOld(&out, form, text[at-before:end])
		text = text[end:]
		at = inertSpan(form, text)
	}
	out.WriteString(text)
	return out.String()
}

// writeOld normalises by Unicode 9: a newer character stands for itself and takes part in nothing.
func writeOld(out *strings.Builder, form norm.Form, text string) {
	for text != "" {
		start, end := nextNewer(text)
		out.WriteString(normalStretch(form, text[:start]))
		out.WriteString(text[start:end])
		text = text[end:]
	}
}

// normalStretch is form.String without what that adds for streams: golang.org/x/text puts a joiner
// into sequences of more than 30 marks, Hugging Face does not.
func normalStretch(form norm.Form, text string) string {
	if hasMarkRun(text) {
		return longMarks(form, text)
	}
	return form.String(text)
}

// markRun is fewer than the marks at which golang.org/x/text starts to insert joiners, with
// room for characters that decompose into a base and several marks.
const markRun = 8

// hasMarkRun reports whether more than markRun marks follow each other.
func hasMarkRun(text string) bool {
	run := 0
	for i := 0; i < len(text); {
		// No character below U+0300 is a mark; their first bytes are below 0xCC.
		if text[i] < 0xCC {
			i++
			if i < len(text) && text[i-1] >= 0xC0 {
				i++
			}
			run = 0
			continue
		}
		p := norm.NFD.PropertiesString(text[i:])
		if p.CCC() == 0 && p.LeadCCC() == 0 {
			run = 0
		} else if run++; run > markRun {
			return true
		}
		i += max(p.Size(), 1)
	}
	return false
}

// longMarks normalises by the definition: decompose, order the marks, compose again.
func longMarks(form norm.Form, text string) string {
	base := norm.NFD
	if form == norm.NFKC || form == norm.NFKD {
		base = norm.NFKD
	}
	chars := decompose(base, text)
	orderMarks(chars)
	if form == norm.NFC || form == norm.NFKC {
		chars = compose(chars)
	}
	var out bytes.Buffer
	for _, c := range chars {
		out.WriteString(c.text)
	}
	return out.String()
}
