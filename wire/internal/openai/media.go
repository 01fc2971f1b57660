package openai

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// appendMedia writes a picture, a recording or a document as a part of a content
// list. What Chat Completions has no words for is an error: a model that is shown
// something else than what was meant is worse off than one that is shown nothing.
func appendMedia(out []byte, m plimsoll.Media) ([]byte, error) {
	switch {
	case m.Kind == plimsoll.Image && imageURL(m) != "":
		out = appendString(out, `{"type":"image_url","image_url":{"url":`, imageURL(m))
		if m.Detail != "" {
			out = appendString(out, `,"detail":`, m.Detail)
		}
	case m.Kind == plimsoll.Audio && m.Data != "" && audioFormat(m.MIME) != "":
		out = appendString(out, `{"type":"input_audio","input_audio":{"data":`, m.Data)
		out = appendString(out, `,"format":`, audioFormat(m.MIME))
	case m.Kind == plimsoll.Document && m.Data != "":
		// OpenAI refuses a file without a name, and reads nothing but PDF here.
		out = appendString(out, `{"type":"file","file":{"filename":"document.pdf","file_data":`, dataURL(m))
	case m.Kind == plimsoll.Document && m.URL != "" && !isURL(m.URL):
		out = appendString(out, `{"type":"file","file":{"file_id":`, m.URL)
	default:
		return nil, fmt.Errorf("%s of type %q: %w", m.Kind, m.MIME, plimsoll.ErrUnsupported)
	}
	return append(out, "}}"...), nil
}

func appendString(out []byte, before, text string) []byte {
	return rawjson.AppendQuote(append(out, before...), text)
}

// imageURL returns where a picture is, or a URL that holds it; empty if it is
// known by another provider's file id, or its type is not known.
func imageURL(m plimsoll.Media) string {
	switch url := dataURL(m); {
	case isURL(url):
		return url
	case m.Data == "" && isURL(m.URL):
		return m.URL
	}
	return ""
}

// dataURL returns the data as a URL, or as it is if its type is not known.
func dataURL(m plimsoll.Media) string {
	if m.Data == "" || m.MIME == "" || isURL(m.Data) {
		return m.Data
	}
	return "data:" + m.MIME + ";base64," + m.Data
}

// isURL tells URLs from file ids and base64, in which no colon can stand.
func isURL(s string) bool {
	return strings.HasPrefix(s, "data:") || strings.Contains(s[:min(len(s), 16)], "://")
}

// audioFormat returns OpenAI's word for a MIME type of sound.
func audioFormat(mime string) string {
	switch format, _ := strings.CutPrefix(mime, "audio/"); format {
	case "mpeg":
		return "mp3"
	case "x-wav", "wave", "vnd.wave":
		return "wav"
	default:
		return format
	}
}
