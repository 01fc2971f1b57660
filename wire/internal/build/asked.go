package build

import (
	"cmp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Choice reads how the model may use its tools, a word or an object, in the words of
// [plimsoll.Conversation].
func (s *Scanner) Choice() string {
	raw := s.Value().Of(s.Body)
	word := rawjson.Unquoted(raw)
	if rawjson.IsObject(raw) {
		name := cmp.Or(rawjson.MemberText(raw, "name"), rawjson.MemberText(rawjson.Member(raw, "function"), "name"))
		if name != "" {
			return name
		}
		word = cmp.Or(rawjson.MemberText(raw, "mode"), rawjson.MemberText(raw, "type"))
	}
	switch word = strings.ToLower(word); {
	case word == "any":
		return "required"
	case word == "auto" && string(rawjson.Member(raw, "disable_parallel_tool_use")) == "true":
		return "single"
	}
	return word
}

// Output reads the form that the answer must have. Only a schema weighs anything.
func Output(format []byte) plimsoll.Tool {
	if rawjson.MemberText(format, "type") != "json_schema" {
		return plimsoll.Tool{}
	}
	if inner := rawjson.Member(format, "json_schema"); rawjson.IsObject(inner) {
		format = inner
	}
	return plimsoll.Tool{
		Name: rawjson.MemberText(format, "name"), Description: rawjson.MemberText(format, "description"),
		Schema: rawjson.View(rawjson.Member(format, "schema")),
	}
}
