package dialects_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestEveryCodecSaysWhatItsAPIIsLike(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		c := dialects.Codec(d)
		api := c.Traits()
		if api.Name == "" || api.Model == "" || api.Provider == "" || api.Operation == "" || len(api.Paths) == 0 || len(api.CountPaths) > 0 != (api.Count != "") {
			t.Errorf("%s: %+v", d, api)
		}
		for _, path := range api.Paths {
			if got, ok := dialects.FromPath("/base" + path + "/?x=1"); !ok || got != d {
				t.Errorf("%s is taken for %q", path, got)
			}
		}
		for _, path := range api.CountPaths {
			if got, ok := dialects.FromCountPath("/base" + path); !ok || got != d {
				t.Errorf("%s is taken for %q", path, got)
			}
		}
		none := ""
		if api.NoCalls.Key != "" {
			none = fmt.Sprintf(`,%q:%s`, api.NoCalls.Key, api.NoCalls.Value)
		}
		r, err := c.Decode(fmt.Appendf(nil, `{%q:[]%s}`, api.Messages, none))
		if err != nil || !c.Offerable(r) {
			t.Errorf("%s: an empty request cannot be offered tools: %v", d, err)
		}
	}
}

func TestNoPathBothConversesAndCounts(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/messages/count_tokens", "/v1beta/models/gemini-2.5-pro:countTokens/"} {
		if d, ok := dialects.FromPath(path); ok {
			t.Errorf("%s carries a conversation of %s", path, d)
		}
		if _, ok := dialects.FromCountPath(path); !ok {
			t.Errorf("%s counts nothing", path)
		}
	}
}

func TestCodecsReadTheErrorsThatTheyRender(t *testing.T) {
	t.Parallel()
	const text = `no "room" <left>`
	for _, d := range dialects.All() {
		c := dialects.Codec(d)
		for _, status := range []int{400, 401, 404, 413, 429, 500, 503} {
			got, err := c.ReadResponse(c.Error(status, "some_code", text))
			if err != nil || got.Error == nil || got.Error.Message != text {
				t.Errorf("%s, status %d: %+v, %v", d, status, got.Error, err)
			}
		}
	}
}

func TestToolsAreNotOfferedBesideWhatRefusesThem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect plimsoll.Dialect
		member  string
		want    bool
	}{
		{plimsoll.OpenAI, `"n":1`, true},
		{plimsoll.OpenAI, `"n":2`, false},
		{plimsoll.OpenAI, `"functions":[]`, false},
		{plimsoll.Responses, `"previous_response_id":null`, true},
		{plimsoll.Responses, `"previous_response_id":"r"`, false},
		{plimsoll.Responses, `"conversation":"c"`, false},
		{plimsoll.Anthropic, `"n":2`, true},
		{plimsoll.Gemini, `"generationConfig":{"responseMimeType":"text/plain"}`, true},
		{plimsoll.Gemini, `"generation_config":{"response_mime_type":"application/json"}`, false},
		{plimsoll.Gemini, `"generationConfig":{"candidateCount":2}`, false},
		{plimsoll.Gemini, `"cached_content":"c"`, false},
		{plimsoll.Ollama, `"format":null`, true},
		{plimsoll.Ollama, `"format":"json"`, false},
		{plimsoll.Ollama, `"format":{"type":"object"}`, false},
		{plimsoll.Converse, `"guardrailConfig":{}`, true},
	} {
		c := dialects.Codec(tt.dialect)
		r, err := c.Decode(fmt.Appendf(nil, `{%q:[],%s}`, c.Traits().Messages, tt.member))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Offerable(r); got != tt.want {
			t.Errorf("%s with %s: %v, want %v", tt.dialect, tt.member, got, tt.want)
		}
	}
}
